package subnet

import "fmt"

// NodeName is what messages call a node: its description, or its GUID where it
// has none.
func (s *Subnet) NodeName(node int32) string {
	n := &s.Nodes[node]
	if n.Name == "" {
		return n.GUID.String()
	}
	return fmt.Sprintf("%q", n.Name)
}

// EndName is what messages call a port.
func (s *Subnet) EndName(e End) string {
	return fmt.Sprintf("%s port %d", s.NodeName(e.Node), e.Port)
}
