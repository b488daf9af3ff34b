package sim

import (
	"weft/internal/collective"
	"weft/internal/topology"
)

// cut is the partition of each node of a network, nil where all are in one: NICs and switches of the graph, then,
// if there are any, GPUs and scale-up switches of so many nodes of the cluster, then
// boxes, which stay with their NICs. Where there are GPUs, all of a node of the cluster
// is in one partition.
func (p *plan) cut(parts, nodes int, up bool) []int32 {
	if parts == 1 {
		return nil
	}
	part := topology.Partition(p.graph, parts)
	if up {
		part = p.wholeNodes(part, parts, nodes)
	}
	if !p.fabric.Inspection.On() {
		return part
	}
	for i := range p.graph.Cables {
		c := &p.graph.Cables[i]
		nic := min(c.A.Node, c.B.Node) // endpoints come first
		if int(nic) < p.graph.Endpoints {
			part = append(part, part[nic])
		}
	}
	return part
}

// The work that a part of a node is expected to cost, where a switch's port with a cable
// is one: its NIC with the transport, and its GPU with what it sends inside the node and
// the part of the collective that is its rank's.
const (
	nicWeight = 2
	gpuWeight = 2
)

// wholeNodes puts each node of the cluster into the partition with most of the switches
// that its NICs are plugged into, as far as that has room, and appends the partitions of
// GPUs and scale-up switches.
func (p *plan) wholeNodes(part []int32, parts, nodes int) []int32 {
	load := make([]int, parts)
	weight := nicWeight*p.node.NICs + gpuWeight*p.node.GPUs
	total := weight * nodes
	for i := p.graph.Endpoints; i < len(p.graph.Nodes); i++ {
		ports := cabled(&p.graph.Nodes[i])
		load[part[i]] += ports
		total += ports
	}
	home := make([]int32, nodes)
	for node := range home {
		nics := part[node*p.node.NICs : (node+1)*p.node.NICs]
		home[node] = roomiest(load, nics, weight, total)
		load[home[node]] += weight
		for i := range nics {
			nics[i] = home[node]
		}
	}
	members := p.node.GPUs
	if pooled(p.node) {
		members++
	}
	for _, h := range home {
		for range members {
			part = append(part, h)
		}
	}
	return append(part, home...) // the scale-up switches
}

// roomiest is the partition with room for a weight, its share of the total, that has
// most of some NICs, of equal ones the first; the least loaded where none has room.
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

// divisible reports whether a collective can be carried out in several partitions: what
// its ranks do to each other goes through the network, and who talks to whom is known
// before. Streams beside it end with its last rank, which all of them would have to know
// at once; reductions in the network are one state of all NICs of a rail; and that two
// NICs may not talk is found when they first want to.
func (r *collectives) divisible(p *plan, c *communicator, legs []leg) bool {
	if len(p.fabric.Beside) > 0 {
		return false
	}
	for i := range legs {
		if legs[i].path == collective.PathNetReduce {
			return false
		}
		if !r.outward(c, &legs[i]) {
			continue
		}
		if k, _ := c.pair(&legs[i]); p.apart(k.a, k.b) != "" {
			return false
		}
	}
	return true
}

// outward reports whether the messages of a leg leave their node.
func (r *collectives) outward(c *communicator, w *leg) bool {
	return w.path == collective.PathAuto && r.cluster.Node(int(c.members[w.from])) != r.cluster.Node(int(c.members[w.to]))
}

// connectAll makes all connections of a collective before the run: while it runs in
// several partitions, nobody can make one at both of its ends.
func (r *collectives) connectAll(c *communicator, legs []leg) error {
	for i := range legs {
		if !r.outward(c, &legs[i]) {
			continue
		}
		k, _ := c.pair(&legs[i])
		if _, err := r.connect(k); err != nil {
			return err
		}
	}
	r.connected = true
	return nil
}
