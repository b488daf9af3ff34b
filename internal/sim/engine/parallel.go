package engine

import (
	"sync"
	"sync/atomic"

	"weft/internal/base/cores"
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
	r := &run{parts: parts, windows: windows, until: until, spare: spare, stop: stop}
	crew := cores.NewCrew(spare.lullOf())
	r.crew = crew
	r.simulate(crew.First(workers))
}

// simulate runs the partitions on a number of workers at first.
func (r *run) simulate(workers int) {
	r.workers = [2]int{workers, workers}
	r.barrier.size.Store(int32(workers))
	for i := range r.next {
		r.next[i] = make([]padded, len(r.parts))
	}
	for w := range workers {
		r.publish(w, workers, 0, 0)
	}
	for w := 1; w < workers; w++ {
		r.group.Go(func() { r.work(w, workers, 0) })
	}
	r.work(0, workers, 0)
	r.group.Wait()
	r.spare.Give(r.taken)
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
	waited  cores.Duration // for others since the worker began
	stopped bool
	_       [64 - 25]byte
}

// crew decides how many workers go on; [cores.Crew] is one.
type crew interface {
	Want(workers int, waited cores.Duration) int
	Alone() bool
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
	crew    crew
	judged  cores.Duration // what the workers had waited when they were last judged
	taken   int            // cores from spare
}

// work runs a worker's partitions, every n-th partition for n workers, from the end of a window on, in
// which ran workers took part.
// There is one barrier per window: mailboxes and published times alternate between two sets, so
// that a worker may fill one set while a slower one still reads the other.
func (r *run) work(w, ran int, window uint64) {
	var waited cores.Duration
	for {
		waited += r.barrier.wait(r.stop)
		t, halt, all, stopped := r.earliest(window, ran)
		workers := r.workers[window&1]
		if stopped || t >= r.until && halt >= r.until || w >= workers {
			return
		}
		if t >= halt {
			for i := w; i < len(r.parts); i += workers {
				r.parts[i].Collect(window)
			}
			return
		}
		if workers < ran { // the others leave
			r.group.Wait()
			r.barrier.size.Store(int32(workers))
		}
		ran = workers
		last := min(r.until, halt)
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
		r.publish(w, workers, window, waited)
		if w == 0 {
			r.workers[window&1] = r.staff(workers, window, all)
		}
	}
}

// askedEvery is the number of windows after which the crew is asked; after a stretch of waiting it is asked at once.
const askedEvery = 256

// staff is the number of workers in the window after this one. New workers start; the barrier of this window
// waits for them too: the first worker, which calls staff, has not reached it yet. waited is how long all
// workers have waited by the window before.
func (r *run) staff(workers int, window uint64, waited cores.Duration) int {
	want := workers
	if window%askedEvery == 0 || waited-r.judged >= cores.Stretch {
		r.judged = waited
		want = r.crew.Want(workers, waited)
	}
	if want == workers && workers < len(r.parts) && !r.crew.Alone() && r.spare.Take() {
		r.taken++
		want++
	}
	for w := workers; w < want; w++ {
		r.barrier.size.Add(1)
		r.group.Go(func() { r.work(w, workers, window) })
	}
	return want
}

// publish stores the earliest pending time of the worker's partitions, and how long it has waited.
func (r *run) publish(w, workers int, window uint64, waited cores.Duration) {
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
	own.time, own.halt, own.stopped, own.waited = t, halt, stopped, waited
}

// earliest is the earliest pending time and the earliest halt that the workers of a window published, and how
// long all of them have waited.
func (r *run) earliest(window uint64, workers int) (t, halt units.Time, waited cores.Duration, stopped bool) {
	t, halt = units.Forever, units.Forever
	for i := range workers {
		p := &r.next[window&1][i]
		t, halt = min(t, p.time), min(halt, p.halt)
		waited += p.waited
		stopped = stopped || p.stopped
	}
	return t, halt, waited, stopped
}

// barrier is a spinning barrier: windows last microseconds, too short to sleep. After a while a
// waiting worker yields, so that the barrier also works with fewer cores than workers.
type barrier struct {
	size    atomic.Int32
	arrived atomic.Int32
	phase   atomic.Uint32
}

// spins is the number of times that a waiting worker checks before it yields its core, and short the number
// of checks that count as no wait.
const spins, short = 2000, 50

// wait returns how long the worker waited.
func (b *barrier) wait(stop *Stop) (waited cores.Duration) {
	phase := b.phase.Load()
	if b.arrived.Add(1) == b.size.Load() {
		b.arrived.Store(0)
		b.phase.Add(1)
		return 0
	}
	var own cores.Wait
	for i := 0; b.phase.Load() == phase; i++ {
		if i == short {
			own.Begin()
		}
		if i > spins {
			stop.yield()
		}
	}
	return own.Time()
}
