package engine

import (
	"sync"
	"sync/atomic"

	"weft/units"
)

// Partition is a part of a simulation that runs on its own between windows (a simulation
// partition).
type Partition interface {
	// NextTime is the time of its earliest pending event.
	NextTime() units.Time
	// RunTo handles every event earlier than limit. It keeps its messages to other partitions until
	// they call Collect for the same window.
	RunTo(limit units.Time, window uint64)
	// Sent is the earliest time at which one of its messages of the window takes effect elsewhere,
	// units.Forever if there is none.
	Sent(window uint64) units.Time
	// Collect receives the messages of the others from the window.
	Collect(window uint64)
	// Stopped reports that the partition cannot go on: the run ends after the
	// window.
	Stopped() bool
	// Halt is the time at which the run is to end instead of later, units.Forever if there is none.
	// With several partitions it is after the window in which it was set.
	Halt() units.Time
}

// Windows are the stretches of time for which partitions run on their own.
type Windows struct {
	// Lookahead is the shortest time in which one partition can affect another; with more than one
	// partition it must be positive.
	Lookahead units.Time
	// Grain, if not 0, is the unit of time that a partition handles in one go: windows end at
	// multiples of it if possible.
	Grain units.Time
	// Single is the window of a run with one partition: the time for which it continues after stop.
	// It must be positive.
	Single units.Time
}

// end is the end of a window of a length that begins with an event at t.
func (w *Windows) end(t, length units.Time) units.Time {
	end := t + length
	if w.Grain > 0 {
		if whole := end - end%w.Grain; whole > t {
			return whole
		}
	}
	return end
}

// Run runs the partitions until no event is earlier than until, on at most workers goroutines. It
// uses one more for each core that spare has, as long as there are partitions for them, and returns
// these cores. stop ends the run after a window, or holds it there. Results do not depend on workers.
func Run(parts []Partition, windows Windows, until units.Time, workers int, spare *Spare, stop *Stop) {
	if len(parts) == 1 {
		runOne(parts[0], windows, until, stop)
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
			r.next[i][w].time, r.next[i][w].halt = units.Forever, units.Forever // for workers that start later
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

func runOne(p Partition, windows Windows, until units.Time, stop *Stop) {
	for !p.Stopped() && !stop.Ended() {
		t, last := p.NextTime(), min(until, p.Halt())
		if t >= last {
			return
		}
		limit := last
		if t < last-windows.Single {
			limit = windows.end(t, windows.Single)
		}
		p.RunTo(limit, 0)
	}
}

// padded gives each worker its own cache line for writing.
type padded struct {
	time    units.Time
	halt    units.Time
	stopped bool
	_       [64 - 17]byte
}

type run struct {
	parts   []Partition
	windows Windows
	until   units.Time
	spare   *Spare
	stop    *Stop
	workers [2]int      // by the window's parity: the number of workers in the window after it
	next    [2][]padded // by the window's parity, by worker
	barrier barrier
	group   sync.WaitGroup
}

// work runs a worker's partitions, every n-th partition for n workers, from the end of a window on.
// There is one barrier per window: mailboxes and published times alternate between two sets, so
// that a worker may fill one set while a slower one still reads the other.
func (r *run) work(w int, window uint64) {
	for {
		r.barrier.wait(r.stop)
		t, halt, stopped := r.earliest(window)
		if stopped || t >= r.until && halt >= r.until {
			return
		}
		if t >= halt {
			for i := w; i < len(r.parts); i += r.workers[window&1] {
				r.parts[i].Collect(window)
			}
			return
		}
		last := min(r.until, halt)
		workers := r.workers[window&1]
		window++
		limit := last
		if t < last-r.windows.Lookahead {
			limit = r.windows.end(t, r.windows.Lookahead)
		}
		for i := w; i < len(r.parts); i += workers {
			p := r.parts[i]
			p.Collect(window - 1)
			p.RunTo(limit, window)
		}
		r.publish(w, workers, window)
		if w == 0 {
			r.workers[window&1] = workers + r.addWorker(workers, window)
		}
	}
}

// addWorker starts one more worker at the end of a window, if there is a core for it. The barrier
// of that window waits for it too: the first worker, which calls addWorker, has not reached it yet.
func (r *run) addWorker(workers int, window uint64) int {
	if workers == len(r.parts) || !r.spare.Take() {
		return 0
	}
	r.barrier.size.Add(1)
	r.group.Go(func() { r.work(workers, window) })
	return 1
}

// publish stores the earliest pending time of the worker's partitions.
func (r *run) publish(w, workers int, window uint64) {
	t, halt := units.Forever, units.Forever
	stopped := false
	for i := w; i < len(r.parts); i += workers {
		p := r.parts[i]
		t = min(t, p.NextTime(), p.Sent(window))
		halt = min(halt, p.Halt())
		stopped = stopped || p.Stopped()
	}
	if w == 0 && r.stop.Ended() {
		stopped = true
	}
	own := &r.next[window&1][w]
	own.time, own.halt, own.stopped = t, halt, stopped
}

// earliest is the earliest pending time and the earliest halt that any worker published for a window.
func (r *run) earliest(window uint64) (t, halt units.Time, stopped bool) {
	t, halt = units.Forever, units.Forever
	for i := range r.next[window&1] {
		p := &r.next[window&1][i]
		t, halt = min(t, p.time), min(halt, p.halt)
		stopped = stopped || p.stopped
	}
	return t, halt, stopped
}

// barrier is a spinning barrier: windows last microseconds, too short to sleep. After a while a
// waiting worker yields, so that the barrier also works with fewer cores than workers.
type barrier struct {
	size    atomic.Int32
	arrived atomic.Int32
	phase   atomic.Uint32
}

// spins is the number of times that a waiting worker checks before it yields its core.
const spins = 2000

func (b *barrier) wait(stop *Stop) {
	phase := b.phase.Load()
	if b.arrived.Add(1) == b.size.Load() {
		b.arrived.Store(0)
		b.phase.Add(1)
		return
	}
	for i := 0; b.phase.Load() == phase; i++ {
		if i > spins {
			stop.yield()
		}
	}
}
