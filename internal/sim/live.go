package sim

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"

	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/results"
)

// Live shows a run in progress. [Options].Live takes it; the zero value is ready. Its methods may be called
// by any goroutine, before, during and after the run. What it shows ends with the last closed interval of the
// record (docs/UI.md): at most 1/16 of a simulation's time is missing, and nothing when it has ended.
type Live struct {
	// SeriesOnly leaves out the counters of NICs' ports, which Series does not show.
	SeriesOnly bool

	watch atomic.Pointer[watch]

	ended []*measure.Counters // by fabric; nil if none of its simulations has ended. The watch's lock guards it
}

// Expect adds simulations that package training runs by itself to those that a Live shows.
func Expect(l *Live, n int) {
	l.watch.CompareAndSwap(nil, &watch{running: make(map[*job]*network.Network), live: l})
	l.watch.Load().more(n)
}

// Show lets a Live show one of the expected simulations, on a fabric. Its plan, which no other simulation has,
// records. The caller calls ended behind it.
func Show(l *Live, fabric int, plan *network.Plan) (ended func()) {
	w, j := l.watch.Load(), &job{Task: network.Task{Plan: plan}, fabric: fabric}
	plan.CountPorts = !l.SeriesOnly
	plan.Started = func(n *network.Network) { w.started(j, n) }
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if n := w.running[j]; n != nil {
			l.add(j, n)
			_, events, hops := n.Progress()
			w.sum.Events += events
			w.sum.Hops += hops
		}
		delete(w.running, j)
		w.sum.Done++
	}
}

// Progress is the progress of the run.
func (l *Live) Progress() (p Progress) {
	if w := l.watch.Load(); w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		p = w.progress()
	}
	return p
}

// Series is what the running simulations have recorded of their links so far, the smallest first. Each call
// copies the records, 117 MB at most for each simulation.
func (l *Live) Series() (series []*results.Series) {
	w := l.watch.Load()
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range w.jobs() {
		if s := measure.SeriesSoFar(w.running[j]); s != nil {
			s.Simulation.Bytes, s.Simulation.Simulation = int64(j.Bytes), j.number
			series = append(series, s)
		}
	}
	return series
}

// jobs are the running simulations that are shown, in the order of their sizes and fabrics. The caller has locked w.
func (w *watch) jobs() []*job {
	all := slices.SortedFunc(maps.Keys(w.running), func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.fabric, b.fabric))
	})
	return slices.DeleteFunc(all, func(j *job) bool { return j.hidden })
}

// Counters are the counters of each fabric so far, summed over the simulations of the first seed that have
// ended or run: they never decrease. A fabric without such a simulation is missing.
func (l *Live) Counters() (counters []*measure.Counters) {
	w := l.watch.Load()
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	sums := make([]*measure.Counters, len(l.ended))
	for i, c := range l.ended {
		if c != nil {
			sums[i] = c.Clone()
		}
	}
	for _, j := range w.jobs() {
		sums = addCounters(sums, j, w.running[j])
	}
	return slices.DeleteFunc(sums, func(c *measure.Counters) bool { return c == nil })
}

// add keeps the counters of a simulation that has ended. The caller has locked the watch.
func (l *Live) add(j *job, n *network.Network) { l.ended = addCounters(l.ended, j, n) }

// addCounters adds the counters of a simulation to its fabric's.
func addCounters(sums []*measure.Counters, j *job, n *network.Network) []*measure.Counters {
	if j.Plan.Series == nil {
		return sums // another seed
	}
	for len(sums) <= j.fabric {
		sums = append(sums, nil)
	}
	if sums[j.fabric] == nil {
		sums[j.fabric] = new(measure.Counters)
	}
	sums[j.fabric].Add(n)
	return sums
}
