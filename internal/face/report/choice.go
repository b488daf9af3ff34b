package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/study/contest"
	"weft/internal/study/measured"
	"weft/results"
	"weft/units"
)

// contest compares two or more fabrics: what to choose, who leads where and why, and how sure that is.
func (v *judgement) contest() Verdict {
	out := Verdict{Notes: v.caveats(), Setting: v.setting(), Seen: v.seen()}
	if v.confined() {
		out.Choice = []string{confinement}
		return out
	}
	far := v.far()
	claims := v.claims(far)
	for _, c := range claims {
		if len(c.first)+len(c.rivals) > 1 { // else all others are far behind
			out.Where = append(out.Where, c.text())
		}
	}
	for _, f := range far {
		out.Where = append(out.Where, v.farSentence(f))
	}
	out.Choice = []string{v.choice(far)}
	out.Sure = v.sure(claims, far)
	return out
}

// farSentence says how far a fabric is behind, and the tested reason.
func (v *judgement) farSentence(f int) string {
	lo, hi := math.Inf(1), 0.0
	text := ""
	for s := range v.sizes {
		x := v.ratio(f, v.order(s)[0], s)
		lo, hi = min(lo, x), max(hi, x)
		t := v.trial(f, v.order(s)[0], s)
		if t == nil || text != "" {
			continue
		}
		text = " Cause not found."
		if cause, found := t.Cause(); found {
			text = fmt.Sprintf(" Reason: %s%s: with that of %s %s, not %s%s.", cause.Property, v.values(t, cause.Property), quoted(t.Faster),
				shortTime(units.Time(t.SlowerPs-cause.EffectPs)), timeOf(v.points[f][s]), v.at(s))
		}
	}
	return fmt.Sprintf("%s takes %s times as long.%s", v.name(f), span2(lo, hi), text)
}

// solid reports whether a lead at a size is above weft's own error, was tested and holds over all readings.
func (v *judgement) solid(slower, faster, s int) bool {
	if v.trial(slower, faster, s) == nil {
		return false
	}
	r := v.readingsOf(slower, faster, s)
	return v.behind(slower, faster, s, s) && v.ratio(slower, faster, s) > 1+v.ownError(s) && len(r.gone)+len(r.turned) == 0
}

// choice is the sentence that says what to choose.
func (v *judgement) choice(far []int) string {
	var near []int
	for f := range v.fabrics {
		if !slices.Contains(far, f) {
			near = append(near, f)
		}
	}
	names := list(v.namesOf(near))
	switch {
	case len(near) == 1 && !v.repeated:
		return fmt.Sprintf("%s takes the least time in this run%s.", names+v.onlyTime(near[0]), v.not(far))
	case len(near) == 1:
		return fmt.Sprintf("Choose %s%s.", names+v.onlyTime(near[0]), v.not(far))
	case !v.repeated:
		return fmt.Sprintf("One run shows no order of %s: weft compare --seeds 5 repeats it%s.", names, v.not(far))
	}
	order := v.ordered(near)
	left := slices.DeleteFunc(slices.Clone(near), func(f int) bool { return slices.Contains(order.behind, f) })
	worse := slices.Concat(order.behind, far)
	switch {
	case len(order.behind) == 0 && !order.mixed:
		return v.undecided(near, far)
	case order.mixed || len(left) == 0:
		return fmt.Sprintf("It depends on the size which of %s leads%s%s.", names, v.aboveError(), v.not(far))
	case len(left) == 1:
		return fmt.Sprintf("Choose %s%s. It leads by up to %s times%s%s.", v.name(left[0]), v.not(worse), times(order.longest), v.aboveError(), order.overReadings())
	}
	return fmt.Sprintf("Choose among %s, which weft cannot tell apart%s.", list(v.namesOf(left)), v.not(worse))
}

// onlyTime is a fabric's time in brackets, if one size is compared: " (2.35 ms)".
func (v *judgement) onlyTime(f int) string {
	if len(v.sizes) > 1 {
		return ""
	}
	return " (" + timeOf(v.points[f][0]) + ")"
}

// not names the fabrics that are not chosen; "" without.
func (v *judgement) not(fabrics []int) string {
	if len(fabrics) == 0 {
		return ""
	}
	return "; not " + list(v.namesOf(fabrics))
}

// order is what solid leads show of near fabrics.
type order struct {
	behind  []int   // another leads them, and they lead it nowhere
	mixed   bool    // two of them lead each other at different sizes
	longest float64 // the longest solid lead
	least   float64 // the least that a solid lead is with another reading; 0 without readings
}

// ordered judges the near fabrics by their solid leads.
func (v *judgement) ordered(near []int) (out order) {
	leads := func(w, f int) (longest float64) {
		for s := range v.sizes {
			if v.solid(f, w, s) {
				longest = max(longest, v.ratio(f, w, s))
				if r := v.readingsOf(f, w, s); out.least == 0 || r.least > 0 && r.least < out.least {
					out.least = r.least
				}
			}
		}
		return longest
	}
	for _, f := range near {
		lost := false
		for _, w := range near {
			if w == f {
				continue
			}
			by, back := leads(w, f), leads(f, w)
			out.longest = max(out.longest, by)
			out.mixed = out.mixed || by > 0 && back > 0
			lost = lost || by > 0 && back == 0
		}
		if lost {
			out.behind = append(out.behind, f)
		}
	}
	return out
}

