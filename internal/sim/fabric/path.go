package fabric

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// Path is the links of the packets of one end of a connection, from its NIC to the other's. It is
// nil if the sender or a switch chooses packet by packet.
func (n *Network) Path(nic int32, end units.QPN) []int32 {
	f := n.nicOf(nic).flows.flow(end)
	if f.wants&cc.WantEntropy != 0 {
		return nil
	}
	k := pkt{dst: f.dst, entropy: f.entropy}
	path := []int32{f.port}
	for at := n.inboxes[f.port].node; at != f.dst; at = n.inboxes[path[len(path)-1]].node {
		nd := &n.nodes[at]
		if !nd.routing.settled() || nd.kind == kindNIC || len(path) > len(n.nodes) {
			return nil
		}
		path = append(path, nd.route(n.parts[nd.part], &k))
	}
	return path
}
