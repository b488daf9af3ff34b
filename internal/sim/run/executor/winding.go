package executor

import (
	"weft/internal/base/topology"
	"weft/internal/sim/collective"
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/scenario"
)

// winding is a ring's first nodes, which stand for all of them: the last one sends to the first, and each does as many
// steps of the same sizes as in the whole ring.
//
// All ranks of the ring do the same, and begin at the same time. If the links of the whole ring are as those of the part,
// several times over, every event of the part happens in each of its copies at the same instant. To be so, each link of
// the ring must have one image in the part, of the same rate and length, that as many connections use, and the same ones.
// Where packets meet in a switch, other links must have other images, in the same order: the order of links decides
// between packets of one instant. A spine of the ring may have several images, one for each pair of links that share
// nothing with the others.
//
// Two things can only be seen while the part runs, which ends then, and the whole is simulated ([fabric.Network.KeepEven]).
// Adaptive routing is static as long as each switch has a port without packets, and no port has more of them than the
// threshold. And a spine's links have an influence on each other if packets wait for flow-control packets, which go over the
// cable of those that they are for: rings on InfiniBand whose messages follow each other without gaps.
type winding struct {
	nodes   int                           // that are simulated
	times   int                           // the whole ring has that many parts
	image   map[topology.End]topology.End // by link of the ring: the link of the part
	comm    *Communicator                 // of the whole ring
	program collective.Circular           // of the whole ring
}

// windingOf is the smallest part of a collective's ring that stands for all of it; nil if there is none.
func windingOf(j *network.Task, c *Communicator, prog collective.Program) *winding {
	circle, ok := prog.(collective.Circular)
	if !ok || !windable(j) {
		return nil
	}
	for nodes := 1; nodes <= c.layout.Nodes/2; nodes++ {
		if !circle.Turns(nodes) {
			continue
		}
		u := unwinder{plan: j.Plan, comm: c, program: circle, part: nodes * c.layout.PerNode}
		if u.covers() {
			return &winding{nodes, c.layout.Nodes / nodes, u.image, c, circle}
		}
	}
	return nil
}

// windable reports whether nothing tells one node's traffic from another's but the links that it takes.
func windable(j *network.Task) bool {
	r, p := j.Scenario, j.Plan
	f := p.Fabric
	mode := network.SwitchRouting(f.Routing.Mode)
	return j.Exact && r.Job().Nodes == r.Cluster.Nodes && !r.Run.Jitter && !r.Run.Pauses && p.Series == nil && p.Faults == nil &&
		protocol.Of(f.Kind).SubnetManager && (mode == fabric.Static || mode == fabric.Adaptive) && f.CC.Algorithm == scenario.CCNone &&
		len(f.Beside) == 0 && !f.Inspection.On() && !f.Link.HasErrors() && f.NIC.Contexts == 0 && len(p.Slow) == 0 &&
		p.Keys.Tables == nil && p.Lanes == nil && p.Paths == nil && !p.OwnLevels && p.Aggregation == nil && p.ConnectionsPerPair() == 1
}

// shorten makes a run simulate the winding's nodes alone.
func (w *winding) shorten(r *collectiveRun) {
	ranks := w.nodes * r.cluster.PerNode
	if circle, ok := r.plan.program.(collective.Circular); ok {
		r.plan.program = collective.Wind(circle, w.nodes, r.cluster.PerNode)
	}
	r.all = NewCommunicator(r.all.ID, r.cluster, everybody(ranks))
	r.done = r.done[:ranks]
}

// limited is a plan whose bound on events is that of the part.
func (w *winding) limited(p *network.Plan) *network.Plan {
	own, run := *p, *p.Run
	run.Limit.Events /= int64(w.times)
	own.Run = &run
	return &own
}

// spread makes the links' bytes and the counts of a run those of the whole ring. It is an error if packets were lost.
func (w *winding) spread(n *network.Network, point *results.Point) error {
	of := make([]int32, n.Links())
	for link := range of {
		of[link] = -1
	}
	for link, image := range w.image {
		of[n.LinkAt(int32(link.Node), link.Port)] = n.LinkAt(int32(image.Node), image.Port)
	}
	c := &point.Counts
	if c.Drops()+c.Retransmissions+c.Timeouts > 0 {
		return fabric.ErrUneven
	}
	n.CopyBytes(of)
	*c = c.Times(w.times)
	c.Skipped.Nodes = int64(w.nodes * (w.times - 1))
	c.Skipped.Events += c.Events / int64(w.times) * int64(w.times-1)
	return nil
}
