package jobs

import "weft/scenario"

// stacks are the scenario with each stack, if it names none and has no share of the kernels' rate of its own. --scale has the
// usual one.
func (x *trainFlags) stacks(file *scenario.File, r *scenario.Resolved) (out []*scenario.Resolved, err error) {
	if r.Training.Stack != "" || file.Writes("training.framework") || len(x.scale) > 0 {
		return nil, nil
	}
	for _, stack := range scenario.Values[scenario.Stack]() {
		own, err := x.ResolveWith(file, nil, []scenario.Override{scenario.Set("training.stack", string(stack), "training.stack")})
		if err != nil {
			return nil, err
		}
		out = append(out, own)
	}
	return out, nil
}
