package executor

import (
	"weft/internal/fabric"
	"weft/units"
)

// collectiveRun is the application that carries out one collective of all ranks,
// again and again.
type collectiveRun struct {
	collectives
	plan   *CollectivePlan
	all    *Communicator
	done   []int // by rank: iterations
	total  int   // iterations, warm-up included
	warmup int
	unsent int // ranks that have not finished
	began  units.Time
	ended  units.Time
}

// start has every rank begin at time 0.
func (r *collectiveRun) start() error {
	if err := checkPlan(r.plan.program); err != nil {
		return err
	}
	r.finished = r.again
	r.unsent = len(r.all.Members)
	for member := range r.all.Members {
		r.enter(r.net.Partition(r.net.GPU(int(r.all.Members[member]))), r.all, member, r.plan)
	}
	return nil
}

// again ends an iteration of a rank and begins the next.
func (r *collectiveRun) again(p *fabric.Partition, _ *operation, member int) {
	r.done[member]++
	if r.done[member] == r.warmup {
		r.began = max(r.began, p.Now())
	}
	if r.done[member] < r.total {
		r.enter(p, r.all, member, r.plan)
		return
	}
	r.ended = max(r.ended, p.Now())
	r.unsent--
}

// running reports whether ranks are still at it.
func (r *collectiveRun) running() bool { return r.unsent > 0 }
