package fabric

import (
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/fabric/buffer"
	"weft/internal/sim/fabric/marking"
)

// EthernetPort is the properties that may differ between the ports of an Ethernet switch: the headroom and the
// threshold of the ingress, which follow from the rate and the length of the cable; the queues, marking and bound of the
// egress; and what the port pauses, and obeys.
type EthernetPort struct {
	Headroom             int32
	AlphaNum, AlphaDen   int64 // without effect beside a fixed threshold
	EgressNum, EgressDen int64
	ECN                  [8]marking.ECN
	Lossless             uint16 // as PFC.Lossless
	Stops                *[MaxClasses]uint16
	MaxFrame             uint16
	Schedule             arbitration.Schedule
	// Ingress, if not nil, is by class what a class has of its own, in place of Headroom, the alpha, and the switch's Reserve and
	// Xon.
	Ingress []IngressClass
}

// IngressClass is the part of the buffer of one class at a port.
type IngressClass struct {
	Headroom, Reserve, Xon int32 // bytes, as those of a switch
	AlphaNum, AlphaDen     int64
}

// bufferLimits are the limits of the switch's buffer.
func (s *EthernetSwitch) bufferLimits() buffer.Limits {
	return buffer.Limits{
		Shared: s.Shared, Reserve: s.Reserve, HeadroomPool: s.HeadroomPool, StaticXoff: s.StaticXoff, XonOffset: s.XonOffset, Xon: s.Xon,
	}
}

// makeIngress makes the ingress queues of a switch, with their thresholds and headroom.
func (n *Network) makeIngress(nd *node) {
	s := nd.ethernet
	for port := nd.base; port < nd.base+nd.ports; port++ {
		link := n.back[port]
		if link < 0 {
			continue
		}
		num, den, headroom, byClass := s.spec.AlphaNum, s.spec.AlphaDen, s.spec.Headroom, s.spec.Ingress
		if s.spec.Ports != nil {
			own := s.portOf(n, port)
			num, den, headroom, byClass = own.AlphaNum, own.AlphaDen, own.Headroom, own.Ingress
		}
		for class := range n.classes {
			queue := &n.ingress[int(link)*n.classes+class]
			*queue = s.buffer.NewIngress(num, den, headroom)
			if class < len(byClass) {
				own := &byClass[class]
				*queue = s.buffer.NewIngress(own.AlphaNum, own.AlphaDen, own.Headroom).With(own.Reserve, own.Xon)
			}
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

// notePort takes a port's own settings into what the switch tests before it looks at the port.
func (s *ethernetState) notePort(own *EthernetPort) {
	s.noteMarking(&own.ECN)
	if own.MaxFrame != 0 {
		s.longest = min(s.longest, own.MaxFrame)
	}
	if own.EgressDen != 0 {
		s.bounded |= ^own.Lossless
	}
}

// losslessAt are the classes that are lossless at a port.
func (s *ethernetState) losslessAt(n *Network, port int32) uint16 {
	if s.spec.Ports != nil {
		return s.portOf(n, port).Lossless
	}
	return s.lossless
}

// isBounded reports whether the egress queue of a class has a bound at a port.
func (s *ethernetState) isBounded(n *Network, port int32, class uint8) bool {
	if s.spec.Ports == nil {
		return has(s.bounded, class)
	}
	own := s.portOf(n, port)
	return own.EgressDen != 0 && !has(own.Lossless, class)
}

// egressAlpha is the alpha of bounded egress queues of a port.
func (s *ethernetState) egressAlpha(n *Network, port int32) (num, den int64) {
	if s.spec.Ports != nil {
		own := s.portOf(n, port)
		return own.EgressNum, own.EgressDen
	}
	return s.spec.EgressNum, s.spec.EgressDen
}

// isTooLong reports whether a packet is longer than its port takes in.
func (s *ethernetState) isTooLong(n *Network, link int32, size uint16) bool {
	if s.spec.Ports == nil {
		return size > s.longest
	}
	most := s.portOf(n, n.inboxes[link].back).MaxFrame
	return most != 0 && size > most
}

// schedule is the order of the queues of a port.
func (s *ethernetState) schedule(n *Network, port int32) *arbitration.Schedule {
	if s.spec.Ports != nil {
		return &s.portOf(n, port).Schedule
	}
	return &s.spec.Schedule
}

// stopsAt are the queues that pauses stop at a port, as PFC.Stops.
func (s *ethernetState) stopsAt(n *Network, port int32) *[MaxClasses]uint16 {
	if s.spec.Ports != nil {
		return s.portOf(n, port).Stops
	}
	return s.spec.PFC.Stops
}
