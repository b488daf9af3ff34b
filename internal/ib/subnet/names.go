package subnet

import (
	"fmt"
	"strings"
)

// NodeName is a node's name in messages: its description, or its GUID if it has none.
func (s *Subnet) NodeName(node int32) string {
	n := &s.Nodes[node]
	if n.Name == "" {
		return n.GUID.String()
	}
	return fmt.Sprintf("%q", n.Name)
}

// EndName is a port's name in messages.
func (s *Subnet) EndName(e End) string {
	p := &Port{} // tables name ports that a switch does not have
	if int(e.Port) < len(s.Nodes[e.Node].Ports) {
		p = s.Port(e)
	}
	return s.NodeName(e.Node) + " " + p.NameAs(e.Port)
}

// NameAs is the name of a port with a number.
func (p *Port) NameAs(number uint8) string {
	switch {
	case p.Name != "" && strings.Trim(p.Name, "0123456789/") == "":
		return "port " + p.Name
	case p.Name != "":
		return p.Name
	}
	return fmt.Sprintf("port %d", number)
}
