package training

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"weft/internal/base/cores"
	"weft/internal/base/sorting"
	"weft/internal/study/many"
)

// queue is the simulations of a step that have not begun. One may make others necessary. Those that may lead to the
// most work begin first: so no core is left with a long one at the end, and it is known early how much work there is.
type queue struct {
	tally *many.Tally

	mu      sync.Mutex
	changed *sync.Cond
	waiting []*trainingTask // in their order
	running []*trainingTask
}

// lookEvery is the period of the reports of running simulations.
const lookEvery = 200 * time.Millisecond

// runTasks runs the simulations on as many cores as allowed; each round starts after the one
// before.
func runTasks(ctx context.Context, o *Options, rounds ...[]*trainingTask) {
	all := slices.Concat(rounds...)
	tally := many.NewTally(len(all), o.Progress)
	tally.Weigh(func(i int) float64 { return all[i].weight() })
	for i, t := range all {
		t.place = i
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for _, tasks := range rounds {
		q := &queue{tally: tally}
		q.changed = sync.NewCond(&q.mu)
		q.add(tasks)
		stop := q.look()
		cores.Each(workers, workers, func(int) { q.work(ctx) })
		stop()
	}
}

// add adds simulations. The caller has locked q, or nobody else has it.
func (q *queue) add(tasks []*trainingTask) {
	for _, t := range tasks {
		t.most = t.longest()
	}
	q.waiting = append(q.waiting, tasks...)
	sorting.Func(q.waiting, func(a, b *trainingTask) int {
		return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.place, b.place))
	})
}

// work runs simulations on a core until none is left, or ctx ends.
func (q *queue) work(ctx context.Context) {
	for t := q.next(ctx); t != nil; t = q.next(ctx) {
		q.run(ctx, t)
	}
}

// next is the next simulation; nil if none is left. It waits for the running ones, which may add some.
func (q *queue) next(ctx context.Context) *trainingTask {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && len(q.running) > 0 {
		q.changed.Wait()
	}
	if len(q.waiting) == 0 || ctx.Err() != nil {
		return nil
	}
	t := q.waiting[0]
	q.waiting = q.waiting[1:]
	q.running = append(q.running, t)
	return t
}

// run runs a simulation. If it panics, no further one begins.
func (q *queue) run(ctx context.Context, t *trainingTask) {
	var more []*trainingTask
	ran := false
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.running = slices.DeleteFunc(q.running, func(other *trainingTask) bool { return other == t })
		if q.changed.Broadcast(); !ran {
			q.waiting = nil
			return
		}
		for _, m := range more {
			m.place = q.tally.More(m.weight())
		}
		q.add(more)
		q.tally.Ended(t.place, t.plan.Fabric.Name, t.found)
	}()
	more = t.run(ctx, q.tally.Of(t.place, t.plan.Fabric.Name))
	ran = true
}

// look reports the shares of the running simulations now and then, until it is stopped.
func (q *queue) look() (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				q.report()
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// report reports the shares of the running simulations.
func (q *queue) report() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.running {
		if t.work != nil {
			q.tally.Share(t.place, t.plan.Fabric.Name, t.work.Share())
		}
	}
}
