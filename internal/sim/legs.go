package sim

import (
	"math"
	"slices"

	"weft/internal/collective"
	"weft/internal/cores"
)

// leg is what the messages of a collective from a member to another on a channel have
// in common.
type leg struct {
	from, to int32 // members; to is -1 where the scale-up switch copies to all
	channel  int32
	rail     int16 // as collective.Transfer has it
	path     collective.Path
}

// maxPeeked bounds the steps of a collective that are looked at before it runs: a
// second's work.
const maxPeeked = 1 << 24

// legs are the distinct legs of a collective, in the order in which members, lanes and
// steps have them; false of one with too many steps.
func (c *collectivePlan) legs() ([]leg, bool) {
	if c.known != nil {
		return c.known, true
	}
	var list []leg
	left := maxPeeked
	for member := range c.program.Ranks() {
		own, peeked := c.legsOf(member, left)
		if left -= peeked; left < 0 {
			return nil, false
		}
		list = append(list, own...)
	}
	c.known = list
	return list, true
}

// allLegs are the legs however many steps there are, looked up on so many cores: to
// look at a step takes a small part of the time that its messages take.
func (c *collectivePlan) allLegs(workers int) []leg {
	members := make([][]leg, c.program.Ranks())
	cores.Each(len(members), workers, func(i int) { members[i], _ = c.legsOf(i, math.MaxInt-1) })
	return slices.Concat(members...)
}

// legsOf are the distinct legs of a member, and how many steps were looked at: no more
// than most and one.
func (c *collectivePlan) legsOf(member, most int) (list []leg, peeked int) {
	seen := make(map[leg]bool)
	var s collective.Step
	for lane := range c.program.Lanes() {
		for step := 0; c.program.Step(member, lane, step, &s); step++ {
			if peeked++; peeked > most {
				return nil, peeked
			}
			for i := range s.Sends {
				t := &s.Sends[i]
				w := leg{int32(member), t.Peer, int32(lane % c.program.Channels()), t.Rail, t.Path}
				if !seen[w] {
					seen[w] = true
					list = append(list, w)
				}
			}
		}
	}
	return list, peeked
}

// ends are the NICs that carry a member's messages to another node, and whether the
// sender's is beside another GPU of the node than its own, to which they go first.
func (c *communicator) ends(w *leg) (a, b int32, relayed bool) {
	from, to := int(w.from), int(w.to)
	own := c.layout.Rail(c.layout.Local(from), int(w.channel))
	rail := int(w.rail) - 1
	if rail < 0 {
		return c.nic(from, own), c.nic(to, c.layout.Rail(c.layout.Local(to), int(w.channel))), false
	}
	return c.nic(from, rail), c.nic(to, rail), c.layout.RailGPU(rail) != c.layout.Local(from) && own != rail
}

// pair is who carries the messages of a leg to another node, and whether they go to
// another GPU of the sender's node first.
func (c *communicator) pair(w *leg) (k pair, relayed bool) {
	k = pair{from: c.members[w.from], to: c.members[w.to], channel: w.channel, group: c.id}
	k.a, k.b, relayed = c.ends(w)
	return k, relayed
}
