package sim

import (
	"sync"
	"time"

	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/results"
)

// lookEvery is the period of the progress reports of running simulations.
const lookEvery = 200 * time.Millisecond

// watch observes running simulations, and reports their progress.
type watch struct {
	mu      sync.Mutex
	tell    func(Progress)
	done    func(Finished)
	sum     Progress // sum of the finished simulations
	all     float64  // work of all simulations; 0: unknown
	worked  float64  // work of the finished ones
	running map[*job]*network.Network
	live    *Live
	quit    chan struct{}
	ended   chan struct{}
}

func newWatch(total int, o Options) *watch {
	w := &watch{
		tell: o.Progress, done: o.Finished, sum: Progress{Total: total}, running: make(map[*job]*network.Network), live: o.Live,
		quit: make(chan struct{}), ended: make(chan struct{}),
	}
	if w.live != nil {
		w.live.watch.Store(w)
	}
	go w.look()
	return w
}

// look is the loop of the reports.
func (w *watch) look() {
	defer close(w.ended)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-tick.C:
			w.once()
		}
	}
}

// once reports the running simulations.
func (w *watch) once() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tell != nil && len(w.running) > 0 {
		w.tell(w.progress())
	}
}

// progress is the sum of the finished and the running simulations. The caller has locked w.
func (w *watch) progress() Progress {
	now := w.sum
	for j, n := range w.running {
		simulated, events, hops := n.Progress()
		now.Simulated += simulated
		now.Events += events
		now.Hops += hops
		now.Skipped.Add(measure.Skipped(n.Network))
		now.Fabric, now.Bytes = j.Plan.Fabric.Name, int64(j.Bytes)
	}
	now.Share = w.share()
	return now
}

// share is the part of the work that is done. The caller has locked w.
func (w *watch) share() float64 {
	if w.all == 0 {
		return 0
	}
	done := w.worked
	for j := range w.running {
		done += j.work * j.Work.Share()
	}
	return min(1, done/w.all)
}

// expect adds the work of simulations, each of which runs so many times.
func (w *watch) expect(jobs []job, times int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range jobs {
		j := &jobs[i]
		j.work, j.Work = executor.WorkOf(&j.Task), new(network.Work)
		if j.known == nil {
			w.all += float64(times) * j.work
		}
	}
}

// started adds a simulation that begins to run.
func (w *watch) started(j *job, n *network.Network) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[j] = n
}

// add counts a simulation that has ended. The caller has locked w.
func (w *watch) add(j *job, point *results.Point) {
	w.sum.Done++
	w.worked += j.work
	w.sum.Simulated += max(point.Time, j.Scenario.Workload.Duration)
	w.sum.Events += point.Counts.Events
	w.sum.Hops += point.Counts.PacketHops
	w.sum.Skipped.Add(point.Counts.Skipped)
}

// compared removes a simulation that has ended, whose result another one is compared with.
func (w *watch) compared(j *job, point *results.Point) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running, j)
	w.sum.Fabric, w.sum.Bytes = j.Plan.Fabric.Name, int64(j.Bytes)
	w.add(j, point)
	w.sum.Share = w.share()
	if w.tell != nil {
		w.tell(w.sum)
	}
}

// left removes a simulation that has ended without a result.
func (w *watch) left(j *job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running, j)
}

// finished removes a simulation that has ended.
func (w *watch) finished(j *job, point *results.Point) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := w.running[j]; n != nil && w.live != nil {
		w.live.add(j, n)
	}
	delete(w.running, j)
	w.sum.Fabric, w.sum.Bytes = j.Plan.Fabric.Name, int64(j.Bytes)
	if j.known != nil {
		w.sum.Done++
		w.sum.Known++
	} else {
		w.add(j, point)
	}
	w.sum.Share = w.share()
	if w.done != nil && !point.Partial && !j.further {
		w.done(Finished{j.fabric, j.point, *point})
	}
	if w.tell != nil {
		w.tell(w.sum)
	}
}

// more increases the number of expected simulations.
func (w *watch) more(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sum.Total += n
}

func (w *watch) end() {
	close(w.quit)
	<-w.ended
}
