package calibrate

import (
	"cmp"
	"math"
	"slices"
)

// point is a severity that was simulated, or the one that changes nothing.
type point struct {
	scale, mean float64
}

// between are the trials that come next: of each of the likeliest families one at a
// severity between two that were tried, of which one is too mild and the other too bad.
func (d *Diagnosis) between(c *Cluster, trials []*trial) (out []*trial) {
	for _, best := range d.likeliestFamilies(trials) {
		scale, ok := d.nextScale(best, trials)
		if !ok {
			continue
		}
		label := best.grade.at(scale).label
		if slices.ContainsFunc(trials, func(t *trial) bool { return t.Hypothesis == best.Hypothesis && t.label == label }) {
			continue // as fine as it gets
		}
		out = append(out, d.trial(c, best.Hypothesis, best.order, func(task *Task) (variant, bool) {
			variants, _ := best.variants(c, task)
			i := slices.IndexFunc(variants, func(v variant) bool { return v.grade.family == best.grade.family })
			if i < 0 || !best.concerns(task) {
				return variant{}, false
			}
			return variants[i].grade.at(scale), true
		}))
	}
	return out
}

// likeliestFamilies are the best trials of the families that match best, where that is
// better than the cluster as it is and not as good as the log can tell.
func (d *Diagnosis) likeliestFamilies(trials []*trial) []*trial {
	type family struct {
		h    *Hypothesis
		name string
	}
	best := make(map[family]*trial)
	var order []family
	for _, t := range trials {
		if t.err != nil || t.grade.at == nil {
			continue
		}
		f := family{t.Hypothesis, t.grade.family}
		if best[f] == nil {
			order = append(order, f)
		}
		if best[f] == nil || t.match.rms() < best[f].match.rms() {
			best[f] = t
		}
	}
	var out []*trial
	for _, f := range order {
		if m := best[f].match.rms(); m < d.Match-sameMatch && m > d.Noise {
			out = append(out, best[f])
		}
	}
	slices.SortStableFunc(out, func(a, b *trial) int { return cmp.Compare(a.match.rms(), b.match.rms()) })
	return out[:min(len(out), refinedFamilies)]
}

// nextScale is where the mean error of a family is expected to be none: between the two
// neighbours next to its best on either side of that, by the secant on logarithms.
func (d *Diagnosis) nextScale(best *trial, trials []*trial) (float64, bool) {
	var points []point
	if best.grade.sound > 0 {
		points = append(points, point{best.grade.sound, d.mean})
	}
	for _, t := range trials {
		if t.Hypothesis == best.Hypothesis && t.grade.family == best.grade.family && t.err == nil && t.grade.at != nil {
			points = append(points, point{t.grade.scale, t.match.mean()})
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.scale, b.scale) })
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		near := a.scale == best.grade.scale || b.scale == best.grade.scale
		if near && a.scale > 0 && (a.mean < 0) != (b.mean < 0) {
			part := min(.9, max(.1, a.mean/(a.mean-b.mean)))
			return math.Exp(math.Log(a.scale) + part*math.Log(b.scale/a.scale)), true
		}
	}
	return 0, false
}
