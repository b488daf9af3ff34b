package network

import (
	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// Subnet is the graph of a fabric as a subnet without LIDs, with the fabric's links. A link generation that InfiniBand does
// not have is shown by its rate.
func Subnet(f *scenario.Fabric, g *topology.Graph) (*subnet.Subnet, error) {
	if !protocol.Of(f.Kind).SubnetManager {
		return subnet.FromEthernet(g, subnet.Bare(f.Link.Rate()))
	}
	speed, known := subnet.ParseSpeed(f.Link.Generation)
	if !known {
		return subnet.FromGraph(g, subnet.Bare(f.Link.Rate()))
	}
	return subnet.FromGraph(g, subnet.Link{Width: subnet.Width(f.Link.Lanes), Speed: speed})
}

// SubnetOf is one plane of a graph as a subnet, and the graph's node of each of its nodes.
// Endpoints without a cable in the plane are not part of it.
func SubnetOf(f *scenario.Fabric, g *topology.Graph, plane int) (*subnet.Subnet, []topology.NodeID, error) {
	all, err := Subnet(f, g)
	if err != nil || g.Planes <= 1 {
		return all, everyNode(g), err
	}
	in := func(i int) bool { return g.Nodes[i].Kind == topology.Switch && g.Nodes[i].Plane == int32(plane) }
	number := make([]int32, len(g.Nodes))
	var nodes []topology.NodeID
	s := &subnet.Subnet{Origin: subnet.None}
	for i := range all.Nodes {
		number[i] = -1
		n := all.Nodes[i]
		for p := range n.Ports {
			if peer := n.Ports[p].Peer; !in(i) && peer.Exists() && !in(int(peer.Node)) {
				n.Ports[p].Peer = subnet.None // a cable of another plane
			}
		}
		if in(i) || n.Ports[n.Base()].Peer.Exists() {
			number[i] = int32(len(s.Nodes))
			s.Nodes, nodes = append(s.Nodes, n), append(nodes, topology.NodeID(i))
		}
	}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if peer := &s.Nodes[i].Ports[p].Peer; peer.Exists() {
				peer.Node = number[peer.Node]
			}
		}
	}
	if len(s.Nodes) > 0 {
		s.Origin = subnet.End{Node: 0, Port: s.Nodes[0].Base()}
	}
	return s, nodes, nil
}

func everyNode(g *topology.Graph) []topology.NodeID {
	nodes := make([]topology.NodeID, len(g.Nodes))
	for i := range nodes {
		nodes[i] = topology.NodeID(i)
	}
	return nodes
}

// NodesByGUID are the nodes of the graph by their GUIDs in a subnet.
func (p *Plan) NodesByGUID() map[units.GUID]topology.NodeID {
	if p.byGUID == nil {
		p.byGUID = map[units.GUID]topology.NodeID{}
		all, err := Subnet(p.Fabric, p.Graph)
		if err != nil {
			return p.byGUID // another check refuses the fabric with this error
		}
		for i := range all.Nodes {
			p.byGUID[all.Nodes[i].GUID] = topology.NodeID(i)
		}
	}
	return p.byGUID
}
