package sim

import "weft/internal/collective"

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
	seen := make(map[leg]bool)
	var list []leg
	var s collective.Step
	peeked := 0
	for member := range c.program.Ranks() {
		for lane := range c.program.Lanes() {
			for step := 0; c.program.Step(member, lane, step, &s); step++ {
				if peeked++; peeked > maxPeeked {
					return nil, false
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
	}
	c.known = list
	return list, true
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
