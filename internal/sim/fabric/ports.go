package fabric

import (
	"weft/internal/sim/fabric/buffer"
	"weft/internal/sim/fabric/marking"
)

// EthernetPort is the properties that may differ between the ports of an Ethernet switch, because
// they follow from the rate and the length of their cables: the headroom and the threshold of the
// ingress, the marking of the egress.
type EthernetPort struct {
	Headroom           int32
	AlphaNum, AlphaDen int64
	ECN                [8]marking.ECN
}

// bufferLimits are the limits of the switch's buffer. Where ports have limits of their own there is no
// fixed threshold.
func (s *EthernetSwitch) bufferLimits() buffer.Limits {
	l := buffer.Limits{
		Shared: s.Shared, Reserve: s.Reserve, HeadroomPool: s.HeadroomPool, XonOffset: s.XonOffset, Xon: s.Xon,
	}
	if s.Ports == nil {
		l.StaticXoff = s.StaticXoff
	}
	return l
}

// makeIngress makes the ingress queues of a switch, with their thresholds and headroom.
func (n *Network) makeIngress(nd *node) {
	s := nd.ethernet
	for port := nd.base; port < nd.base+nd.ports; port++ {
		link := n.back[port]
		if link < 0 {
			continue
		}
		num, den, headroom := s.spec.AlphaNum, s.spec.AlphaDen, s.spec.Headroom
		if s.spec.Ports != nil {
			own := s.portOf(n, port)
			num, den, headroom = own.AlphaNum, own.AlphaDen, own.Headroom
		}
		for class := range n.classes {
			n.ingress[int(link)*n.classes+class] = s.buffer.NewIngress(num, den, headroom)
		}
	}
}

// ecn is the marking of an egress queue.
func (s *ethernetState) ecn(n *Network, port int32, class uint8) *marking.ECN {
	if s.spec.Ports != nil {
		return &s.portOf(n, port).ECN[class]
	}
	return &s.spec.ECN[class]
}

func (s *ethernetState) portOf(n *Network, port int32) *EthernetPort {
	return &s.spec.Ports[port-n.nodes[n.ports[port].node].base]
}
