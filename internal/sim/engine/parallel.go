package engine

import (
	"runtime"
	"sync"
	"sync/atomic"

	"weft/units"
)

// Partition is a part of a simulation that runs on its own between windows.
type Partition interface {
	// NextTime is the time of its earliest pending event.
	NextTime() units.Time
	// RunTo handles every event earlier than limit. What it sends to other
	// partitions it keeps until they call Collect for the same window.
	RunTo(limit units.Time, window uint64)
	// Sent is the earliest time at which something that it sent in the window
	// takes effect elsewhere, units.Forever if nothing.
	Sent(window uint64) units.Time
	// Collect takes in what the others sent to it in the window.
	Collect(window uint64)
	// Stopped reports that the partition cannot go on: the run ends after the
	// window.
	Stopped() bool
}

// Windows are the stretches of time for which partitions run on their own.
type Windows struct {
	// Lookahead is the shortest time in which anything that one partition does can reach
	// another; with more than one partition it must be positive.
	Lookahead units.Time
	// Grain, if not 0, is what partitions handle in one go: windows end at multiples of
	// it where they can.
	Grain units.Time
}

// end is when a window ends that begins with an event at t.
func (w *Windows) end(t units.Time) units.Time {
	end := t + w.Lookahead
	if w.Grain > 0 {
		if whole := end - end%w.Grain; whole > t {
			return whole
		}
	}
	return end
}

// Run drives the partitions until no event is earlier than until, on at most
// workers goroutines, and on one more for each core that spare has, as long as there
// are partitions for them; what it took it gives back. stop, if not nil, ends the run after
// the window in which it becomes true. Results do not depend on workers.
func Run(parts []Partition, windows Windows, until units.Time, workers int, spare *Spare, stop *atomic.Bool) {
	if len(parts) == 1 {
		runOne(parts[0], until, stop)
		return
	}
	if windows.Lookahead <= 0 {
		panic("engine: partitions need a positive lookahead")
	}
	workers = min(workers, len(parts))
	r := &run{parts: parts, windows: windows, until: until, spare: spare, stop: stop, workers: [2]int{workers, workers}}
	r.barrier.size.Store(int32(workers))
	for i := range r.next {
		r.next[i] = make([]padded, len(parts))
		for w := range r.next[i] {
			r.next[i][w].time = units.Forever // of workers that are still to come
		}
	}
	for w := range workers {
		r.publish(w, workers, 0)
	}
	for w := 1; w < workers; w++ {
		r.group.Go(func() { r.work(w, 0) })
	}
	r.work(0, 0)
	r.group.Wait()
	spare.Give(int(r.barrier.size.Load()) - workers)
}

// checkEvery bounds how long a run of one partition goes on after stop.
const checkEvery = 50 * units.Microsecond

func runOne(p Partition, until units.Time, stop *atomic.Bool) {
	for !p.Stopped() && (stop == nil || !stop.Load()) {
		t := p.NextTime()
		if t >= until {
			return
		}
		limit := until
		if t < until-checkEvery {
			limit = t + checkEvery
		}
		p.RunTo(limit, 0)
	}
}

// padded keeps what workers write on cache lines of their own.
type padded struct {
	time    units.Time
	stopped bool
	_       [64 - 9]byte
}

type run struct {
	parts   []Partition
	windows Windows
	until   units.Time
	spare   *Spare
	stop    *atomic.Bool
	workers [2]int      // by the window's parity: how many there are in the window after it
	next    [2][]padded // by the window's parity, by worker
	barrier barrier
	group   sync.WaitGroup
}

// work runs a worker's partitions, every so-manieth as there are workers, from the end of
// a window on. There is one barrier a window: mailboxes and published times alternate
// between two sets, so that one may be filled while a slower neighbour still reads the
// other.
func (r *run) work(w int, window uint64) {
	for {
		r.barrier.wait()
		t, stopped := r.earliest(window)
		if stopped || t >= r.until {
			return
		}
		workers := r.workers[window&1]
		window++
		limit := r.until
		if t < r.until-r.windows.Lookahead {
			limit = r.windows.end(t)
		}
		for i := w; i < len(r.parts); i += workers {
			p := r.parts[i]
			p.Collect(window - 1)
			p.RunTo(limit, window)
		}
		r.publish(w, workers, window)
		if w == 0 {
			r.workers[window&1] = workers + r.hire(workers, window)
		}
	}
}

// hire has one more worker begin at the end of a window, if there is a core for it. The
// barrier of that window waits for it too: the first worker, who hires, is not there yet.
func (r *run) hire(workers int, window uint64) int {
	if workers == len(r.parts) || !r.spare.Take() {
		return 0
	}
	r.barrier.size.Add(1)
	r.group.Go(func() { r.work(workers, window) })
	return 1
}

// publish notes the earliest time that the worker's partitions know of.
func (r *run) publish(w, workers int, window uint64) {
	t := units.Forever
	stopped := false
	for i := w; i < len(r.parts); i += workers {
		p := r.parts[i]
		t = min(t, p.NextTime(), p.Sent(window))
		stopped = stopped || p.Stopped()
	}
	if w == 0 && r.stop != nil && r.stop.Load() {
		stopped = true
	}
	own := &r.next[window&1][w]
	own.time, own.stopped = t, stopped
}

// earliest is the earliest time that any worker published for a window.
func (r *run) earliest(window uint64) (units.Time, bool) {
	t, stopped := units.Forever, false
	for i := range r.next[window&1] {
		p := &r.next[window&1][i]
		t = min(t, p.time)
		stopped = stopped || p.stopped
	}
	return t, stopped
}

// barrier is a spinning barrier: windows last microseconds, too short to sleep.
// After a while it yields, so that it also works with fewer cores than workers.
type barrier struct {
	size    atomic.Int32
	arrived atomic.Int32
	phase   atomic.Uint32
}

// spins is how often a waiting worker looks before it yields its core.
const spins = 2000

func (b *barrier) wait() {
	phase := b.phase.Load()
	if b.arrived.Add(1) == b.size.Load() {
		b.arrived.Store(0)
		b.phase.Add(1)
		return
	}
	for i := 0; b.phase.Load() == phase; i++ {
		if i > spins {
			runtime.Gosched()
		}
	}
}
