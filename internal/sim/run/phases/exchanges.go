package phases

import (
	"weft/internal/sim/run/exchange"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/workload"
	"weft/scenario"
)

// A phase of exchanges is what the kernels of a library send in groups of whole nodes, or of a part of one, whose
// ranks follow each other.
// The scenario's workload has the exchange. Every group draws the same tokens.

// graphOf is a phase by itself.
func graphOf(r *scenario.Resolved, phase *workload.Phase) *workload.Graph {
	ranks := r.Cluster.Ranks()
	if phase.Exchange == workload.NoExchange {
		return phase.Graph(ranks)
	}
	own := *r
	own.Cluster = r.Cluster.Part(len(phase.Groups[0]))
	one := exchange.GraphOf(&own)
	g := *one
	g.Ranks = make([][]workload.Op, ranks)
	for _, members := range phase.Groups {
		first := int(members[0])
		copy(g.Ranks[first:], one.Among(ranks, first).Ranks[first:first+len(members)])
	}
	return &g
}

// exchanged is the footprint of a group's exchange. Throughput kernels send between GPUs of the same number alone,
// low-latency kernels between all.
func (f *footing) exchanged(phase *workload.Phase, group int) (*form, bool) {
	members := phase.Groups[group]
	out := &form{members: members, numbers: []int64{int64(phase.Bytes[group]), int64(len(members)), int64(phase.Exchange)}}
	for _, rank := range members {
		f.islands.touch(group, resource{kind: ofRank, at: rank})
		f.inside(group, int32(f.cluster.Node(int(rank))), out)
	}
	rails := f.whole.Training.Experts.Kernel == scenario.Throughput
	for _, from := range members {
		for _, to := range members {
			same := f.cluster.Node(int(from)) == f.cluster.Node(int(to))
			if same || rails && f.cluster.Local(int(from)) != f.cluster.Local(int(to)) {
				continue
			}
			if !f.pair(group, []int32{from, to}, out) {
				return nil, false
			}
		}
	}
	return out, true
}

// pair adds the resources of messages from one rank to another: their connections have the ranks' NICs in turn.
func (f *footing) pair(group int, ends []int32, out *form) bool {
	c := executor.NewCommunicator(executor.MessageGroup, f.cluster, ends)
	_, nics := f.cluster.NICsOf(f.cluster.Local(int(ends[0])))
	for channel := range nics {
		a, b, _ := c.Ends(&executor.Edge{From: 0, To: 1, Channel: int32(channel)})
		if !f.between(group, a, b, out) {
			return false
		}
	}
	return true
}
