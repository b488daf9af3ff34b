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

// A race simulates no more than the answer needs. The sizes of a trial are simulated from the least
// work to the most. After each round the log's density bounds what a trial can still have, whatever
// its missing times are. Trials that can have next to nothing wait; they go on if it turns out
// that all others have less. The rounds depend on results alone, not on the number of cores.

// piece is a simulated size of a task.
type piece struct {
	task, size int
	work       float64 // an estimate, to compare pieces
}

// pieces are the simulations of the tasks that a trial changes, from the least work to the most.
func (d *Diagnosis) pieces(changes func(task int) bool) (out []piece) {
	for i, t := range d.Tasks {
		if !changes(i) {
			continue
		}
		for j := range t.simulated {
			out = append(out, piece{i, j, t.work(j)})
		}
	}
	sorting.StableFunc(out, func(a, b piece) int { return cmp.Compare(a.work, b.work) })
	return out
}

// leastWork is the work of a size of no bytes, in bytes of a rank.
const leastWork = 512 << 10

// work estimates the work of a simulated size: the bytes of all ranks.
func (t *Task) work(size int) float64 {
	bytes := float64(t.simulated[size])
	switch t.kind {
	case oneMessage:
		return leastWork
	case bandwidth, copies:
		return leastWork + max(flowBytes, minFlows*bytes)
	}
	return (leastWork + bytes) * float64(t.Ranks())
}

// begin prepares a trial: tasks that it does not change keep the prediction.
func (t *trial) begin(d *Diagnosis) {
	for i, task := range d.Tasks {
		if t.runs[i] == nil {
			t.sizes, t.times = append(t.sizes, nil), append(t.times, d.Predicted[i])
			continue
		}
		t.sizes = append(t.sizes, make([]units.Time, len(task.simulated)))
		t.times = append(t.times, make([]units.Time, len(task.Points)))
	}
	if t.err == nil {
		t.left = d.pieces(func(task int) bool { return t.runs[task] != nil })
	}
}

// advance simulates a trial's next piece.
func (t *trial) advance(ctx context.Context, d *Diagnosis, c *Cluster, o *Options) {
	if t.err = ctx.Err(); t.err != nil {
		return
	}
	p := t.left[0]
	took, err := d.Tasks[p.task].simulateSize(ctx, t.runs[p.task], p.size, c.Hops, o)
	if t.err = err; err == nil {
		t.learn(d, took)
	}
}

// learn gives a trial the time of its next piece.
func (t *trial) learn(d *Diagnosis, took units.Time) {
	p := t.left[0]
	t.sizes[p.task][p.size] = took
	t.times[p.task] = d.Tasks[p.task].compared(t.sizes[p.task])
	t.left = t.left[1:]
}

// race simulates trials until those which are not finished can have next to no probability, or a
// healthy cluster is certain.
func (d *Diagnosis) race(ctx context.Context, c *Cluster, o *Options, trials []*trial) {
	told, known := standing{tell: o.Progress}, d.described()
	for ctx.Err() == nil {
		open := d.unsettled(trials, o.whole)
		next := promising(open)
		if len(next) == 0 {
			return
		}
		first, twins := known.split(d, next, o.whole)
		told.begin(d, trials, first, twins, open)
		o.each(len(first), func(i int, own *Options) {
			t, p := first[i], first[i].left[0]
			if t.advance(ctx, d, c, own); t.err == nil {
				t.done += p.work
				told.advanced(t, p.work)
			}
		})
		known.learn(first)
		for _, t := range twins {
			if took, is := known[t.alike(d)]; is {
				t.learn(d, took)
				told.advanced(t, 0)
			} else { // the other one failed
				t.advance(ctx, d, c, o)
			}
		}
	}
}

// standing is the progress of a race.
type standing struct {
	tell func(sim.Progress) // nil: nobody is told

	mu   sync.Mutex // guards what follows, and is held during calls of tell
	sum  sim.Progress
	done float64 // work
	// left is the work of the round, later that of the trials in the race after it.
	left, later float64
}

// begin begins a round: it simulates the next pieces of some of the open trials, which twins have
// without.
func (s *standing) begin(d *Diagnosis, trials, first, twins []*trial, open []runner) {
	*s = standing{tell: s.tell, sum: sim.Progress{Total: len(open)}}
	for _, p := range d.pieces(func(int) bool { return true }) { // of the cluster as described
		s.done += p.work
	}
	for _, t := range trials {
		s.done += t.done
		if t.finished() {
			s.sum.Done, s.sum.Total = s.sum.Done+1, s.sum.Total+1
		}
	}
	for _, r := range open {
		for _, p := range r.left {
			s.later += p.work
		}
	}
	for _, t := range first {
		s.left += t.left[0].work
		s.later -= t.left[0].work
	}
	for _, t := range twins {
		s.later -= t.left[0].work
	}
}

