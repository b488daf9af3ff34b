package subnet

import (
	"cmp"
	"fmt"

	"weft/internal/base/topology"
	"weft/units"
)

// GUIDs of a subnet from a graph: each node has a block of GUIDs. Adapters and switches have
// different bases, so a GUID shows the kind of its node. The prefix is a locally administered
// EUI-64 (IEEE: the universal/local bit set), which no vendor assigns.
const (
	adapterGUIDs units.GUID = 0x0200_5745_0010_0000
	switchGUIDs  units.GUID = 0x0200_5745_0040_0000
	guidBlock    units.GUID = 4
)

// FromGraph is the subnet of a graph; a cable without a rate of its own has the given link. Each endpoint is an adapter,
// whose ports have consecutive GUIDs. Port p of the graph is port p+1 here. Node i of the graph is
// node i of the subnet. Nodes of a real fabric have their own GUIDs. No port has a LID.
//
// It refuses switches with more ports than InfiniBand numbers.
func FromGraph(g *topology.Graph, link Link) (*Subnet, error) { return fromGraph(g, link, MaxPorts) }

// FromEthernet is the graph of an Ethernet fabric in the form of a subnet, for what looks at its shape alone. Its switches
// may have more ports.
func FromEthernet(g *topology.Graph, link Link) (*Subnet, error) {
	return fromGraph(g, link, MaxEthernetPorts)
}

func fromGraph(g *topology.Graph, link Link, most int) (*Subnet, error) {
	s := &Subnet{Nodes: make([]Node, 0, len(g.Nodes)), Origin: None}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if len(n.Cables) > most {
			return nil, fmt.Errorf("%s has %d ports: %s has at most %d", n.Name, len(n.Cables), map[bool]string{true: "an InfiniBand node", false: "a switch"}[most == MaxPorts], most)
		}
		if n.Kind == topology.Switch {
			guid := cmp.Or(n.ID.GUID, SwitchAt(i-g.Endpoints))
			at := s.Add(Node{Kind: Switch, GUID: guid, SystemGUID: guid, Name: n.Name}, len(n.Cables))
			s.Nodes[at].Ports[0].GUID = guid
			for p, name := range n.PortNames {
				s.Nodes[at].NamePort(uint16(p+1), name)
			}
			continue
		}
		guid := cmp.Or(n.ID.GUID, adapterGUIDs+units.GUID(i)*adapterBlock)
		at := s.Add(Node{Kind: Adapter, GUID: guid, SystemGUID: guid, Name: n.Name}, len(n.Cables))
		for p := 1; p <= len(n.Cables); p++ {
			s.Nodes[at].Ports[p].GUID = cmp.Or(n.ID.Port, guid+units.GUID(p))
		}
	}
	for i := range g.Cables {
		c := &g.Cables[i]
		s.Connect(endOf(c.A), endOf(c.B), LinkAt(c.Rate, link))
	}
	if g.Endpoints > 0 {
		s.Origin = End{Node: 0, Port: s.Nodes[0].Base()}
	}
	return s, nil
}

func endOf(e topology.End) End { return End{Node: int32(e.Node), Port: uint16(e.Port + 1)} }
