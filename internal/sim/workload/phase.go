package workload

import (
	"weft/internal/sim/collective"
	"weft/units"
)

// Phase is a communication that many groups of a cluster make at the same time: the
// tensor-parallel groups of all nodes, the senders of a pipeline's activations.
// Where a workload repeats it, it may be carried out once, with all its groups at
// once, and its times used again.
type Phase struct {
	Name    string
	Purpose Purpose
	// Kind is Collective or Send; Do is the collective.
	Kind Kind
	Do   collective.Op
	// Groups are the ranks of each; of a Send the sender and the receiver.
	Groups [][]int32
	// Bytes is the size of each group's, as Op.Bytes.
	Bytes []units.Bytes
	// Uses is how often a group makes it, at the most.
	Uses int
}

// Graph is the phase by itself: all groups begin at time 0. ranks is the size of the
// cluster.
func (p *Phase) Graph(ranks int) *Graph {
	g := &Graph{Ranks: make([][]Op, ranks)}
	for i, members := range p.Groups {
		o := Op{Name: p.Name, Kind: p.Kind, Purpose: p.Purpose, Bytes: p.Bytes[i], Do: p.Do, Group: int32(len(g.Groups))}
		if p.Kind == Send {
			from, to := members[0], members[1]
			back := o
			o.Peer, back.Kind, back.Peer = to, Recv, from
			o.Group, back.Group = 0, 0
			back.Stream = 1
			g.Ranks[from] = append(g.Ranks[from], o)
			g.Ranks[to] = append(g.Ranks[to], back)
			continue
		}
		g.Groups = append(g.Groups, Group{Name: p.Name, Ranks: members})
		for _, r := range members {
			g.Ranks[r] = append(g.Ranks[r], o)
		}
	}
	return g
}

// Times are how long each rank takes in a phase that was carried out: until its own
// part is over. Ranks that take no part have 0.
func (p *Phase) Times(t *Timeline) []units.Time {
	took := make([]units.Time, len(t.Spans))
	for rank, spans := range t.Spans {
		for _, s := range spans {
			took[rank] = max(took[rank], s.End)
		}
	}
	if p.Kind == Send { // a sender's time is its message's, not that of what it receives
		next := make([]int, len(t.Spans)) // by rank: its operation of the next group
		for _, g := range p.Groups {
			from, to := g[0], g[1]
			took[from] = t.Spans[from][next[from]].End
			next[from]++
			next[to]++
		}
	}
	return took
}
