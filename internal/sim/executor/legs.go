package executor

import "weft/internal/collective"

// Leg is what the messages of a collective from a member to another on a channel have
// in common.
type Leg struct {
	From, To int32 // members; to is -1 where the scale-up switch copies to all
	Channel  int32
	rail     int16 // as collective.Transfer has it
	Path     collective.Path
}

// maxPeeked bounds the steps of a collective that are looked at before it runs: a
// second's work.
const maxPeeked = 1 << 24

// Legs are the distinct legs of a collective, in the order in which members, lanes and
// steps have them; false of one with too many steps.
func (c *CollectivePlan) Legs() ([]Leg, bool) {
	if c.known != nil {
		return c.known, true
	}
	seen := make(map[Leg]bool)
	var list []Leg
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
					w := Leg{int32(member), t.Peer, int32(lane % c.program.Channels()), t.Rail, t.Path}
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

// Ends are the NICs that carry a member's messages to another node, and whether the
// sender's is beside another GPU of the node than its own, to which they go first.
func (c *Communicator) Ends(w *Leg) (a, b int32, relayed bool) {
	from, to := int(w.From), int(w.To)
	own := c.layout.Rail(c.layout.Local(from), int(w.Channel))
	rail := int(w.rail) - 1
	if rail < 0 {
		return c.nic(from, own), c.nic(to, c.layout.Rail(c.layout.Local(to), int(w.Channel))), false
	}
	return c.nic(from, rail), c.nic(to, rail), c.layout.RailGPU(rail) != c.layout.Local(from) && own != rail
}
