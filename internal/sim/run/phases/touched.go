package phases

import (
	"weft/internal/base/topology"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/scenario"
	"weft/units"
)

// Touched is the plan with those slow cables alone that a phase can touch: the cables of NICs in the nodes of its
// members. The cable of a NIC carries what the NIC sends and receives, whatever the switches choose. With streams or
// faults it is the plan itself: they may be anywhere.
func Touched(p *network.Plan, r *scenario.Resolved, phase *workload.Phase) *network.Plan {
	if !steady(p) {
		return p
	}
	f := *p.Fabric
	f.SlowLinks = nil
	q := *p
	q.Fabric, q.Slow = &f, make(map[topology.NodeID]units.Rate)
	cluster := executor.LayoutOf(&r.Cluster, p.Fabric)
	members := make(map[int]bool)
	for _, g := range phase.Groups {
		for _, rank := range g {
			members[cluster.Node(int(rank))] = true
		}
	}
	for nic, rate := range p.Slow {
		if members[int(nic)/r.Cluster.Node.NICs] {
			q.Slow[nic] = rate
		}
	}
	return &q
}
