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
	parts  []collectivePart
}

// collectivePart is what one partition of the network counts.
type collectivePart struct {
	over         int // ranks that have finished
	began, ended units.Time
	_            [40]byte // partitions count on cache lines of their own
}

// sum joins what the partitions counted.
func (r *collectiveRun) sum() (all collectivePart) {
	for i := range r.parts {
		p := &r.parts[i]
		all.over += p.over
		all.began, all.ended = max(all.began, p.began), max(all.ended, p.ended)
	}
	return all
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

// newCollectives is who carries out collectives on a cluster of a scenario, so many at
// the same time.
func newCollectives(r *scenario.Resolved, f *scenario.Fabric, most int) collectives {
	return collectives{
		carrier: carrier{
			path: pathOf(f, &r.Cluster.Node), jitter: jitterOf(&r.Run, f, r.Cluster.Ranks()),
			links: make(map[pair]*connections), hosts: make([]rankHost, r.Cluster.Ranks()), ends: make([][]endpoint, r.Cluster.Endpoints()),
		},
		cluster: layoutOf(&r.Cluster), register: newRegister(most),
	}
}

// start has every rank begin at time 0.
func (r *collectiveRun) start() {
	r.finished = r.again
	r.parts = make([]collectivePart, r.net.Partitions())
	for member := range r.all.members {
		r.enter(r.net.Partition(r.net.gpu(int(r.all.members[member]))), r.all, member, r.plan)
	}
}

// again ends an iteration of a rank and begins the next.
func (r *collectiveRun) again(p *fabric.Partition, _ *operation, member int) {
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

// running reports whether ranks are still at it.
func (r *collectiveRun) running() bool { return r.sum().over < len(r.all.members) }
