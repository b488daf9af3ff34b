package subnet

import (
	"fmt"

	"weft/units"
)

// Kind is the type of a node (IBA vol. 1, 14.2.5.3, NodeInfo.NodeType).
type Kind uint8

// The kinds of node, numbered as on the wire.
const (
	Adapter Kind = 1 // a channel adapter: an HCA or TCA
	Switch  Kind = 2
	Router  Kind = 3
)

// String is the kind in the words of operators.
func (k Kind) String() string {
	switch k {
	case Adapter:
		return "channel adapter"
	case Switch:
		return "switch"
	case Router:
		return "router"
	}
	return "unknown node"
}

// MaxPorts is the highest port number of a node: 255 means "no port" in a
// forwarding table (IBA vol. 1, 14.2.5.10).
const MaxPorts = 254

// MaxEthernetPorts is the highest port number of an Ethernet switch. The largest chassis have some 2,000 ports.
const MaxEthernetPorts = 1<<14 - 1

// CheckPorts is an error if a node has more ports than tables of InfiniBand number, as switches of Ethernet may.
func (s *Subnet) CheckPorts() error {
	for i := range s.Nodes {
		if n := s.Nodes[i].NumPorts(); n > MaxPorts {
			return fmt.Errorf("%s has %d ports: forwarding tables number at most %d", s.NodeName(int32(i)), n, MaxPorts)
		}
	}
	return nil
}

// End is a port of a node. A Node below 0 stands for no port at all.
type End struct {
	Node int32  // index into Subnet.Nodes
	Port uint16 // number of the port on it
}

// None is the end of a link that does not exist.
var None = End{Node: -1}

// Exists reports whether e is a port.
func (e End) Exists() bool { return e.Node >= 0 }

// Port is one port of a node.
type Port struct {
	GUID units.GUID // of an adapter's port and of a switch's port 0; 0 elsewhere
	LID  units.LID  // of an adapter's port and of a switch's port 0; 0: none yet
	LMC  uint8      // 0 to 7: the port has 2^LMC LIDs from LID on
	Peer End        // the port at the other end of the cable, or None
	Link Link       // of the cable to Peer
	// Could is the best link that both ends support, if a tool said that Link is less; otherwise zero.
	Could Link
	State State // as far as a tool said it
}

// Node is a switch, an adapter or a router.
type Node struct {
	Kind       Kind
	GUID       units.GUID // NodeGUID
	SystemGUID units.GUID // SystemImageGUID; 0 if it is not known
	VendorID   uint32     // 24 bits
	DeviceID   uint16
	Revision   uint32
	Name       string // NodeDescription: up to 64 bytes of free text
	// ID is the node's name in a file if it is not made of the GUID, as in ibsim's short form;
	// otherwise empty.
	ID string
	// Enhanced says that port 0 of the switch is an enhanced port 0.
	Enhanced bool
	Ports    []Port // by port number, from 0
	// PortNames are the names of the ports, by port number, on a fabric whose ports have names, such as Ethernet16.
	PortNames []string
}

// NumPorts is the number of external ports of the node: the highest port number.
func (n *Node) NumPorts() int { return len(n.Ports) - 1 }

// Base is the port with the node's LID: port 0 of a switch; the first port with a cable of an
// adapter or router, else its first port.
func (n *Node) Base() uint16 {
	if n.Kind == Switch {
		return 0
	}
	for p := 1; p < len(n.Ports); p++ {
		if n.Ports[p].Peer.Exists() {
			return uint16(p)
		}
	}
	return 1
}

// Subnet is a set of nodes connected by cables. The order of the nodes is the order of reading or
// building. No result depends on it unless the function says so.
type Subnet struct {
	Nodes []Node
	// Origin is the port at which the discovery began, or the manager's port; None if unknown.
	Origin End
}

// Port is the port at e.
func (s *Subnet) Port(e End) *Port { return &s.Nodes[e.Node].Ports[e.Port] }

// Peer is the port at the other end of the cable at e, or None.
func (s *Subnet) Peer(e End) End { return s.Nodes[e.Node].Ports[e.Port].Peer }

// Switches counts the switches.
func (s *Subnet) Switches() int {
	n := 0
	for i := range s.Nodes {
		if s.Nodes[i].Kind == Switch {
			n++
		}
	}
	return n
}

// Connect connects two ports with a cable. The ports must exist and be free.
func (s *Subnet) Connect(a, b End, link Link) {
	pa, pb := s.Port(a), s.Port(b)
	if pa.Peer.Exists() || pb.Peer.Exists() {
		panic("subnet: a port was cabled twice") // readers check before they connect
	}
	pa.Peer, pa.Link = b, link
	pb.Peer, pb.Link = a, link
}

// Add appends a node with ports 0 to n, without cables, and returns its index.
func (s *Subnet) Add(n Node, ports int) int32 {
	n.Ports = make([]Port, ports+1)
	for i := range n.Ports {
		n.Ports[i].Peer = None
	}
	s.Nodes = append(s.Nodes, n)
	return int32(len(s.Nodes) - 1)
}

// Clone is a deep copy, for code that breaks cables or assigns LIDs.
func (s *Subnet) Clone() *Subnet {
	c := &Subnet{Nodes: append([]Node(nil), s.Nodes...), Origin: s.Origin}
	for i := range c.Nodes {
		c.Nodes[i].Ports = append([]Port(nil), c.Nodes[i].Ports...)
	}
	return c
}
