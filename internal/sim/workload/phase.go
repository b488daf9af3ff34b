package workload

import (
	"weft/internal/sim/collective"
	"weft/units"
)

// Phase is a communication of many groups of a cluster at the same time: the tensor-parallel groups
// of all nodes, or the senders of a pipeline's activations. If a workload repeats it, it may be
// simulated once, with all groups at once, and its times used again.
type Phase struct {
	Name    string
	Purpose Purpose
	// Kind is Collective or Send; Do is the collective.
	Kind Kind
	Do   collective.Op
	// Exchange, if it is one, is what the kernels of a library send in each group, instead of the
	// collective Do (package exchange).
	Exchange Exchange
	// Groups are the ranks of each group; for a Send, the sender and the receiver.
	Groups [][]int32
	// Bytes is the size of each group's, as Op.Bytes.
	Bytes []units.Bytes
}

// Exchange is the direction in which kernels for experts move tokens.
type Exchange uint8

// The directions.
const (
	NoExchange Exchange = iota
	Dispatch            // from the tokens' ranks to those of their experts
	Combine             // back
)

var exchangeNames = [...]string{"", "dispatch", "combine"}

func (x Exchange) String() string { return exchangeNames[x] }

// Graph is the phase by itself: all groups begin at time 0. ranks is the size of the
// cluster. An Exchange has none: its messages are drawn.
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

// Times are the times of the ranks in a simulated phase: until their own parts are over. Ranks
// outside the phase have 0.
func (p *Phase) Times(t *Timeline) []units.Time {
	took := make([]units.Time, len(t.Spans))
	for rank, spans := range t.Spans {
		if p.Exchange != NoExchange && len(spans) > 0 { // a kernel ends while what it has sent is on its way
			spans = spans[len(spans)-1:]
		}
		for _, s := range spans {
			took[rank] = max(took[rank], s.End)
		}
	}
	if p.Kind == Send { // a sender's time is its message's, without the messages that it receives
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
