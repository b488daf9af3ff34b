package fabric

// EthernetPort is what may differ between the ports of an Ethernet switch,
// because it follows from the rate and the length of their cables: the headroom
// and the threshold of what comes in there, the marking of what goes out.
type EthernetPort struct {
	Headroom           int32
	AlphaNum, AlphaDen int64
	ECN                [8]ECN
}

// xoff is how much of the shared pool an ingress queue may hold.
func (n *Network) xoff(s *ethernetState, link int32) int64 {
	if s.spec.Ports != nil {
		port := n.ethernetPort(s, n.inboxes[link].back)
		return (s.spec.Shared - s.used) * port.AlphaNum / port.AlphaDen
	}
	return s.spec.threshold(s.used)
}

// headroom is that of an ingress queue.
func (n *Network) headroom(s *ethernetState, link int32) int32 {
	if s.spec.Ports != nil {
		return n.ethernetPort(s, n.inboxes[link].back).Headroom
	}
	return s.spec.Headroom
}

// ecn is the marking of an egress queue.
func (n *Network) ecn(s *ethernetState, port int32, class uint8) *ECN {
	if s.spec.Ports != nil {
		return &n.ethernetPort(s, port).ECN[class]
	}
	return &s.spec.ECN[class]
}

func (n *Network) ethernetPort(s *ethernetState, port int32) *EthernetPort {
	return &s.spec.Ports[port-n.nodes[n.ports[port].node].base]
}
