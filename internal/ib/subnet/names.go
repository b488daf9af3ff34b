package subnet

import "fmt"

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
	return fmt.Sprintf("%s port %d", s.NodeName(e.Node), e.Port)
}
