package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// The bounds of the claims in sentences.
const (
	// tie is the relative difference of times below which fabrics count as equal: the spread of
	// repeated measurements of one cluster.
	tie = 0.02
	// bandwidthShare begins the range in which bandwidth decides: the fastest
	// fabric reaches this share of its best rate.
	bandwidthShare = 0.8
	// bandwidthSlope is the minimum growth of time with size, as a power, at the end of the sweep
	// for bandwidth to decide there.
	bandwidthSlope = 0.8
	// steadyGap is the maximum variation of a constant difference of times over a range.
	steadyGap = 1.25
	// busyLink is the share of time from which on a link is called the limit, and idleLink the
	// share below which no wire can be the limit, even if its load comes in bursts.
	busyLink = 0.9
	idleLink = 0.25
	// crowdedBusy and crowded are the minimum busy time of a link, and the minimum ratio to the
	// mean of its tier, for a collision of flows to be a cause.
	crowdedBusy = 0.6
	crowded     = 1.25
	// namedFlows is the number of a link's flows that a sentence names.
	namedFlows = 4
	// idledShare is the minimum additional idle time of a link, compared with the fastest fabric's,
	// to be a cause.
	idledShare = 0.1
	// queuedShare is the share of queued, or of retransmitted, packets from which on they are a
	// cause.
	queuedShare = 0.05
)

// Verdict is the conclusion from the results, in sentences.
type Verdict struct {
	Where   []string // the winner of each range
	Why     []string // the evidence for each
	Notes   []string // limits of the comparison
	Setting []string // the hardware and the settings that the times depend on
}

// Judge names the winner of each range, with reasons. The scenario may be nil; with it more causes
// are known.
func Judge(r *runstore.Results, sc *scenario.Resolved) Verdict {
	v := newJudgement(r, sc)
	switch {
	case len(v.fabrics) == 0:
		return Verdict{Where: []string{"No size has a result."}}
	case len(v.sizes) == 0:
		return Verdict{Where: []string{"No size has a result on every fabric: there is nothing to compare."}, Notes: v.caveats(), Setting: v.setting()}
	case len(v.fabrics) == 1:
		return v.alone()
	}
	return v.contest()
}

// judgement is the results as times by fabric and size, for sizes with results on all fabrics.
type judgement struct {
	r        *runstore.Results
	sc       *scenario.Resolved
	repeated bool               // over several seeds
	fabrics  []int              // with results, by index in r
	left     []int              // without
	sizes    []int64            // that are compared
	results  []int64            // with a result on every fabric, including single runs
	once     []string           // sizes with a single run among sizes over seeds, which the verdict leaves out
	points   [][]runstore.Point // [fabric][size]
}

