package topology

import (
	"fmt"
	"strings"

	"weft/units"
)

// Kind is the kind of a node of the graph.
type Kind uint8

// The kinds of node.
const (
	Endpoint Kind = iota // one network port of a NIC: the end of every path
	Switch
)

// NodeID indexes Graph.Nodes. Endpoints come first: the endpoint with index e
// of a cluster is node e, switches follow.
type NodeID int32

// End is one side of a cable: a node and the port on it, counted from 0.
type End struct {
	Node NodeID
	Port int32
}

// Cable is a full-duplex cable between two ports.
type Cable struct {
	A, B   End
	Length units.Length
	Rate   units.Rate // 0: the rate of the fabric's generation
}

// Node is an endpoint or a switch.
type Node struct {
	Kind Kind
	Name string
	// ID is the node's identity in an InfiniBand subnet, if the fabric is a real one; else zero.
	ID Identity
	// Level is 0 at endpoints, 1 at leaves, 2 at spines, 3 at cores.
	Level int8
	// Group is the pod, the dragonfly group or the scalable unit; for a core, the plane of its
	// spines. Rail and Plane are the rail and the plane of a node. -1 if it has none.
	Group, Rail, Plane int32
	// Cables holds the index into Graph.Cables by port, -1 for a port without a cable. Its length
	// is the radix.
	Cables []int32
	// PortNames are the names of the first ports of a switch on a real fabric whose ports have names; else nil.
	PortNames []string
}

// Identity is what a Subnet Manager knows a node by. The zero value says that the node has none of its own.
type Identity struct {
	GUID units.GUID // of the node
	Port units.GUID // of the port of an endpoint
	LID  units.LID  // of a switch, or of the port of an endpoint; 0: none
}

// Cabled is the number of ports with a cable.
func (n *Node) Cabled() (ports int) {
	for _, c := range n.Cables {
		if c >= 0 {
			ports++
		}
	}
	return ports
}

// PortText is a port of a node, from 0, in messages: its name on a real fabric whose ports have names, such as Ethernet16,
// else its number, from 1.
func (n *Node) PortText(port int32) string {
	if int(port) < len(n.PortNames) && n.PortNames[port] != "" {
		if name := n.PortNames[port]; strings.Trim(name, "0123456789/") != "" {
			return name
		}
		return "port " + n.PortNames[port]
	}
	return fmt.Sprintf("port %d", port+1)
}

// Family selects the routing rules of a graph: a minimal path is defined differently in a tree, a
// dragonfly and a torus.
type Family uint8

// The families of shapes.
const (
	FamilyTree          Family = iota // levels, up then down
	FamilyDragonflyPlus               // groups of leaves and spines; cables between spines of different groups
	FamilyDragonfly                   // groups of fully meshed switches; global cables between groups
	FamilyTorus                       // switches at the points of a grid
	FamilyListed                      // any other: shortest paths
)

// Graph is a fabric. It is immutable once built.
type Graph struct {
	Nodes     []Node
	Cables    []Cable
	Endpoints int // the number of endpoints, which are the first of Nodes

	// Services is the number of endpoints, the last ones, that belong to the
	// fabric's management (UFM) and carry no load of the cluster.
	Services int
	// Others is the number of endpoints, before the services, that are of other hosts than the cluster's, such as storage:
	// they carry no load of it.
	Others int
	// NodeNICs is the number of endpoints of a host: endpoint e is NIC e % NodeNICs of host e /
	// NodeNICs. 0 if it is unknown.
	NodeNICs int
	// Planes is the number of separate fabrics side by side, at least 1. In a graph of several
	// planes an endpoint has one cable to each: its Plane is -1, and port p leads to plane p.
	Planes int
	Family Family
	// Dims is the number of switches along each dimension of a torus, the fastest first: switch
	// Endpoints + x + Dims[0]*(y + Dims[1]*z). Ring is true if the ends of each dimension are
	// connected.
	Dims []int
	Ring bool
}

// Compute is the number of endpoints of the cluster's hosts.
func (g *Graph) Compute() int { return g.Endpoints - g.Services - g.Others }

// Switches is the number of switches: nodes Endpoints to len(Nodes)-1.
func (g *Graph) Switches() int { return len(g.Nodes) - g.Endpoints }

// HostName is the name of a host, from 0: what stands before the names of its NICs.
func (g *Graph) HostName(host int) string {
	if nic := host * max(1, g.NodeNICs); nic < g.Endpoints {
		if name, _, ok := strings.Cut(g.Nodes[nic].Name, "/"); ok {
			return name
		}
	}
	return fmt.Sprintf("node%d", host)
}

// Peer is the other side of the cable at e; ok is false if the port has no cable.
func (g *Graph) Peer(e End) (peer End, cable int32, ok bool) {
	c := g.Nodes[e.Node].Cables[e.Port]
	if c < 0 {
		return End{}, -1, false
	}
	if cb := g.Cables[c]; cb.A == e {
		return cb.B, c, true
	}
	return g.Cables[c].A, c, true
}
