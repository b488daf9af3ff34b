package executor

import (
	"math"
	"slices"

	"weft/internal/base/cores"
	"weft/internal/sim/collective"
)

// Edge is the common part of a collective's messages from one member to another on a channel.
type Edge struct {
	From, To int32 // members; To is -1 if the scale-up switch copies to all
	Channel  int32
	rail     int16 // as in collective.Transfer
	Path     collective.Path
}

// maxPeeked bounds the number of a collective's steps that are examined before the run: a second's
// work.
const maxPeeked = 1 << 24

// Edges are the distinct edges of a collective, in the order of members, lanes and steps; false for a
// collective with too many steps.
func (c *CollectivePlan) Edges() ([]Edge, bool) {
	if c.known != nil {
		return c.known, true
	}
	var list []Edge
	left := maxPeeked
	for member := range c.program.Ranks() {
		own, peeked := c.edgesOf(member, left)
		if left -= peeked; left < 0 {
			return nil, false
		}
		list = append(list, own...)
	}
	c.known = list
	return list, true
}

// allEdges are the edges for any number of steps, computed on several cores: examining a step takes a
// small part of the time of its messages.
func (c *CollectivePlan) allEdges(workers int) []Edge {
	members := make([][]Edge, c.program.Ranks())
	cores.Each(len(members), workers, func(i int) { members[i], _ = c.edgesOf(i, math.MaxInt-1) })
	return slices.Concat(members...)
}

// edgesOf are the distinct edges of a member, and the number of examined steps: at most most+1.
func (c *CollectivePlan) edgesOf(member, most int) (list []Edge, peeked int) {
	seen := make(map[Edge]bool)
	var s collective.Step
	for lane := range c.program.Lanes() {
		for step := 0; c.program.Step(member, lane, step, &s); step++ {
			if peeked++; peeked > most {
				return nil, peeked
			}
			for i := range s.Sends {
				t := &s.Sends[i]
				w := Edge{int32(member), t.Peer, int32(lane % c.program.Channels()), t.Rail, t.Path}
				if !seen[w] {
					seen[w] = true
					list = append(list, w)
				}
			}
		}
	}
	return list, peeked
}

// Pair is the pair that carries the messages of an edge to another node, and true if they go to
// another GPU of the sender's node first.
func (c *Communicator) Pair(w *Edge) (k Pair, relayed bool) {
	k = Pair{From: c.Members[w.From], To: c.Members[w.To], Channel: w.Channel, Group: c.ID}
	k.A, k.B, relayed = c.Ends(w)
	if relayed && c.standsForOthers() { // it is the message of another GPU, which came over the scale-up network
		local := k.From % int32(c.gpus)
		k.From += (local-int32(w.rail-1)+int32(c.gpus))%int32(c.gpus) - local
	}
	return k, relayed
}

// Ends are the NICs that carry a member's messages to another node. relayed is true if the sender's
// NIC is beside another GPU of the node, to which the messages go first.
func (c *Communicator) Ends(w *Edge) (a, b int32, relayed bool) {
	from, to := int(w.From), int(w.To)
	own := c.layout.Rail(c.layout.Local(from), int(w.Channel))
	rail := int(w.rail) - 1
	if c.standsForOthers() { // rails are counted from the own one
		return c.nic(from, own), c.nic(to, own), rail > 0
	}
	if rail < 0 {
		return c.nic(from, own), c.nic(to, c.layout.Rail(c.layout.Local(to), int(w.Channel))), false
	}
	return c.nic(from, rail), c.nic(to, rail), c.layout.RailGPU(rail) != c.layout.Local(from) && own != rail
}
