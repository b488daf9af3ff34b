package calibrate

// between are the next trials: for each of the likeliest hypotheses the interpolated state that
// makes the log most probable.
func (d *Diagnosis) between(c *Cluster, trials []*trial) (out []*trial) {
	all := d.weigh(trials)
	for i := range all[:min(len(all), refinedHypotheses)] {
		best := all[i].best()
		if best == nil || best.simulated || all[i].share < worthTelling || d.Healthy >= certain {
			continue
		}
		of, scale := best.of, best.scale
		out = append(out, d.trial(c, of.Hypothesis, of.order, func(task *Task) (variant, bool) {
			variants, _ := of.possible(c, d.Log, task)
			for _, v := range variants {
				if v.grade.family == of.grade.family {
					return v.grade.at(scale), of.concerns(task)
				}
			}
			return variant{}, false
		}))
	}
	return out
}
