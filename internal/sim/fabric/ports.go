package fabric

// EthernetPort is the properties that may differ between the ports of an Ethernet switch, because
// they follow from the rate and the length of their cables: the headroom and the threshold of the
// ingress, the marking of the egress.
type EthernetPort struct {
	Headroom           int32
	AlphaNum, AlphaDen int64
	ECN                [8]ECN
}

// over reports whether bytes are more than the threshold of an ingress queue in the shared pool:
// alpha times the free part, rounded down. It is called several times per hop, so it multiplies and
// does not divide.
func (s *ethernetState) over(g *ingress, bytes int64) bool {
	free := s.shared - s.used
	if s.spec.Ports == nil && s.spec.StaticXoff > 0 {
		return bytes > min(s.spec.StaticXoff, free)
	}
	return bytes*g.den > free*g.num
}

// thresholds stores the thresholds in the ingress queues of a switch.
func (n *Network) thresholds(nd *node) {
	s := nd.ethernet
	for port := nd.base; port < nd.base+nd.ports; port++ {
		link := n.back[port]
		if link < 0 {
			continue
		}
		num, den := s.spec.AlphaNum, s.spec.AlphaDen
		switch {
		case s.spec.Ports != nil:
			own := s.portOf(n, port)
			num, den = own.AlphaNum, own.AlphaDen
		case s.spec.StaticXoff > 0:
			num, den = 0, 1
		case den == 0:
			num = 1 // no threshold
		}
		for class := range n.classes {
			g := &n.ingress[int(link)*n.classes+class]
			g.num, g.den = num, den
		}
	}
}

// headroomOf is the headroom of an ingress queue.
func (s *ethernetState) headroomOf(n *Network, link int32) int32 {
	if s.spec.Ports != nil {
		return s.portOf(n, n.inboxes[link].back).Headroom
	}
	return s.spec.Headroom
}

// ecn is the marking of an egress queue.
func (s *ethernetState) ecn(n *Network, port int32, class uint8) *ECN {
	if s.spec.Ports != nil {
		return &s.portOf(n, port).ECN[class]
	}
	return &s.spec.ECN[class]
}

func (s *ethernetState) portOf(n *Network, port int32) *EthernetPort {
	return &s.spec.Ports[port-n.nodes[n.ports[port].node].base]
}
