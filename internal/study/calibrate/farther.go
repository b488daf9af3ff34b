package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"weft/internal/base/sorting"
	"weft/internal/sim"
	"weft/units"
)

// Causes are simulated at the sizes that take little time. The cluster as described is simulated at farther ones, too, and
// what its times there are over the extrapolated ones corrects those of causes. A cause under which NCCL chooses otherwise
// from such a size on has other times. So the causes that fit best at smaller sizes go on to the farther ones, from size to
// size fewer.

// extrapolated reports whether a size is above the largest one that is simulated of every cause.
func (t *Task) extrapolated(bytes int64) bool { return bytes > t.simulated[len(t.simulated)-1] }

// reached is the largest size that is simulated of what has gone on to a number of farther sizes.
func (t *Task) reached(stages int) int64 {
	if n := min(stages, len(t.farther)); n > 0 {
		return t.farther[n-1]
	}
	return t.simulated[len(t.simulated)-1]
}

// extend simulates the cluster as described at the farther sizes.
func (t *Task) extend(ctx context.Context, c *Cluster, o *Options, simulated []units.Time) error {
	limit := max(t.reached(0)*fartherBy, min(t.Points[0].Bytes, farthest))
	for i := range t.Points {
		if b := t.Points[i].Bytes; t.kind == collective && t.extrapolated(b) && b <= limit && o.MaxSize == 0 {
			t.farther = append(t.farther, b)
		}
	}
	t.widen()
	if len(t.farther) == 0 {
		return nil
	}
	t.Skipped += fmt.Sprintf("; to %s also the cluster as described is simulated, and the causes that fit best", units.Bytes(t.reached(len(t.farther))))
	far := *t
	far.simulated = t.farther
	times, err := far.run(ctx, t.base, c.Hops, o)
	t.described = slices.Concat(simulated, times)
	return err
}

// compared computes the times of the compared sizes from those of the simulated sizes, and of farther ones as far as they
// are known. What the cluster as described takes above them, over the line through its own, corrects the line. A time of 0
// is not known, nor is one that follows from it.
func (t *Task) compared(times []units.Time) []units.Time {
	return t.like(t.described, times)
}

// like is compared by what another cluster takes at all sizes: nil if it is not known.
func (t *Task) like(other, times []units.Time) []units.Time {
	out := t.line(times)
	if other == nil {
		return out
	}
	whole, line := t.line(other), t.line(other[:len(times)])
	for i := range out {
		if bytes := t.Points[i].Bytes; bytes > t.reached(len(times)-len(t.simulated)) && out[i] != unknown {
			out[i] = max(units.Time(float64(out[i])*(float64(whole[i])/float64(line[i]))), t.least(bytes))
		}
	}
	return out
}

// line are the times of the compared sizes. Above the largest size with a time, time grows with the bandwidth between the
// two largest. Lost packets can make the largest size the faster of the two; then time grows in proportion to the bytes.
func (t *Task) line(times []units.Time) (out []units.Time) {
	n, sizes := len(times), slices.Concat(t.simulated, t.farther)[:len(times)]
	for i := range t.Points {
		bytes := t.Points[i].Bytes
		if at, ok := slices.BinarySearch(sizes, bytes); ok {
			out = append(out, times[at])
			continue
		}
		if times[n-1] == unknown || times[n-2] == unknown {
			out = append(out, unknown)
			continue
		}
		slope := float64(times[n-1]-times[n-2]) / float64(sizes[n-1]-sizes[n-2])
		if slope <= 0 {
			slope = float64(times[n-1]) / float64(sizes[n-1])
		}
		took := times[n-1] + units.Time(math.Round(slope*float64(bytes-sizes[n-1])))
		out = append(out, max(took, t.least(bytes)))
	}
	return out
}

// straight is the deviation of ln(time) up to which an extrapolated time is taken for one that was
// simulated: the cluster as described went on as at smaller sizes.
const straight = .1

// convicts reports whether the time of a cause at a point can convict: it was simulated, or the
// cluster as described shows that times go on to there as at smaller sizes.
func (t *Task) convicts(point int, e *Explanation) bool {
	b := t.Points[point].Bytes
	if b <= t.reached(e.stages) {
		return true
	}
	if b > t.reached(len(t.farther)) {
		return false
	}
	n := len(t.simulated)
	return math.Abs(offBy(t.line(t.described[:n])[point], t.line(t.described)[point])) < straight
}

// farSpread is the error of ln(time) that a factor of four beyond the largest simulated size adds: an
// assumption. NCCL may choose otherwise there.
const farSpread = .05

// widen adds to the known error of the sizes beyond the last one that is simulated.
func (t *Task) widen() {
	last := t.reached(len(t.farther))
	for i := range t.Points {
		if p := &t.Points[i]; t.kind == collective && p.Bytes > last {
			p.Known = math.Hypot(p.Known, farSpread*math.Log(float64(p.Bytes)/float64(last))/math.Log(4))
		}
	}
}

// goFarther has the causes that fit best at smaller sizes go on to the farther ones, and then those which the new times make
// the first. The trials that it returns have the times; the given ones keep theirs.
func (d *Diagnosis) goFarther(ctx context.Context, c *Cluster, o *Options, trials []*trial) ([]*trial, error) {
	stages := 0
	for _, t := range d.Tasks {
		stages = max(stages, len(t.farther))
	}
	if d.weigh(trials); d.Healthy >= certain*(1-d.Open) { // by the causes whose times are known
		return trials, nil
	}
	trials = slices.Clone(trials)
	for range 1 + farRounds {
		d.race(ctx, c, o, trials) // those that new times leave a chance
		for stage := range stages {
			d.goOn(ctx, c, o, trials, d.finalists(trials, stage))
		}
		d.likeNearest(trials)
		if first := d.first(trials); first != nil {
			for first.stages < stages && first.err == nil && ctx.Err() == nil {
				at := slices.Index(trials, first)
				d.goOn(ctx, c, o, trials, [][]int{ofKind(trials, first.kind())})
				first = trials[at]
			}
		}
		d.likeNearest(trials)
	}
	return trials, ctx.Err()
}