// advanced counts a piece of a trial.
func (s *standing) advanced(t *trial, work float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.left = s.done+work, s.left-work
	if t.finished() {
		s.sum.Done++
	}
	s.sum.Share = s.done / (s.done + s.left + likelyPart*s.later)
	s.sum.Fabric = t.ID + ": " + t.label
	if s.tell != nil {
		s.tell(s.sum)
	}
}

// likelyPart is the part of the work of later rounds that is done before trials drop out: by
// experience.
const likelyPart = .6

// promising are the trials whose next piece is simulated: if any piece is cheap, all that have one,
// else the most promising ones.
func promising(open []runner) (out []*trial) {
	most := 0.
	for _, r := range open {
		most = max(most, r.left[len(r.left)-1].work)
	}
	isCheap := func(r runner) bool { return r.left[0].work <= most/cheapPiece }
	goesOn := isCheap
	if len(open) > 0 && !slices.ContainsFunc(open, isCheap) {
		best := slices.MaxFunc(open, byEvidence).evidence
		goesOn = func(r runner) bool { return r.evidence >= best-nearBest }
	}
	for _, r := range open {
		if goesOn(r) {
			out = append(out, r.trial)
		}
	}
	return out
}

const (
	cheapPiece = 8    // part of the work of the largest piece that is simulated for all trials
	nearBest   = 2.31 // logarithm of the factor to the most promising trial of those that go on: 10
)

// runner is a trial in the race, with the logarithm of the evidence that states which need it can
// have.
type runner struct {
	*trial
	evidence float64
}

// unsettled are the trials that are not finished and whose missing sizes the answer needs, in
// order. The states of all others have together less probability than what is worth telling.
func (d *Diagnosis) unsettled(trials []*trial, whole bool) (open []runner) {
	all := d.weigh(trials)
	if d.Healthy >= certain && !whole {
		return nil
	}
	waiting, weighs := make(map[*trial][]float64), make(map[*trial]bool)
	for _, w := range all {
		for _, s := range slices.Concat(w.families...) {
			for _, t := range s.unfinished {
				waiting[t] = append(waiting[t], s.evidence)
				// The states that a named hypothesis has in all decide on the probability of each.
				weighs[t] = weighs[t] || w.share >= worthTelling && !d.differs(s.times)
			}
		}
	}
	for _, t := range trials {
		if t.err == nil && !t.finished() {
			open = append(open, runner{t, logSum(waiting[t])})
		}
	}
	if whole {
		return open
	}
	sum, spare, most := 0., make(map[*trial]bool), d.spared(all)
	for _, r := range slices.SortedStableFunc(slices.Values(open), byEvidence) {
		if sum += math.Exp(r.evidence - d.evidence); sum > most {
			break
		}
		spare[r.trial] = !weighs[r.trial]
	}
	return slices.DeleteFunc(open, func(r runner) bool { return spare[r.trial] })
}

// spared is the probability that trials together may have which are not finished: less if the
// verdict depends on it.
func (d *Diagnosis) spared(all []weighed) float64 {
	first := d.Healthy
	if len(all) > 0 {
		first = max(first, all[0].share)
	}
	if math.Abs(first-likely) < d.Open {
		return worthTelling / 10
	}
	return worthTelling
}

func byEvidence(a, b runner) int { return cmp.Compare(a.evidence, b.evidence) }

// cut says at which size the simulations of a trial that is not finished end.
func (t *trial) cut(d *Diagnosis) string {
	p := t.left[0]
	if p.size == 0 {
		return ""
	}
	return units.Bytes(d.Tasks[p.task].simulated[p.size-1]).String()
}

// excluded says of a hypothesis with the given probability at most why none of its trials is
// finished.
func excluded(cut string, share float64) string {
	most := fmt.Sprintf("at most %.1f %%", 100*share)
	if share < .001 {
		most = "less than 0.1 %"
	}
	if cut == "" {
		return fmt.Sprintf("it can have %s, whatever times it gives", most)
	}
	return fmt.Sprintf("it has %s by the sizes up to %s; larger ones are not simulated", most, cut)
}
