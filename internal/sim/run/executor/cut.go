package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
)

// divisible reports whether a collective can be carried out in several partitions: what
// its ranks do to each other goes through the network, and who talks to whom is known
// before. Streams beside it end with its last rank, which all of them would have to know
// at once; what switches reduce or copy is one state of all NICs of a rail; and that two
// NICs may not talk is found when they first want to.
func (r *collectives) divisible(p *network.Plan, c *Communicator, legs []Leg) bool {
	if len(p.Fabric.Beside) > 0 {
		return false
	}
	for i := range legs {
		if legs[i].Path.InNetwork() {
			return false
		}
		if !r.outward(c, &legs[i]) {
			continue
		}
		if k, _ := c.Pair(&legs[i]); p.Apart(k.A, k.B) != "" {
			return false
		}
	}
	return true
}

// outward reports whether the messages of a leg leave their node.
func (r *collectives) outward(c *Communicator, w *Leg) bool {
	return w.Path == collective.PathAuto && r.cluster.Node(int(c.Members[w.From])) != r.cluster.Node(int(c.Members[w.To]))
}

// connectAll makes all connections of a collective before the run: while it runs in
// several partitions, nobody can make one at both of its ends.
func (r *collectives) connectAll(c *Communicator, legs []Leg) error {
	for i := range legs {
		if !r.outward(c, &legs[i]) {
			continue
		}
		k, _ := c.Pair(&legs[i])
		if _, err := r.connect(k); err != nil {
			return err
		}
	}
	r.connected = true
	return nil
}
