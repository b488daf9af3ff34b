package sim

import (
	"weft/internal/collective"
	"weft/internal/fabric"
	"weft/scenario"
	"weft/units"
)

// collectiveRun is the application that carries out one collective of all ranks,
// again and again.
type collectiveRun struct {
	collectives
	plan   *collectivePlan
	all    *communicator
	done   []int // by rank: iterations
	total  int   // iterations, warm-up included
	warmup int
	unsent int // ranks that have not finished
	began  units.Time
	ended  units.Time
}

// layoutOf is the cluster as collectives see it.
func layoutOf(c *scenario.Cluster) collective.Layout {
	return collective.Layout{Nodes: c.Nodes, PerNode: c.Node.GPUs, NICs: c.Node.NICs}
}

// everybody is all ranks, in order.
func everybody(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// newCollectives is who carries out collectives on a cluster of a scenario.
func newCollectives(r *scenario.Resolved, f *scenario.Fabric) collectives {
	return collectives{
		carrier: carrier{
			path: pathOf(f, &r.Cluster.Node), jitter: jitterOf(&r.Run, f, r.Cluster.Ranks()), flows: newFlowTimes(),
			links: make(map[pair]*connections), copies: make(map[uint32]*copied), hosts: make([]rankHost, r.Cluster.Ranks()), ends: make([][]endpoint, r.Cluster.Endpoints()),
		},
		cluster: layoutOf(&r.Cluster), unused: -1,
	}
}

// start has every rank begin at time 0.
func (r *collectiveRun) start() error {
	if err := checkPlan(r.plan.program); err != nil {
		return err
	}
	r.finished = r.again
	r.unsent = len(r.all.members)
	for member := range r.all.members {
		r.enter(r.net.Partition(r.net.gpu(int(r.all.members[member]))), r.all, member, r.plan)
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
