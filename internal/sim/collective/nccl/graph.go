package nccl

import "math"

// Graph is what NCCL's search finds in a node for one kind of algorithm.
type Graph struct {
	Channels  int     // as found; twice as many run
	IntraGBps float64 // of a channel inside the node
	InterGBps float64 // of a channel through its NIC
}

// RingGraph is the graph of rings, and of trees, which take as many channels.
//
// On one node a ring puts its speed on every GPU's NVLink once in each
// direction: the best is what fills the links best, the fastest channels first
// (60 × 6 = 360 of an H100's 370.8), each of which is then split in two
// (ncclTopoDupChannels). Between nodes each NIC takes as many channels as it
// carries at the highest speed of the table (8 × 48 with 400 Gb/s); inside the
// node a channel misses one link of each node, the one that the NIC replaces.
func (c Cluster) RingGraph() Graph {
	if c.Nodes == 1 {
		return dup(c.GPU, fill(speedsIntra[c.GPU], c.local(), c.local(), 1))
	}
	links := math.Inf(1)
	if c.PerNode > 1 {
		links = c.local() * float64(c.PerNode) / float64(c.PerNode-1)
	}
	return dup(c.GPU, fill(speedsInter[c.GPU], c.NICGBps, links, c.NICs))
}

// NVLSGraph is the graph of NVLS: one channel per head, each of which takes its
// speed of every GPU's links; none if there is no in-switch reduction.
func (c Cluster) NVLSGraph() Graph {
	if !c.switchReduces() || c.PerNode < 2 {
		return Graph{}
	}
	speeds, heads := speedsIntra[c.GPU], c.PerNode
	if c.Nodes > 1 {
		speeds, heads = speedsInter[c.GPU], min(c.PerNode, c.NICs)
	}
	g := Graph{Channels: heads, IntraGBps: highest(speeds, c.local()/float64(heads))}
	g.InterGBps = g.IntraGBps
	if c.Nodes > 1 {
		// The second pass of the search raises the NIC's share by itself.
		g.InterGBps = highest(speeds, c.NICGBps*float64(c.NICs)/float64(heads))
	}
	if g.IntraGBps == 0 {
		return Graph{}
	}
	return g
}

// switchReduces reports whether the switch of a node can reduce.
func (c Cluster) switchReduces() bool { return c.NVLS && c.NVSwitch && nvlsEfficiency[c.GPU] > 0 }

// local is what connects a GPU to the others of its node, GB/s.
func (c Cluster) local() float64 {
	switch {
	case c.NVLinkGBps > 0:
		return c.NVLinkGBps
	case c.PCIeGBps > 0:
		return c.PCIeGBps
	default:
		return math.Inf(1)
	}
}

// fill takes the speed that moves the most over ports of so many GB/s each,
// while all channels together fit in links. The search tries the highest speed
// first, keeps what is better than what it has, and stops at half of it.
func fill(speeds []float64, port, links float64, ports int) Graph {
	var best Graph
	for _, s := range speeds {
		if s > port || s > links {
			continue
		}
		if best.Channels > 0 && s <= .49*best.InterGBps {
			break
		}
		// Floats until the end: links may be infinite.
		n := int(min(float64(ports)*math.Floor(port/s), math.Floor(links/s), maxGraphChannels))
		if float64(n)*s > float64(best.Channels)*best.IntraGBps {
			best = Graph{Channels: n, IntraGBps: s, InterGBps: s}
		}
	}
	if best.Channels == 0 {
		// "Could not find a path": NCCL goes on with one slow channel.
		return Graph{Channels: 1, IntraGBps: .1, InterGBps: .1}
	}
	return best
}

// dup is ncclTopoDupChannels: fast channels are split in two.
func dup(gpu GPU, g Graph) Graph {
	if g.IntraGBps < 25 || gpu >= Hopper && g.IntraGBps < 50 && g.Channels > 4 {
		return g
	}
	n := min(2*g.Channels, maxGraphChannels)
	if n == 2*g.Channels {
		g.IntraGBps /= 2
		g.InterGBps /= 2
		g.Channels = n
	}
	return g
}

// highest is the highest speed of a table up to a limit, or 0.
func highest(speeds []float64, limit float64) float64 {
	for _, s := range speeds {
		if s <= limit {
			return s
		}
	}
	return 0
}

// Channels is how many channels run at most: twice those of the graph, for the
// two trees, and twice that again between Hopper nodes with fast and few ones
// (ncclTopoPostset, src/graph/connect.cc).
func (c Cluster) Channels() int {
	g := c.RingGraph()
	n := min(2*g.Channels, maxChannels)
	if c.GPU >= Hopper && c.Nodes > 1 && g.IntraGBps > 45 && n < 16 {
		n *= 2
	}
	return n
}

// NVLSChannels is how many channels NVLS runs with.
func (c Cluster) NVLSChannels() int {
	n := nvlsChannels[c.GPU][min(c.Nodes, 2)-1]
	if c.GPU == Blackwell && c.Nodes > 1 && c.NICGBps >= 96 && c.PerNode <= 8 {
		n = 24
	}
	return n
}
