package topology

// Weights of the expected simulation work: a switch port with a cable counts one, and an endpoint,
// which has a NIC and its transport behind one port, counts two.
const (
	portWeight     = 1
	endpointWeight = 2
)

// Partition divides a graph into n simulation partitions of about equal work and returns the
// partition of every node, 0 to n-1.
//
// Endpoints are with their switch; in a graph of planes, the switches of one endpoint stay
// together. Switches with endpoints, in the order of the graph, are cut into n runs of equal
// weight, so that pods, rails, dragonfly groups and slabs of a torus stay together. Switches
// without endpoints follow: each goes to the partition with most of its cables, among the
// partitions with room for it. The result depends only on the graph and n.
//
// A single switch cannot be divided: with its endpoints it is in one partition.
func Partition(g *Graph, n int) []int32 {
	part := make([]int32, len(g.Nodes))
	if n <= 1 {
		return part
	}
	p := newPartitioner(g, n, part)
	p.runs()
	p.fill()
	for i := range g.Nodes {
		if f := p.follow[i]; f >= 0 && !p.hosts[i] {
			part[i] = part[f]
		}
	}
	for e := range g.Endpoints {
		part[e] = 0
		if s := p.home[e]; s >= 0 {
			part[e] = part[s]
		}
	}
	return part
}

type partitioner struct {
	g      *Graph
	n      int
	part   []int32
	home   []NodeID // by endpoint: its switch, -1 for none
	weight []int64  // by node; a switch's includes its endpoints
	hosts  []bool   // by node: whether a switch is the home of endpoints
	follow []NodeID // by node: the switch of another plane with which a switch must stay, -1 for none
	load   []int64  // by part
	total  int64
}

func newPartitioner(g *Graph, n int, part []int32) *partitioner {
	p := &partitioner{
		g: g, n: n, part: part, home: make([]NodeID, g.Endpoints),
		weight: make([]int64, len(g.Nodes)), hosts: make([]bool, len(g.Nodes)),
		follow: make([]NodeID, len(g.Nodes)), load: make([]int64, n),
	}
	for i := range g.Nodes {
		part[i], p.follow[i] = -1, -1
	}
	for i := range g.Nodes {
		if i >= g.Endpoints {
			p.weight[i] += portWeight * int64(g.Nodes[i].Cabled())
			continue
		}
		p.home[i] = -1
		for port := range g.Nodes[i].Cables {
			far, _, ok := g.Peer(End{NodeID(i), int32(port)})
			switch {
			case !ok || int(far.Node) < g.Endpoints:
			case p.home[i] < 0:
				p.home[i] = far.Node
				p.hosts[far.Node] = true
				p.weight[far.Node] += endpointWeight * int64(g.Nodes[i].Cabled())
			case p.follow[far.Node] < 0 && far.Node != p.home[i]:
				p.follow[far.Node] = p.home[i]
			}
		}
	}
	for i := range g.Nodes {
		if f := p.follow[i]; f >= 0 && !p.hosts[i] {
			p.weight[f] += p.weight[i]
			p.weight[i] = 0
		}
	}
	for _, w := range p.weight {
		p.total += w
	}
	return p
}

func (p *partitioner) assign(s NodeID, part int) {
	p.part[s] = int32(part)
	p.load[part] += p.weight[s]
}

// runs cuts the switches that have endpoints into n runs: a switch goes to the partition that
// contains the middle of its weight.
func (p *partitioner) runs() {
	sum := int64(0)
	for i := p.g.Endpoints; i < len(p.g.Nodes); i++ {
		if p.hosts[i] {
			sum += p.weight[i]
		}
	}
	before := int64(0)
	for i := p.g.Endpoints; i < len(p.g.Nodes); i++ {
		if p.hosts[i] {
			middle := 2*before + p.weight[i]
			p.assign(NodeID(i), int(middle*int64(p.n)/(2*sum)))
			before += p.weight[i]
		}
	}
}

// fill places the other switches, in the order of the graph.
func (p *partitioner) fill() {
	cables := make([]int, p.n)
	for i := p.g.Endpoints; i < len(p.g.Nodes); i++ {
		if p.part[i] >= 0 || p.follow[i] >= 0 {
			continue
		}
		clear(cables)
		for port := range p.g.Nodes[i].Cables {
			if far, _, ok := p.g.Peer(End{NodeID(i), int32(port)}); ok && p.part[far.Node] >= 0 {
				cables[p.part[far.Node]]++
			}
		}
		p.assign(NodeID(i), p.choose(p.weight[i], cables))
	}
}

// choose is the partition with room for a weight that has most of the cables; of equal ones the
// least loaded. If none has room, it is the least loaded.
func (p *partitioner) choose(w int64, cables []int) int {
	least, best := 0, -1
	for k := range p.n {
		if p.load[k] < p.load[least] {
			least = k
		}
		if (p.load[k]+w)*int64(p.n) > p.total {
			continue
		}
		if best < 0 || cables[k] > cables[best] || cables[k] == cables[best] && p.load[k] < p.load[best] {
			best = k
		}
	}
	if best < 0 {
		return least
	}
	return best
}
