package executor

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// collectiveRun is the application that runs one collective of all ranks repeatedly.
type collectiveRun struct {
	collectives
	plan   *CollectivePlan
	all    *Communicator
	done   []int // by rank: iterations
	total  int   // iterations, warm-up included
	warmup int
	parts  []collectivePart
	rails  int // alike rails of which one is simulated; 0: all are
}

// newCollectiveRun is the run of a size, with NCCL's or the scenario's choices.
func newCollectiveRun(r *scenario.Resolved, p *network.Plan, bytes units.Bytes) (*collectiveRun, error) {
	job := r.Job()
	all := NewCommunicator(0, LayoutOf(&r.Cluster, p.Fabric), everybody(job.Ranks()))
	all.FindTrees(p)
	c, err := choose(r, p.Fabric, bytes, all.trees != nil)
	if err != nil {
		return nil, err
	}
	total := r.Run.Warmup + r.Run.Iterations
	run := &collectiveRun{
		collectives: newCollectives(r, p.Fabric, total), all: all, done: make([]int, job.Ranks()), total: total, warmup: r.Run.Warmup,
		plan: &CollectivePlan{chosen: c, Limits: hostLimitsOf(&c.overhead, job.Nodes, r.Cluster.Node.GPUs), inSwitch: dataRate(c.overhead.SwitchGBps, 1)},
	}
	run.plan.unicast = run.plan.inSwitch
	run.allLead = true
	return run, checkPlan(run.plan.program)
}

// collectivePart is the counters of one simulation partition.
type collectivePart struct {
	over         int // ranks that have finished
	began, ended units.Time
	_            [40]byte // each partition has its own cache lines
}

// sum adds up the counters of the partitions.
func (r *collectiveRun) sum() (all collectivePart) {
	for i := range r.parts {
		p := &r.parts[i]
		all.over += p.over
		all.began, all.ended = max(all.began, p.began), max(all.ended, p.ended)
	}
	return all
}

// start starts every rank at time 0.
func (r *collectiveRun) start() {
	r.finished = r.endIteration
	r.parts = make([]collectivePart, r.net.Partitions())
	for member := range r.all.Members {
		r.enter(r.net.Partition(r.net.GPU(int(r.all.Members[member]))), r.all, member, r.plan)
	}
}

// endIteration ends an iteration of a rank and begins the next.
func (r *collectiveRun) endIteration(p *fabric.Partition, _ *operation, member int) {
	part := &r.parts[p.ID()]
	r.done[member]++
	if r.done[member] == r.warmup {
		part.began = max(part.began, p.Now())
	}
	if r.done[member] < r.total {
		r.enter(p, r.all, member, r.plan)
		return
	}
	part.ended = max(part.ended, p.Now())
	part.over++
}

// Running reports whether ranks are still busy.
func (r *collectiveRun) Running() bool {
	return r.sum().over < len(r.all.Members) && r.failed() == nil
}
