package format

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// index finds the nodes and ports of a subnet by the GUIDs in tables.
type index struct {
	node map[units.GUID]int32      // by NodeGUID
	port map[units.GUID]subnet.End // by PortGUID
}

func newIndex(s *subnet.Subnet) *index {
	x := &index{node: make(map[units.GUID]int32, len(s.Nodes)), port: make(map[units.GUID]subnet.End, len(s.Nodes))}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if _, twice := x.node[n.GUID]; !twice {
			x.node[n.GUID] = int32(i)
		}
		for j := range n.Ports {
			guid := n.Ports[j].GUID
			if _, twice := x.port[guid]; !twice && guid != 0 {
				x.port[guid] = subnet.End{Node: int32(i), Port: uint16(j)}
			}
		}
	}
	return x
}

// switchOf finds a switch by its NodeGUID or the GUID of its port 0: the tools print either one.
func (x *index) switchOf(s *subnet.Subnet, guid units.GUID) (int32, bool) {
	if node, ok := x.node[guid]; ok && s.Nodes[node].Kind == subnet.Switch {
		return node, true
	}
	end, ok := x.port[guid]
	return end.Node, ok && s.Nodes[end.Node].Kind == subnet.Switch
}
