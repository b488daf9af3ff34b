package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/sim/runstore"
	"weft/internal/study/measured"
)

// contest compares two or more fabrics: what to choose, who leads where and why, and how sure that is.
func (v *judgement) contest() Verdict {
	out := Verdict{Notes: v.caveats(), Setting: v.setting(), Seen: v.seen()}
	if v.confined() {
		out.Choice = []string{confinement}
		return out
	}
	far := v.far()
	spans := v.spans(far)
	for _, s := range spans {
		out.Where = append(out.Where, v.spanSentence(s, far))
	}
	for _, f := range far {
		out.Where = append(out.Where, v.farSentence(f))
	}
	out.Choice = []string{v.choice(spans, far)}
	out.Sure = v.sure(spans, far)
	return out
}

// spanSentence says who leads in a span, why, and whether the lead holds.
func (v *judgement) spanSentence(s sizeRange, far []int) string {
	w, ok := s.leader()
	if !ok {
		return v.tied(s)
	}
	var trials []*runstore.Trial
	var all reads
	for f := range v.fabrics {
		if f == w || slices.Contains(far, f) {
			continue
		}
		for k := s.from; k <= s.to; k++ {
			if t := v.trial(f, w, k); t != nil {
				trials = append(trials, t)
				all.add(v.readingsOf(f, w, k))
			}
		}
	}
	return strings.Join(slices.DeleteFunc([]string{v.leading(s, far), v.reasons(trials), all.text()}, func(text string) bool { return text == "" }), " ")
}

// farSentence says how far a fabric is behind, and the tested reason.
func (v *judgement) farSentence(f int) string {
	lo, hi := math.Inf(1), 0.0
	text := ""
	for s := range v.sizes {
		x := v.time(f, s) / v.least(s)
		lo, hi = min(lo, x), max(hi, x)
		if t := v.trial(f, v.order(s)[0], s); t != nil && text == "" {
			text = fmt.Sprintf(" %s, not %s,%s.", strings.TrimSuffix(v.reasons([]*runstore.Trial{t}), "."), timeOf(v.points[f][s]), v.at(s))
		}
	}
	return fmt.Sprintf("%s takes %s times as long as the fastest.%s", v.name(f), span2(lo, hi), text)
}

// solid reports whether a lead at a size is above weft's own error, was tested and holds over all readings.
func (v *judgement) solid(slower, faster, s int) bool {
	if v.trial(slower, faster, s) == nil {
		return false
	}
	r := v.readingsOf(slower, faster, s)
	return v.behind(slower, faster, s, s) && v.time(slower, s)/v.time(faster, s) > 1+v.ownError(s) && len(r.gone)+len(r.turned) == 0
}

// choice is the sentence that says what to choose.
func (v *judgement) choice(spans []sizeRange, far []int) string {
	var near []int
	for f := range v.fabrics {
		if !slices.Contains(far, f) {
			near = append(near, f)
		}
	}
	not := ""
	if len(far) > 0 {
		not = "; not " + list(v.namesOf(far))
	}
	switch {
	case len(near) == 1 && !v.repeated:
		return fmt.Sprintf("%s takes the least time in this run.", v.name(near[0]))
	case len(near) == 1:
		return fmt.Sprintf("Choose %s%s.", v.name(near[0]), not)
	}
	names := list(v.namesOf(near))
	leaders, most := v.solidLeaders(spans, near)
	switch {
	case !v.repeated:
		return fmt.Sprintf("One run shows no order of %s: weft compare repeats it%s.", names, not)
	case len(leaders) == 0 && most == 0 && v.alike(near[0], near[len(near)-1], 0, len(v.sizes)-1):
		return fmt.Sprintf("%s are equal here%s.", names, not)
	case len(leaders) == 0 && most == 0:
		return fmt.Sprintf("No order of %s is shown: the seeds do not tell them apart at any size%s.", names, not)
	case len(leaders) == 0:
		return fmt.Sprintf("%s are equal here as far as weft can tell%s. The longest lead, %s times, is %s.", names, not, times(most), v.weakness(spans, near))
	case len(leaders) == 1:
		return fmt.Sprintf("Choose %s%s. It leads by up to %s times%s%s.", v.name(leaders[0]), not, times(v.longest(spans, leaders[0], near)), v.aboveError(), v.overReadings())
	}
	return fmt.Sprintf("It depends on the size: %s lead at different sizes%s%s.", list(v.namesOf(leaders)), v.aboveError(), not)
}