func newJudgement(r *runstore.Results, sc *scenario.Resolved) *judgement {
	v := &judgement{r: r, sc: sc}
	for i, f := range r.Fabrics {
		if slices.ContainsFunc(f.Points, runstore.Point.Measured) {
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
		var row []runstore.Point
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
			v.once = append(v.once, sizeText(size))
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

func (v *judgement) name(f int) string                  { return v.result(f).Name }
func (v *judgement) result(f int) runstore.FabricResult { return v.r.Fabrics[v.fabrics[f]] }
func (v *judgement) time(f, s int) float64              { return float64(v.points[f][s].Time) }

// spec is the fabric's scenario, nil if it is unknown.
func (v *judgement) spec(f int) *scenario.Fabric {
	if v.sc == nil {
		return nil
	}
	for i := range v.sc.Fabrics {
		if v.sc.Fabrics[i].Name == v.name(f) {
			return &v.sc.Fabrics[i]
		}
	}
	return nil
}

// least is the fastest time of a compared size.
func (v *judgement) least(s int) float64 { return v.leastAt(v.sizes[s]) }

// leastAt is the fastest time of a size with results.
func (v *judgement) leastAt(size int64) float64 {
	t := math.Inf(1)
	for _, f := range v.fabrics {
		p, _ := point(v.r.Fabrics[f], size)
		t = min(t, float64(p.Time))
	}
	return t
}

// winner is the fabric with the least time over a range of sizes, from and to included, by the
// geometric mean of its slow-down relative to the fastest.
func (v *judgement) winner(from, to int) int {
	best, least := 0, math.Inf(1)
	for f := range v.fabrics {
		sum := 0.0
		for s := from; s <= to; s++ {
			sum += math.Log(v.time(f, s) / v.least(s))
		}
		if sum < least-1e-12 {
			best, least = f, sum
		}
	}
	return best
}

// ratios is the minimum and the maximum ratio of one fabric's time to another's.
func (v *judgement) ratios(f, over, from, to int) (lo, hi float64) {
	lo, hi = math.Inf(1), 0
	for s := from; s <= to; s++ {
		x := v.time(f, s) / v.time(over, s)
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// latencyEnd is the last size at which latency decides, -1 if there is none. It needs two sizes: a
// line through the fastest times of the smallest size and of this one gives the cost of a message
// without its bytes, and that must exceed the cost of its bytes.
func (v *judgement) latencyEnd() int {
	end := -1
	for s := 1; s < len(v.sizes); s++ {
		bytes := v.least(s) - v.least(0)
		bytes *= float64(v.sizes[s]) / float64(v.sizes[s]-v.sizes[0])
		if bytes > v.least(s)/2 {
			break
		}
		end = s
	}
	return end
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

// contest compares two or more fabrics: the range where latency decides, the range where bandwidth
// does, and the reasons. The range between is reported only if another fabric leads there.
func (v *judgement) contest() Verdict {
	last := len(v.sizes) - 1
	if last == 0 {
		w := v.winner(0, 0)
		at := ""
		if v.sizes[0] != 0 {
			at = "at " + sizeText(v.sizes[0]) + " "
		}
		return Verdict{[]string{upper(at+v.standing(w, 0, 0, 0, busOf)) + "."}, v.why(w, 0, w, 0), v.caveats(), v.setting()}
	}
	start := v.bandwidthStart()
	end, begins := min(v.latencyEnd(), start-1), "where latency decides"
	if end < 0 && start > 0 {
		end, begins = 0, "the start of the sweep"
		if !v.isFirst(0) {
			begins = "the smallest size that is compared"
		}
	}
	from, ends, figure := max(start, end+1), "where bandwidth decides", busOf
	if start > last && end < last {
		from, ends, figure = last, "the end of the sweep", timeOf
		if !v.isLast(last) {
			ends = "the largest size that is compared"
		}
	}
	low, high := v.winner(0, max(end, 0)), v.winner(min(from, last), last)
	var out []string
	if end >= 0 {
		out = append(out, v.rangeSentence(0, end, 0, begins, timeOf))
	}
	var between []string
	if middle := from - 1; end < middle && middle < last {
		if w := v.winner(end+1, middle); w != low && w != high {
			out = append(out, v.rangeSentence(end+1, middle, middle, "in between", timeOf))
		} else {
			var where []string
			where, between = v.leaders(end, from)
			out = append(out, where...)
		}
	}
	if from <= last { // else latency decides everywhere
		out = append(out, v.rangeSentence(from, last, last, ends, figure))
	}
	return Verdict{out, append(v.why(low, end, high, from), between...), v.caveats(), v.setting()}
}

// rangeSentence is the ranking of the fabrics from one size to another, with the figures of the
// shown size.
func (v *judgement) rangeSentence(from, to, shown int, what string, figure func(runstore.Point) string) string {
	var where string
	switch {
	case from == to:
		where = "At " + sizeText(v.sizes[from])
	case from == 0 && to == len(v.sizes)-1 && len(v.sizes) == len(sizes(v.r)):
		where = "At every size"
	case v.isFirst(from):
		where = "Up to " + sizeText(v.sizes[to])
	case v.isLast(to):
		where = "From " + sizeText(v.sizes[from]) + " on"
	default:
		where = "From " + sizeText(v.sizes[from]) + " to " + sizeText(v.sizes[to])
	}
	w := v.winner(from, to)
	return where + ", " + what + ", " + v.standing(w, from, to, shown, figure) + "." + v.exceptions(w, from, to)
}

// isFirst reports whether no size of the run is smaller than a compared size.
func (v *judgement) isFirst(s int) bool { return v.sizes[s] == slices.Min(sizes(v.r)) }

// isLast reports whether none is larger.
func (v *judgement) isLast(s int) bool { return v.sizes[s] == slices.Max(sizes(v.r)) }

// timeOf and busOf are the formats of a range's figures.
func timeOf(p runstore.Point) string { return shortTime(p.Time) }

func busOf(p runstore.Point) string {
	if p.BusBW == 0 {
		return timeOf(p)
	}
	return shortBandwidth(p.BusBW) + " GB/s"
}

// standing is the ranking of the fabrics over a range: the winner with its figure at the shown
// size, the fabrics tied with it, and the distances of the others.
func (v *judgement) standing(w, from, to, shown int, figure func(runstore.Point) string) string {
	size := ""
	if from != to {
		size = " at " + sizeText(v.sizes[shown])
	}
	var tied, open, behind []string
	for _, f := range v.order(shown) {
		if f == w {
			continue
		}
		value := figure(v.points[f][shown])
		switch {
		case v.alike(f, w, from, to):
			tied = append(tied, fmt.Sprintf("%s (%s)", v.name(f), value))
		case v.behind(f, w, from, to) && len(behind) == 0:
			behind = append(behind, fmt.Sprintf("%s takes %s", v.name(f), v.longer(f, w, from, to, " times as long", value)))
		case v.behind(f, w, from, to):
			behind = append(behind, fmt.Sprintf("%s %s", v.name(f), v.longer(f, w, from, to, " times", value)))
		case v.repeated:
			open = append(open, fmt.Sprintf("%s (%s; %s times as long)", v.name(f), value, v.contrast(f, w, from, to).interval()))
		default:
			lo, hi := v.ratios(f, w, from, to)
			open = append(open, fmt.Sprintf("%s (%s; %s times as long)", v.name(f), value, span2(lo, hi)))
		}
	}
	own := fmt.Sprintf("%s (%s%s)", v.name(w), figure(v.points[w][shown]), size)
	tail := ""
	if len(behind) > 0 {
		tail = "; " + list(behind)
	}
	switch {
	case len(open) > 0 && v.repeated && v.guessed(from, to):
		return fmt.Sprintf("the seeds and the bounds of the estimates do not distinguish %s%s", list(slices.Concat([]string{own}, tied, open)), tail)
	case len(open) > 0 && v.repeated:
		return fmt.Sprintf("the seeds do not distinguish %s%s", list(slices.Concat([]string{own}, tied, open)), tail)
	case len(open) > 0 && v.guessed(from, to):
		return fmt.Sprintf("the bounds of the estimates do not distinguish %s%s", list(slices.Concat([]string{own}, tied, open)), tail)
	case len(open) > 0:
		return fmt.Sprintf("no fabric is ahead at every size: %s%s", list(slices.Concat([]string{own}, tied, open)), tail)
	case len(behind) == 0:
		return fmt.Sprintf("there is no difference that matters: %s are within 2 %%", list(append([]string{own}, tied...)))
	case len(tied) > 0:
		return fmt.Sprintf("%s are within 2 %%, no difference that matters%s", list(append([]string{own}, tied...)), tail)
	case !v.repeated:
		return fmt.Sprintf("%s takes the least time in this run (%s%s)%s", v.name(w), figure(v.points[w][shown]), size, tail)
	}
	fastest := "is the fastest"
	if v.exceptions(w, from, to) != "" {
		fastest += " on average"
	}
	return fmt.Sprintf("%s %s (%s%s)%s", v.name(w), fastest, figure(v.points[w][shown]), size, tail)
}

// longer is the ratio of a fabric's time to another's, size by size, with the interval over the
// range, and its figure.
func (v *judgement) longer(f, w, from, to int, unit, value string) string {
	lo, hi := v.ratios(f, w, from, to)
	text := span2(lo, hi) + unit
	switch interval := v.contrast(f, w, from, to).interval(); {
	case interval == "":
		return fmt.Sprintf("%s (%s)", text, value)
	case from == to:
		return fmt.Sprintf("%s (%s; 95 %% interval %s)", text, value, interval)
	default:
		return fmt.Sprintf("%s (%s; on average %s)", text, value, interval)
	}
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
	slices.SortStableFunc(order, func(a, b int) int {
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

// exceptions names the sizes of a range at which another fabric leads.
func (v *judgement) exceptions(w, from, to int) string {
	var out []string
	for f := range v.fabrics {
		var where []string
		for s := from; s <= to; s++ {
			if f != w && v.behind(w, f, s, s) {
				where = append(where, sizeText(v.sizes[s]))
			}
		}
		if len(where) > 0 {
			out = append(out, fmt.Sprintf("%s %s at %s", v.name(f), v.leads(), list(where)))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " It is not so at every size: " + list(out) + "."
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
	return append(append(out, switchRangeSentences(v.r)...), v.waitedSentences()...)
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
