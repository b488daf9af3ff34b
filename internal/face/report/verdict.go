package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/study/contest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// The bounds of the claims in sentences.
const (
	// bandwidthShare begins the range in which bandwidth decides: the fastest
	// fabric reaches this share of its best rate.
	bandwidthShare = 0.8
	// bandwidthSlope is the minimum growth of time with size, as a power, at the end of the sweep
	// for bandwidth to decide there.
	bandwidthSlope = 0.8
)

// Verdict is the conclusion from the results, in sentences.
type Verdict struct {
	Choice  []string // which fabric, or that they are equal
	Where   []string // who leads at which sizes, by how much, and the tested reason
	Sure    []string // what the order depends on, what was not judged, what to do next
	Seen    []string // counters and links: observations, no reasons
	Notes   []string // limits of the comparison
	Setting []string // the hardware and the settings that the times depend on
}

// Short is the verdict in at most ten lines.
func (v *Verdict) Short() []string { return slices.Concat(v.Choice, v.Where, v.Sure) }

// Judge says which fabric leads where, with the reasons that were tested. The scenario may be nil;
// with it reasons have their values.
func Judge(r *results.Results, sc *scenario.Resolved) Verdict {
	v := newJudgement(r, sc)
	switch {
	case len(v.fabrics) == 0:
		return Verdict{Choice: []string{"No size has a result."}}
	case len(v.sizes) == 0:
		return Verdict{Choice: []string{"No size has a result on every fabric: there is nothing to compare."}, Notes: v.caveats(), Setting: v.setting()}
	case len(v.fabrics) == 1:
		return v.alone()
	}
	return v.contest()
}

// judgement is the results as times by fabric and size, for sizes with results on all fabrics.
type judgement struct {
	r        *results.Results
	sc       *scenario.Resolved
	repeated bool              // over several seeds
	fabrics  []int             // with results, by index in r
	left     []int             // without
	sizes    []int64           // that are compared
	results  []int64           // with a result on every fabric, including single runs
	once     []int64           // sizes with a single run among sizes over seeds, which the verdict leaves out
	points   [][]results.Point // [fabric][size]
}

func newJudgement(r *results.Results, sc *scenario.Resolved) *judgement {
	v := &judgement{r: r, sc: sc}
	for i, f := range r.Fabrics {
		if slices.ContainsFunc(f.Points, results.Point.Measured) {
			v.fabrics = append(v.fabrics, i)
		} else {
			v.left = append(v.left, i)
		}
	}
	for _, size := range sizes(r) {
		if !slices.ContainsFunc(v.fabrics, func(i int) bool {
			p, ok := point(r.Fabrics[i], size)
			return !ok || !p.Measured()
		}) && !unequalLoss(r, size) {
			v.sizes = append(v.sizes, size)
		}
	}
	slices.Sort(v.sizes)
	v.results = v.sizes
	v.leaveOutOnce()
	for _, i := range v.fabrics {
		var row []results.Point
		for _, size := range v.sizes {
			p, _ := point(r.Fabrics[i], size)
			if v.openLoop() {
				p.BusBW = 0 // it is the offered load, and does not depend on the fabric
			}
			row = append(row, p)
		}
		v.points = append(v.points, row)
	}
	return v
}

// leaveOutOnce removes the sizes with one run if others have seeds on every fabric; without such
// sizes all count as one run.
func (v *judgement) leaveOutOnce() {
	var over []int64
	for _, size := range v.sizes {
		if slices.ContainsFunc(v.fabrics, func(i int) bool { p, _ := point(v.r.Fabrics[i], size); return p.Seeds == nil }) {
			v.once = append(v.once, size)
		} else {
			over = append(over, size)
		}
	}
	if v.repeated = len(over) > 0; v.repeated && len(v.fabrics) > 1 {
		v.sizes = over
	} else {
		v.once = nil
	}
}

// openLoop reports whether messages have start times of their own, independent of other messages:
// times are then means over messages.
func (v *judgement) openLoop() bool { return v.r.Workload == string(scenario.Uniform) }

// startSpread is the time between the first start of a list of flows and the last.
func (v *judgement) startSpread() units.Time {
	if v.sc == nil || v.sc.Workload.Pattern != scenario.Flows || len(v.sc.Workload.Flows) == 0 {
		return 0
	}
	starts := make([]units.Time, 0, len(v.sc.Workload.Flows))
	for i := range v.sc.Workload.Flows {
		starts = append(starts, v.sc.Workload.Flows[i].Start)
	}
	return slices.Max(starts) - slices.Min(starts)
}

func (v *judgement) name(f int) string                 { return quoted(v.result(f).Name) }
func (v *judgement) result(f int) results.FabricResult { return v.r.Fabrics[v.fabrics[f]] }
func (v *judgement) time(f, s int) float64             { return float64(v.points[f][s].Time) }

// spec is the fabric's scenario, nil if it is unknown.
func (v *judgement) spec(f int) *scenario.Fabric { return v.specOf(v.result(f).Name) }