// likeNearest corrects the times of trials that are not simulated at all farther sizes by the one that is and took the most
// similar times at the smaller sizes: the cluster as described, or a trial.
func (d *Diagnosis) likeNearest(trials []*trial) {
	for i, task := range d.Tasks {
		if len(task.farther) == 0 {
			continue
		}
		all := [][]units.Time{task.described}
		for _, t := range trials {
			if t.err == nil && len(t.sizes[i]) == len(task.described) {
				all = append(all, t.sizes[i])
			}
		}
		for at, t := range trials {
			if n := len(t.sizes[i]); t.err == nil && t.finished() && n > 0 && n < len(task.described) {
				nearest := slices.MinFunc(all, func(a, b []units.Time) int { return cmp.Compare(apart(a, t.sizes[i]), apart(b, t.sizes[i])) })
				final := *t
				final.times = slices.Clone(t.times)
				final.times[i] = task.like(nearest, t.sizes[i])
				trials[at] = &final
			}
		}
	}
}

// apart is how far times of the first sizes are from others.
func apart(whole, times []units.Time) (sum float64) {
	for i, took := range times {
		sum += math.Abs(offBy(whole[i], took))
	}
	return sum
}

// first is the trial that represents the likeliest hypothesis; nil if it is between two trials.
func (d *Diagnosis) first(trials []*trial) *trial {
	if all := d.weigh(trials); len(all) > 0 {
		if best := all[0].best(); best != nil && best.simulated {
			return best.of
		}
	}
	return nil
}

// kind is what trials have in common that took the same at every size: they take the same at the next one, too, and one
// simulation is enough for all.
func (t *trial) kind() string {
	if t.random {
		return fmt.Sprint(t.ID, t.label)
	}
	return fmt.Sprint(t.sizes)
}

// ofKind are the places of trials of a kind.
func ofKind(trials []*trial, kind string) (out []int) {
	for i, t := range trials {
		if t.kind() == kind {
			out = append(out, i)
		}
	}
	return out
}

// finalists are the trials that go on to the next farther size, by kind: their places. Those that have gone on before count.
func (d *Diagnosis) finalists(trials []*trial, stage int) (out [][]int) {
	density, places := make(map[int]float64), []int{}
	for i, t := range trials {
		if t.err == nil && t.finished() && t.stages >= stage && d.shows(t.times) {
			density[i], places = d.density(d.upTo(stage, t.times), faulty), append(places, i)
		}
	}
	sorting.StableFunc(places, func(a, b int) int { return cmp.Compare(density[b], density[a]) })
	most := farKinds
	for _, t := range d.Tasks {
		if stage < len(t.farther) {
			most = min(most, max(leastFar, int(farKinds*4*t.reached(0)/t.farther[stage])))
		}
	}
	kinds := make(map[string]bool)
	for _, i := range places {
		t := trials[i]
		if kind := t.kind(); !kinds[kind] && len(kinds) < most && density[i] >= density[places[0]]-nearBest {
			if kinds[kind] = true; t.stages == stage {
				out = append(out, ofKind(trials, kind))
			}
		}
	}
	return out
}

// upTo are times without those of sizes above what has been simulated at a stage.
func (d *Diagnosis) upTo(stage int, times [][]units.Time) (out [][]units.Time) {
	for i, t := range d.Tasks {
		task := slices.Clone(times[i])
		for j := range task {
			if t.Points[j].Bytes > t.reached(stage) {
				task[j] = unknown
			}
		}
		out = append(out, task)
	}
	return out
}

// goOn simulates one trial of each kind at its next farther size. Trials with the times take the places of those without.
func (d *Diagnosis) goOn(ctx context.Context, c *Cluster, o *Options, trials []*trial, kinds [][]int) {
	var mu sync.Mutex
	done := 0
	o.each(len(kinds), func(i int, own *Options) {
		farther := trials[kinds[i][0]].farther(ctx, d, c, own)
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		for _, at := range kinds[i] {
			t := *trials[at]
			t.sizes, t.times, t.stages, t.err = farther.sizes, farther.times, farther.stages, farther.err
			trials[at] = &t
		}
		if done++; o.Progress != nil {
			o.Progress(sim.Progress{Done: done, Total: len(kinds), Fabric: fmt.Sprintf("%s: %s, larger sizes", farther.ID, farther.label)})
		}
	})
}

// farther is a trial with its next farther size.
func (t *trial) farther(ctx context.Context, d *Diagnosis, c *Cluster, o *Options) *trial {
	out := *t
	out.sizes, out.times = slices.Clone(t.sizes), slices.Clone(t.times)
	for i, task := range d.Tasks {
		if t.runs[i] == nil || t.stages >= len(task.farther) {
			continue
		}
		took, err := task.simulateSize(ctx, t.runs[i], len(task.simulated)+t.stages, c.Hops, o)
		if err != nil {
			out.err = err
			return &out
		}
		out.sizes[i] = append(slices.Clip(t.sizes[i]), took)
		out.times[i] = task.compared(out.sizes[i])
	}
	out.stages++
	return &out
}
