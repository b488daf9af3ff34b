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
	return s.NodeName(e.Node) + " " + s.Nodes[e.Node].NameOfPort(e.Port)
}

// PortName is the name of a port, empty if it has a number alone.
func (n *Node) PortName(number uint16) string {
	if int(number) >= len(n.PortNames) {
		return ""
	}
	return n.PortNames[number]
}

// NamePort gives a port a name.
func (n *Node) NamePort(number uint16, name string) {
	if n.PortNames == nil {
		n.PortNames = make([]string, len(n.Ports))
	}
	n.PortNames[number] = name
}

// NameOfPort is a port in messages. Tables name ports that a switch does not have.
func (n *Node) NameOfPort(number uint16) string {
	name := n.PortName(number)
	switch {
	case name != "" && strings.Trim(name, "0123456789/") == "":
		return "port " + name
	case name != "":
		return name
	}
	return fmt.Sprintf("port %d", number)
}
