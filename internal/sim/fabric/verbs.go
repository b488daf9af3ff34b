package fabric

import (
	"weft/internal/sim/transport"
	"weft/units"
)

// PostRecv posts a receive on a queue pair of a NIC.
func (p *Partition) PostRecv(nic int32, end units.QPN, r transport.RecvRequest) error {
	return p.net.nicOf(nic).flows.flow(end).qp.PostRecv(p.now, r)
}

// Refusals are the messages that arrived but were not accepted.
func (n *Network) Refusals() (sum transport.Refusals) {
	for _, p := range n.parts {
		r := &p.batch.Refusals
		sum.RNRNAKs += r.RNRNAKs
		sum.NoReceive += r.NoReceive
		sum.OutOfTurn += r.OutOfTurn
		sum.QKey += r.QKey
	}
	return sum
}

// Empty reports whether the network has no packets.
func (n *Network) Empty() bool {
	packets, _ := n.inside()
	return packets == 0
}