// specOf is the scenario of the fabric with a name.
func (v *judgement) specOf(name string) *scenario.Fabric {
	if v.sc == nil {
		return nil
	}
	for i := range v.sc.Fabrics {
		if v.sc.Fabrics[i].Name == name {
			return &v.sc.Fabrics[i]
		}
	}
	return nil
}

// leastAt is the fastest time of a size with results.
func (v *judgement) leastAt(size int64) float64 {
	t := math.Inf(1)
	for _, f := range v.fabrics {
		p, _ := point(v.r.Fabrics[f], size)
		t = min(t, float64(p.Time))
	}
	return t
}

// ratio is the ratio of one fabric's time to another's at a size.
func (v *judgement) ratio(f, over, s int) float64 {
	return contest.Ratio(v.points[f][s], v.points[over][s])
}

// ratios is the minimum and the maximum ratio of one fabric's time to another's.
func (v *judgement) ratios(f, over, from, to int) (lo, hi float64) {
	lo, hi = math.Inf(1), 0
	for s := from; s <= to; s++ {
		x := v.ratio(f, over, s)
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// bandwidthStart is the first compared size from which on bandwidth decides, and len(sizes) if
// there is none. Results of one run count too: the larger a size, the more its time depends on its
// bytes, with any seed.
func (v *judgement) bandwidthStart() int {
	n := len(v.results)
	if n < 2 || v.results[n-1] == v.results[n-2] {
		return len(v.sizes)
	}
	slope := math.Log(v.leastAt(v.results[n-1])/v.leastAt(v.results[n-2])) / math.Log(float64(v.results[n-1])/float64(v.results[n-2]))
	if slope < bandwidthSlope {
		return len(v.sizes)
	}
	rate := func(s int) float64 { return float64(v.results[s]) / v.leastAt(v.results[s]) }
	s := n - 1
	for s > 0 && rate(s-1) >= bandwidthShare*rate(n-1) {
		s--
	}
	at, _ := slices.BinarySearch(v.sizes, v.results[s])
	return at
}

// timeOf and busOf are the formats of a range's figures.
func timeOf(p results.Point) string { return shortTime(p.Time) }

func busOf(p results.Point) string {
	if p.BusBW == 0 {
		return timeOf(p)
	}
	return shortBandwidth(p.BusBW) + " GB/s"
}

// span2 is a range of ratios; one when both read alike.
func span2(lo, hi float64) string {
	if times(lo) == times(hi) {
		return times(lo)
	}
	return times(lo) + " to " + times(hi)
}

// order is the fabrics by their time at a size.
func (v *judgement) order(s int) []int {
	order := make([]int, len(v.fabrics))
	for f := range order {
		order[f] = f
	}
	sorting.StableFunc(order, func(a, b int) int {
		return int(v.points[a][s].Time - v.points[b][s].Time)
	})
	return order
}

// upper begins a sentence with a capital, unless it begins with the name of a fabric.
func upper(text string) string {
	for _, word := range []string{"at ", "there ", "of "} {
		if strings.HasPrefix(text, word) {
			return begun(text)
		}
	}
	return text
}

// caveats are the limits of the comparison.
func (v *judgement) caveats() []string {
	var out []string
	if v.openLoop() {
		out = append(out, "The comparison uses the mean time of a message: messages are offered for the same time on every fabric")
	}
	if spread := v.startSpread(); spread > 0 {
		out = append(out, fmt.Sprintf("messages start up to %s apart, and the times of all fabrics contain this: the column of flows has the time of a message", shortTime(spread)))
	}
	if text := v.chance(); text != "" {
		out = append(out, text)
	}
	for _, i := range v.left {
		out = append(out, fmt.Sprintf("%s has no result and is not part of the comparison", v.r.Fabrics[i].Name))
	}
	if all := len(sizes(v.r)); all > len(v.sizes)+len(v.once) {
		out = append(out, fmt.Sprintf("of %d sizes, %d have a result on every fabric and are compared", all, len(v.sizes)+len(v.once)))
	}
	for _, size := range sizes(v.r) {
		if unequalLoss(v.r, size) {
			out = append(out, fmt.Sprintf("at %s the fabrics did not deliver the same messages: their times are not of the same work", sizeText(size)))
		}
	}
	for i := range out {
		out[i] = upper(strings.TrimSuffix(out[i], ".")) + "."
	}
	return append(out, v.waitedSentences()...)
}

// setting is the settings that the times at every size depend on.
func (v *judgement) setting() []string {
	var out []string
	if text := cutRadix(v.sc); text != "" {
		out = append(out, upper(strings.TrimSuffix(text, "."))+".")
	}
	out = append(out, v.kernelSentences()...)
	for i := range v.r.Fabrics {
		out = append(out, reductionSentences(v.r.Fabrics[i].Name, v.r.Fabrics[i].Reduction)...)
	}
	return out
}
