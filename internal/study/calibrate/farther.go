package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"weft/internal/sim"
	"weft/scenario"
	"weft/units"
)

// Causes are simulated at the sizes that take little time. The cluster as described is simulated at larger ones, too, and
// what its times there are over the extrapolated ones corrects those of causes. A cause under which NCCL chooses otherwise
// from such a size on has other times, so the causes that fit best at smaller sizes are simulated there in the end.

// extrapolated reports whether a size is above the largest one that is simulated of every cause.
func (t *Task) extrapolated(bytes int64) bool { return bytes > t.simulated[len(t.simulated)-1] }

// reached is the largest size at which the cluster as described is simulated.
func (t *Task) reached() int64 {
	if n := len(t.farther); n > 0 {
		return t.farther[n-1]
	}
	return t.simulated[len(t.simulated)-1]
}

// extend simulates the cluster as described at the farther sizes.
func (t *Task) extend(ctx context.Context, c *Cluster, o *Options, simulated []units.Time) error {
	limit := max(t.reached()*fartherBy, min(t.Points[0].Bytes, farthest))
	for i := range t.Points {
		if b := t.Points[i].Bytes; t.kind == collective && t.extrapolated(b) && b <= limit && o.MaxSize == 0 {
			t.farther = append(t.farther, b)
		}
	}
	line := t.compared(simulated)
	times, err := t.beyond(ctx, t.base, c.Hops, o, line)
	if err != nil {
		return err
	}
	for i := range t.Points {
		t.corrections = append(t.corrections, float64(times[i])/float64(line[i]))
	}
	t.widen()
	return nil
}

// beyond are times with those at the farther sizes simulated. Above all of these the last one over its extrapolated time
// corrects the times.
func (t *Task) beyond(ctx context.Context, r *scenario.Resolved, hops int, o *Options, line []units.Time) ([]units.Time, error) {
	if len(t.farther) == 0 {
		return line, nil
	}
	far := *t
	far.simulated = t.farther
	times, err := far.run(ctx, r, hops, o)
	if err != nil {
		return nil, err
	}
	out, factor := slices.Clone(line), 1.
	for i := range t.Points {
		bytes := t.Points[i].Bytes
		if at, ok := slices.BinarySearch(t.farther, bytes); ok {
			out[i], factor = times[at], float64(times[at])/float64(line[i])
		} else if t.extrapolated(bytes) {
			out[i] = max(units.Time(factor*float64(line[i])), t.least(bytes))
		}
	}
	return out, nil
}

// straight is the deviation of ln(time) up to which an extrapolated time is taken for one that was
// simulated: the cluster as described went on as at smaller sizes.
const straight = .1

// convicts reports whether the time of a cause at a point can convict: it was simulated, or the
// cluster as described shows that times go on to there as at smaller sizes.
func (t *Task) convicts(point int, e *Explanation) bool {
	b := t.Points[point].Bytes
	return !t.extrapolated(b) || b <= t.reached() && (e.farther || math.Abs(math.Log(t.corrections[point])) < straight)
}

// farSpread is the error of ln(time) that a factor of four beyond the largest simulated size adds: an
// assumption. NCCL may choose otherwise there.
const farSpread = .05

// widen adds to the known error of the sizes beyond the last one that is simulated.
func (t *Task) widen() {
	last := t.reached()
	for i := range t.Points {
		if p := &t.Points[i]; t.kind == collective && p.Bytes > last {
			p.Known = math.Hypot(p.Known, farSpread*math.Log(float64(p.Bytes)/float64(last))/math.Log(4))
		}
	}
}

// goFarther simulates the likeliest causes at the farther sizes: those that fit best at smaller ones, then those which are
// the likeliest by the new times. The trials that it returns have the times; the given ones keep theirs.
func (d *Diagnosis) goFarther(ctx context.Context, c *Cluster, o *Options, trials []*trial) ([]*trial, error) {
	trials = slices.Clone(trials)
	for range farRounds {
		next := d.finalists(trials)
		for i, at := range next {
			if o.Progress != nil {
				o.Progress(sim.Progress{Done: i, Total: len(next), Fabric: fmt.Sprintf("%s: %s, larger sizes", trials[at].ID, trials[at].label)})
			}
			final := *trials[at]
			final.farther, final.times = true, slices.Clone(final.times)
			for j, t := range d.Tasks {
				if final.err == nil && final.runs[j] != nil {
					final.times[j], final.err = t.beyond(ctx, final.runs[j], c.Hops, o, final.times[j])
				}
			}
			if err := ctx.Err(); err != nil {
				return trials, err
			}
			trials[at] = &final
		}
		d.race(ctx, c, o, trials) // those that the new times leave a chance
		if err := ctx.Err(); err != nil || len(next) == 0 {
			return trials, err
		}
	}
	return trials, nil
}

// The bounds of goFarther: a round takes a trial for each second or two of the answer.
const (
	farRounds = 3 // the first, and two for those that come first by the new times
	farKinds  = 3 // of times at smaller sizes, in a round
	farTrials = 8 // in a round
)

// finalists are the next trials to simulate at the farther sizes, by their places. If small sizes leave no cause a chance,
// there are none.
func (d *Diagnosis) finalists(trials []*trial) (out []int) {
	all := d.weigh(trials)
	isFar := func(t *Task) bool { return len(t.farther) > 0 }
	if d.Healthy >= certain || !slices.ContainsFunc(d.Tasks, isFar) {
		return nil
	}
	near, places := make(map[int]float64), []int{}
	for i, t := range trials {
		if t.err == nil && t.finished() && d.shows(t.times) {
			near[i], places = d.density(d.withoutLarge(t.times), faulty), append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	kinds := make(map[string]bool)
	for _, i := range places {
		kinds[fmt.Sprint(trials[i].sizes)] = true
		if len(kinds) > farKinds || len(out) == farTrials || near[i] < near[places[0]]-nearBest {
			break
		}
		out = append(out, i)
	}
	if len(all) > 0 {
		if best := all[0].best(); best != nil && best.simulated {
			if at := slices.Index(trials, best.of); !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	return slices.DeleteFunc(out, func(i int) bool { return trials[i].farther })
}

// withoutLarge are times without those of sizes at which not every cause is simulated.
func (d *Diagnosis) withoutLarge(times [][]units.Time) (out [][]units.Time) {
	for i, t := range d.Tasks {
		task := slices.Clone(times[i])
		for j := range task {
			if t.extrapolated(t.Points[j].Bytes) {
				task[j] = unknown
			}
		}
		out = append(out, task)
	}
	return out
}