// weakness says why the longest lead does not decide.
func (v *judgement) weakness(spans []sizeRange, near []int) string {
	best, below, lost := 0.0, false, false
	for _, s := range spans {
		w, ok := s.leader()
		if !ok {
			continue
		}
		for k := s.from; k <= s.to; k++ {
			for _, f := range near {
				if x := v.time(f, k) / v.time(w, k); f != w && x > best {
					r := v.readingsOf(f, w, k)
					best, below, lost = x, x <= 1+v.ownError(k), len(r.gone)+len(r.turned) > 0
				}
			}
		}
	}
	switch {
	case below && lost:
		return "below weft's own error" + v.ownErrors() + " and gone with another reading of what is not known"
	case below:
		return "below weft's own error" + v.ownErrors()
	case lost:
		return "gone with another reading of what is not known"
	}
	return "not tested"
}

// solidLeaders are the fabrics with a solid lead over another near one, and the longest lead of any.
func (v *judgement) solidLeaders(spans []sizeRange, near []int) (leaders []int, most float64) {
	for _, s := range spans {
		w, ok := s.leader()
		if !ok {
			continue
		}
		for k := s.from; k <= s.to; k++ {
			for _, f := range near {
				if f == w {
					continue
				}
				most = max(most, v.time(f, k)/v.time(w, k))
				if v.solid(f, w, k) && !slices.Contains(leaders, w) {
					leaders = append(leaders, w)
				}
			}
		}
	}
	return leaders, most
}

// longest is the longest lead of a fabric over a near one.
func (v *judgement) longest(spans []sizeRange, w int, near []int) (most float64) {
	for _, s := range spans {
		if leader, ok := s.leader(); ok && leader == w {
			for _, f := range near {
				_, hi := v.ratios(f, w, s.from, s.to)
				most = max(most, hi)
			}
		}
	}
	return most
}

func (v *judgement) namesOf(fabrics []int) (out []string) {
	for _, f := range fabrics {
		out = append(out, v.name(f))
	}
	return out
}

// ownError is weft's mean error for the collective between nodes at a size; 0 if none was measured.
func (v *judgement) ownError(s int) float64 {
	if v.sc == nil || v.sc.Workload.Collective == "" {
		return 0
	}
	sum := measured.ErrorBetweenNodes(v.sc.Workload.Collective, v.sizes[s])
	if sum.Rows == 0 {
		return 0
	}
	return sum.Mean()
}

// errorSpan is the least and the most of ownError over the sizes.
func (v *judgement) errorSpan() (lo, hi float64) {
	lo = math.Inf(1)
	for s := range v.sizes {
		e := v.ownError(s)
		lo, hi = min(lo, e), max(hi, e)
	}
	return lo, hi
}

// overReadings says that leads hold over the readings, if there are any.
func (v *judgement) overReadings() string {
	if v.r.Contest == nil || len(v.r.Contest.Readings) == 0 {
		return ""
	}
	return " with every reading of what is not known"
}

// aboveError says that a lead is above weft's own error, if that was measured.
func (v *judgement) aboveError() string {
	if text := v.ownErrors(); text != "" {
		return ", more than weft's own error" + text
	}
	return ""
}

// ownErrors is weft's error over the sizes, in brackets; "" if none was measured.
func (v *judgement) ownErrors() string {
	lo, hi := v.errorSpan()
	switch {
	case hi == 0:
		return ""
	case percent(lo) == percent(hi):
		return " (" + percent(hi) + ")"
	}
	return fmt.Sprintf(" (%s to %s)", percent(lo), percent(hi))
}

// sure says what the order rests on, and what was not judged.
func (v *judgement) sure(spans []sizeRange, far []int) []string {
	if !v.repeated {
		return nil
	}
	kept, all, led := 0, 0, len(far) > 0
	for _, s := range spans {
		w, ok := s.leader()
		if !ok {
			continue
		}
		led = true
		for f := range v.fabrics {
			for k := s.from; k <= s.to; k++ {
				if f != w && !slices.Contains(far, f) && v.trial(f, w, k) != nil {
					r := v.readingsOf(f, w, k)
					kept, all = kept+r.holds, all+r.all()
				}
			}
		}
	}
	var parts []string
	if all > 0 {
		parts = append(parts, fmt.Sprintf("leads hold in %d of %d tests of other readings", kept, all))
	}
	if v.ownErrors() == "" && led {
		parts = append(parts, "weft's own error here was not measured")
	}
	if v.r.Contest == nil && led {
		parts = append(parts, "reasons and other readings were not tested")
	}
	if c := v.r.Contest; c != nil && len(c.Untested) > 0 {
		parts = append(parts, "not tested, for it would take too long: "+list(c.Untested))
	}
	if len(v.once) > 0 {
		parts = append(parts, list(v.once)+": one run, not judged")
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"How sure: " + strings.Join(parts, "; ") + ". Next: " + v.next() + "."}
}

// next says what to do with the verdict.
func (v *judgement) next() string {
	if v.sc == nil || v.sc.Workload.Collective == "" {
		return "--details has the steps from one fabric to the other"
	}
	return "weft calibrate with your own log; weft advise for cost; --details"
}
