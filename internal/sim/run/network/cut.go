package network

import (
	"weft/internal/base/topology"
	"weft/scenario"
)

// cut is the simulation partition of each node of a network, nil if all are in one: NICs and
// switches of the graph, then, if there are any, GPUs and scale-up switches of the cluster's nodes,
// then middleboxes, which stay with their NICs. If there are GPUs, all parts of a cluster node are
// in one partition; without them all NICs of a node, if they share a GPU's slot.
func (p *Plan) cut(parts, nodes int, up *ScaleUp) []int32 {
	if parts == 1 {
		return nil
	}
	part := topology.Partition(p.Graph, parts)
	switch {
	case up.StandsFor > 1:
		part = p.alongRail(part, parts, nodes, up.Rail)
	case up.Rate.Num > 0:
		part = p.wholeNodes(part, parts, nodes)
	case p.Node.SharedSlot(p.Fabric) > 0:
		for nic := range p.Graph.Endpoints {
			part[nic] = part[nic/p.Node.NICs*p.Node.NICs]
		}
	}
	return p.withMiddleboxes(part)
}

// The expected simulation work of the parts of a node, in units of a switch port with a cable: its
// NIC with the transport, and its GPU with its sends inside the node and its rank's part of the
// collective.
const (
	nicWeight = 2
	gpuWeight = 2
)

// wholeNodes puts each node of the cluster into the partition with most of its NICs' switches, as
// far as that has room, and appends the partitions of GPUs and scale-up switches.
func (p *Plan) wholeNodes(part []int32, parts, nodes int) []int32 {
	load := make([]int, parts)
	weight := nicWeight*p.Node.NICs + gpuWeight*p.Node.GPUs
	total := weight * nodes
	for i := p.Graph.Endpoints; i < len(p.Graph.Nodes); i++ {
		ports := p.Graph.Nodes[i].Cabled()
		load[part[i]] += ports
		total += ports
	}
	home := make([]int32, nodes)
	for node := range home {
		nics := part[node*p.Node.NICs : (node+1)*p.Node.NICs]
		home[node] = roomiest(load, nics, weight, total)
		load[home[node]] += weight
		for i := range nics {
			nics[i] = home[node]
		}
	}
	return appendScaleUp(part, home, p.Node)
}

// alongRail divides the cluster's nodes evenly, puts each leaf of the rail that is simulated into the partition
// of its first node, and appends the partitions of GPUs and scale-up switches.
func (p *Plan) alongRail(part []int32, parts, nodes, rail int) []int32 {
	for node := nodes - 1; node >= 0; node-- {
		home := int32(node * parts / nodes)
		for nic := node * p.Node.NICs; nic < (node+1)*p.Node.NICs; nic++ {
			part[nic] = home
		}
		if leaf, _, ok := p.Graph.Peer(topology.End{Node: topology.NodeID(node*p.Node.NICs + rail)}); ok {
			part[leaf.Node] = home
		}
	}
	home := make([]int32, nodes)
	for node := range home {
		home[node] = part[node*p.Node.NICs]
	}
	return appendScaleUp(part, home, p.Node)
}

// appendScaleUp appends the partition of each GPU and of each scale-up switch: the partition of its node.
func appendScaleUp(part, home []int32, n *scenario.Node) []int32 {
	members := n.GPUs
	if Pooled(n) {
		members++
	}
	for _, h := range home {
		for range members {
			part = append(part, h)
		}
	}
	return append(part, home...)
}

// roomiest is the partition with room for a weight, its share of the total, that has most of some
// NICs; of equal ones the first. If none has room, it is the least loaded.
func roomiest(load []int, nics []int32, weight, total int) int32 {
	count := make([]int, len(load))
	for _, p := range nics {
		count[p]++
	}
	best, least := -1, 0
	for p := range load {
		if load[p] < load[least] {
			least = p
		}
		if (load[p]+weight)*len(load) <= total && (best < 0 || count[p] > count[best]) {
			best = p
		}
	}
	if best < 0 {
		best = least
	}
	return int32(best)
}

// hosts are the hosts of a network's nodes, in the order of cut: each node of the cluster with its NICs,
// their middleboxes, its GPUs and its scale-up switch. A switch, and a NIC beyond the cluster's, has -1.
func (p *Plan) hosts(nodes int) []int32 {
	of := make([]int32, len(p.Graph.Nodes))
	for i := range of {
		of[i] = -1
		if host := i / p.Node.NICs; i < p.Graph.Endpoints && host < nodes {
			of[i] = int32(host)
		}
	}
	members := p.Node.GPUs
	if Pooled(p.Node) {
		members++
	}
	for i := range nodes * members {
		of = append(of, int32(i/members))
	}
	for host := range nodes {
		of = append(of, int32(host))
	}
	return p.withMiddleboxes(of)
}

// withMiddleboxes appends the numbers of middleboxes to those of all other nodes: their NICs'.
func (p *Plan) withMiddleboxes(of []int32) []int32 {
	if !p.Fabric.Inspection.On() {
		return of
	}
	for i := range p.Graph.Cables {
		c := &p.Graph.Cables[i]
		nic := min(c.A.Node, c.B.Node) // endpoints come first
		if int(nic) < p.Graph.Endpoints {
			of = append(of, of[nic])
		}
	}
	return of
}
