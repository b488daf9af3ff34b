package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
)

// divisible reports whether a collective can run in several simulation partitions: ranks must
// affect each other only through the network, and the pairs of communicating ranks must be known
// before. Three kinds cannot: streams end with the last rank, which all of them would have to know
// at once; reductions and copies in switches are a common state of all NICs of a rail; and a pair
// of NICs that may not communicate is found only at its first message.
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

// connectAll makes all connections of a collective before the run: during a run in several
// partitions, no partition can make both ends.
func (r *collectives) connectAll(c *Communicator, legs []Leg) error {
	for i := range legs {
		if !r.outward(c, &legs[i]) {
			continue
		}
		k, _ := c.Pair(&legs[i])
		if _, err := r.connect(k, nil); err != nil {
			return err
		}
	}
	r.connected = true
	return nil
}
