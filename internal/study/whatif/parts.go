package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
	"weft/internal/sim/catalog"
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
	nodes, err := nodesNamed(s, text)
	if err != nil {
		return Part{}, err
	}
	if len(nodes) == 1 {
		return wholeNode(s, nodes[0])
	}
	name, port, ok := cabling.SplitEnd(text, func(name string) bool {
		found, err := nodesNamed(s, name)
		return err != nil || len(found) > 0
	})
	if !ok {
		return Part{}, unknown(s, text)
	}
	if nodes, err = nodesNamed(s, name); err != nil {
		return Part{}, err
	}
	n := &s.Nodes[nodes[0]]
	names := make([]string, n.NumPorts())
	for p := range names {
		names[p] = n.PortName(uint16(p + 1))
	}
	at := cabling.PortNumber(port, names)
	if at < 1 || at > n.NumPorts() || !n.Ports[at].Peer.Exists() {
		return Part{}, fmt.Errorf("%q: %s has no cable at port %s", text, s.NodeName(nodes[0]), wording.Abridged(port, 64))
	}
	return cable(s, subnet.End{Node: nodes[0], Port: uint16(at)}), nil
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
			return cable(s, subnet.End{Node: node, Port: uint16(p)}), nil
		}
	}
	return Part{}, fmt.Errorf("%s has no cable", s.NodeName(node))
}

func cable(s *subnet.Subnet, e subnet.End) Part {
	far := s.Peer(e)
	host := s.Nodes[e.Node].Kind != subnet.Switch || s.Nodes[far.Node].Kind != subnet.Switch
	return Part{Name: endName(s, e) + " to " + endName(s, far), Node: -1, Cable: e, Host: host}
}

// endName is a port as --fail takes it, too.
func endName(s *subnet.Subnet, e subnet.End) string {
	name := s.Nodes[e.Node].Name
	if name == "" {
		name = s.Nodes[e.Node].GUID.String()
	}
	return name + " " + s.Nodes[e.Node].NameOfPort(e.Port)
}

// nodesNamed are the nodes that a name or GUID means; an error if it means several.
func nodesNamed(s *subnet.Subnet, text string) (found []int32, err error) {
	for _, i := range cabling.Meant(text, len(s.Nodes), func(i int) string { return s.Nodes[i].Name }) {
		found = append(found, int32(i))
	}
	for i := range s.Nodes {
		if s.Nodes[i].GUID.String() == text {
			return []int32{int32(i)}, nil
		}
	}
	if len(found) > 1 {
		return nil, cabling.Ambiguous(text, len(found), s.NodeName(found[0]), s.Nodes[found[0]].GUID.String())
	}
	return found, nil
}

// unknown is the error of a name that no part has, with the nearest name or some.
func unknown(s *subnet.Subnet, text string) error {
	var names, first []string
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if names = append(names, n.Name); n.Kind == subnet.Switch && len(first) < 3 {
			first = append(first, strconv.Quote(n.Name))
		}
	}
	name, port, hasPort := strings.Cut(text, ":")
	if near := cmp.Or(catalog.Nearest(text, names), catalog.Nearest(name, names)); near != "" {
		if hasPort && near != catalog.Nearest(text, names) {
			near += ":" + port
		}
		return fmt.Errorf("%q is no part of the fabric: do you mean %q?", wording.Abridged(text, 64), wording.Abridged(near, 64))
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
			e := subnet.End{Node: int32(i), Port: uint16(p)}
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
		if e := (subnet.End{Node: p.Node, Port: uint16(port)}); c.Peer(e).Exists() {
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
