package whatif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
)

// Part is a part of a fabric that fails: a switch, or a cable.
type Part struct {
	Name string
	// Node is the switch; -1 for a cable.
	Node int32
	// Cable is one end of the cable; None for a switch.
	Cable subnet.End
	// Host says that the cable leads to a host.
	Host bool
}

// Find is the part that a text names: a switch or a host by its name or GUID; with :PORT behind it the cable at this
// port. MF0;leaf7:MQM9700/U1 is found by leaf7 too.
func Find(s *subnet.Subnet, text string) (Part, error) {
	text = strings.Replace(text, " port ", ":", 1) // as faults of a scenario write it
	nodes, err := nodesNamed(s, text)
	if err != nil {
		return Part{}, err
	}
	if len(nodes) == 1 {
		return wholeNode(s, nodes[0])
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return Part{}, unknown(s, text)
	}
	port, err := strconv.Atoi(text[i+1:])
	if err != nil {
		return Part{}, unknown(s, text)
	}
	if nodes, err = nodesNamed(s, text[:i]); err != nil {
		return Part{}, err
	}
	if len(nodes) == 0 {
		return Part{}, unknown(s, text[:i])
	}
	n := &s.Nodes[nodes[0]]
	if port < 1 || port > n.NumPorts() || !n.Ports[port].Peer.Exists() {
		return Part{}, fmt.Errorf("%q: %s has no cable at port %d", text, s.NodeName(nodes[0]), port)
	}
	return cable(s, subnet.End{Node: nodes[0], Port: uint8(port)}), nil
}

// Same reports whether two parts of a subnet are one: a cable has a name at each end.
func (p Part) Same(s *subnet.Subnet, o Part) bool {
	if p.Node >= 0 || o.Node >= 0 {
		return p.Node == o.Node
	}
	return p.Cable == o.Cable || s.Peer(p.Cable) == o.Cable
}

// wholeNode is a switch, or the only cable of a host's adapter.
func wholeNode(s *subnet.Subnet, node int32) (Part, error) {
	n := &s.Nodes[node]
	if n.Kind == subnet.Switch {
		return Part{Name: n.Name, Node: node, Cable: subnet.None}, nil
	}
	for p := range n.Ports {
		if n.Ports[p].Peer.Exists() {
			return cable(s, subnet.End{Node: node, Port: uint8(p)}), nil
		}
	}
	return Part{}, fmt.Errorf("%s has no cable", s.NodeName(node))
}

func cable(s *subnet.Subnet, e subnet.End) Part {
	far := s.Peer(e)
	host := s.Nodes[e.Node].Kind != subnet.Switch || s.Nodes[far.Node].Kind != subnet.Switch
	return Part{Name: s.EndName(e) + " to " + s.EndName(far), Node: -1, Cable: e, Host: host}
}

// nodesNamed are the nodes that a name or GUID means; an error if it means several.
func nodesNamed(s *subnet.Subnet, text string) (found []int32, err error) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Name == text || n.GUID.String() == text || strings.EqualFold(shortName(n.Name), text) || n.Kind == subnet.Adapter && sameAdapter(n.Name, text) {
			found = append(found, int32(i))
		}
	}
	if len(found) > 1 {
		return nil, fmt.Errorf("%q is the name of %d nodes: name one by its GUID, such as %v", text, len(found), s.Nodes[found[0]].GUID)
	}
	return found, nil
}

// sameAdapter reports whether two texts name one adapter of a host, which Linux writes gpu7 mlx5_0, and scenarios
// gpu7/mlx5_0.
func sameAdapter(a, b string) bool {
	slashed := strings.NewReplacer(" ", "/")
	return slashed.Replace(a) == slashed.Replace(b)
}

// shortName is the site's name in the description of a managed switch: leaf7 of MF0;leaf7:MQM9700/U1.
func shortName(description string) string {
	_, rest, ok := strings.Cut(description, ";")
	if !ok {
		return description
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}

func unknown(s *subnet.Subnet, text string) error {
	var first []string
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Switch && len(first) < 3 {
			first = append(first, strconv.Quote(s.Nodes[i].Name))
		}
	}
	return fmt.Errorf("%q is no part of the fabric: want a switch, or a switch and a port, such as leaf7:12; the switches are %s, …", wording.Abridged(text, 64), strings.Join(first, ", "))
}

// Every is every switch and every cable of a fabric, in the order of its nodes.
func Every(s *subnet.Subnet) (all []Part) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind == subnet.Switch && n.Base() == 0 {
			all = append(all, Part{Name: n.Name, Node: int32(i), Cable: subnet.None})
		}
	}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			e := subnet.End{Node: int32(i), Port: uint8(p)}
			if far := s.Peer(e); far.Exists() && (far.Node > e.Node || far.Node == e.Node && far.Port > e.Port) {
				all = append(all, cable(s, e))
			}
		}
	}
	return all
}

// without is the subnet without a part.
func without(s *subnet.Subnet, p Part) *subnet.Subnet {
	c := s.Clone()
	cut := func(e subnet.End) {
		far := c.Peer(e)
		c.Port(e).Peer = subnet.None
		if far.Exists() {
			c.Port(far).Peer = subnet.None
		}
	}
	if p.Node < 0 {
		cut(p.Cable)
		return c
	}
	for port := range c.Nodes[p.Node].Ports {
		if e := (subnet.End{Node: p.Node, Port: uint8(port)}); c.Peer(e).Exists() {
			cut(e)
		}
	}
	drop(c, p.Node)
	return c
}

// drop removes a node without cables: to an engine it would be an island.
func drop(s *subnet.Subnet, node int32) {
	s.Nodes = slices.Delete(s.Nodes, int(node), int(node)+1)
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if peer := &s.Nodes[i].Ports[p].Peer; peer.Node > node {
				peer.Node--
			}
		}
	}
	switch {
	case s.Origin.Node == node:
		s.Origin = subnet.None
	case s.Origin.Node > node:
		s.Origin.Node--
	}
}