// undecided says that no lead decides among near fabrics, and why the longest does not.
func (v *judgement) undecided(near, far []int) string {
	names := list(v.namesOf(near))
	longest, slower, faster, at := 0.0, 0, 0, 0
	alike, leaders := true, map[int]bool{}
	for s := range v.sizes {
		for _, f := range near {
			for _, w := range near {
				if w == f {
					continue
				}
				alike = alike && v.alike(f, w, s, s)
				if !v.behind(f, w, s, s) {
					continue
				}
				leaders[v.order(s)[0]] = true
				if x := v.ratio(f, w, s); x > longest {
					longest, slower, faster, at = x, f, w, s
				}
			}
		}
	}
	r := v.readingsOf(slower, faster, at)
	lost, below := len(r.gone)+len(r.turned) > 0, longest <= 1+v.ownError(at)
	var why string
	switch {
	case longest == 0 && alike:
		return fmt.Sprintf("%s are equal here%s.", names, v.not(far))
	case len(v.erratic(near)) > 0:
		text := list(v.namesOf(v.erratic(near))) + " at times takes many times as long as usual, and no mean of it is sure. "
		if longest > 0 {
			return text + fmt.Sprintf("Usually %s leads %s by up to %s times%s.", v.name(faster), v.name(slower), times(longest), v.not(far))
		}
		return text + "No order is shown of what is usual" + v.not(far) + "."
	case longest == 0:
		return fmt.Sprintf("No order of %s is shown: the seeds do not tell them apart at any size%s.", names, v.not(far))
	case below:
		why = "within weft's own error" + v.ownErrors()
	case lost:
		why = "gone with another reading of what is not known"
	case len(leaders) > 1:
		return fmt.Sprintf("It depends on the size which of %s leads; other readings of what is not known were not tested%s.", names, v.not(far))
	default:
		return fmt.Sprintf("%s leads %s by up to %s times; other readings of what is not known were not tested%s.", v.name(faster), v.name(slower), times(longest), v.not(far))
	}
	return fmt.Sprintf("%s are equal here as far as weft can tell%s. The longest lead, %s times, is %s.", names, v.not(far), times(longest), why)
}

// erratic are the fabrics of which some seeds take many times as long as the others at a size.
func (v *judgement) erratic(near []int) (out []int) {
	for _, f := range near {
		if slices.ContainsFunc(v.points[f], func(p results.Point) bool {
			return p.Seeds != nil && contest.Outliers(contest.LogsOf(p.Seeds.TimesPs))
		}) {
			out = append(out, f)
		}
	}
	return out
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

// overReadings says that the solid leads hold over the readings, and how much is left of them; "" without readings.
func (o *order) overReadings() string {
	if o.least == 0 {
		return ""
	}
	return fmt.Sprintf(", and by %s times at least with any other reading of what is not known", times(o.least))
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
func (v *judgement) sure(claims []*claim, far []int) []string {
	if !v.repeated {
		return nil
	}
	kept, all, led := 0, 0, len(far) > 0
	for _, c := range claims {
		led = led || len(c.rivals) > 0
		for _, l := range c.tested {
			kept, all = kept+l.reads.holds, all+l.reads.all()
		}
	}
	var parts []string
	if all > 0 {
		parts = append(parts, fmt.Sprintf("leads hold in %d of %d readings", kept, all))
	}
	if v.ownErrors() == "" && led {
		parts = append(parts, "weft's own error here was not measured")
	}
	if c := v.r.Contest; led && c == nil {
		parts = append(parts, "reasons and other readings were not tested")
	} else if c != nil && c.NotTested != "" {
		parts = append(parts, "reasons and other readings were not tested "+c.NotTested)
	} else if c != nil && len(c.Untested) > 0 {
		parts = append(parts, "reasons not tested (limits of sizes and time): "+list(c.Untested))
	}
	if len(v.once) > 0 {
		parts = append(parts, v.onceText()+" not judged (one run)")
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"How sure: " + strings.Join(parts, "; ") + "." + v.next()}
}

// withoutJitterText says from which size on a single run has no jitter; empty if all have it.
func (v *judgement) withoutJitterText() string {
	for _, size := range v.once {
		if p, _ := point(v.r.Fabrics[v.fabrics[0]], size); p.WithoutJitter {
			if size == v.once[0] {
				return " without jitter"
			}
			return fmt.Sprintf(" (from %s on without jitter)", sizeText(size))
		}
	}
	return ""
}

// onceText are the sizes with one run in words.
func (v *judgement) onceText() string {
	if n := len(v.once); n > 2 {
		return spanOfSizes(v.once[0], v.once[n-1])
	}
	var names []string
	for _, size := range v.once {
		names = append(names, sizeText(size))
	}
	return list(names)
}

// next says what to do with the verdict; "" if nothing is known.
func (v *judgement) next() string {
	var steps []string
	if v.sc != nil && v.sc.Workload.Collective != "" {
		steps = append(steps, "weft calibrate")
	}
	if c := v.r.Contest; c != nil && len(c.Trials) > 0 {
		steps = append(steps, "--details")
	}
	if len(steps) == 0 {
		return ""
	}
	return " Next: " + strings.Join(steps, "; ") + "."
}
