package nccl

import (
	"math"
	"slices"
)

// Graph is the result of NCCL's search in a node for one kind of algorithm.
type Graph struct {
	Channels  int     // as found; twice as many run
	IntraGBps float64 // of a channel inside the node
	InterGBps float64 // of a channel through its NIC
}

// ringGraph is the graph of rings; trees have as many channels.
//
// On one node a ring puts its speed on every GPU's NVLink once in each direction: the best graph
// fills the links best, with the fastest channels first (60 × 6 = 360 of an H100's 370.8). Each
// channel is then split in two (ncclTopoDupChannels). Between nodes each NIC has as many channels
// as it carries at the highest speed of the table (8 × 48 with 400 Gb/s); inside the node a channel
// omits one link of each node, which the NIC replaces.
func (c Cluster) ringGraph() Graph {
	if c.GPU == CDNA3 {
		return c.rcclGraph()
	}
	if c.Nodes == 1 {
		return c.dup(c.fill(c.tuning().intra[c.GPU], c.local(), c.local(), 1))
	}
	return c.dup(c.fill(c.tuning().inter[c.GPU], c.NICGBps, c.chainLinks(), c.NICs))
}

// chainLinks is the sum of the speeds of channels that omit one link of each node.
func (c Cluster) chainLinks() float64 {
	if c.PerNode == 1 {
		return math.Inf(1)
	}
	return c.local() * float64(c.PerNode) / float64(c.PerNode-1)
}

// treeGraph is the graph of trees between nodes: the rings', with the highest speed inside a node for
// which the links have room, one step of the table after the other up to the first that is twice the
// NICs' or more ("increase bwIntra for trees", ncclTopoCompute). NCCL reckons two nodes with it: there
// a tree's NIC carries each byte once.
func (c Cluster) treeGraph() Graph {
	g := c.ringGraph()
	if c.Nodes == 1 || c.PerNode == 1 || c.GPU == CDNA3 {
		return g
	}
	for _, s := range slices.Backward(c.tuning().inter[c.GPU]) {
		if s > g.IntraGBps && g.IntraGBps < 2*g.InterGBps && s*float64(g.Channels) <= c.chainLinks() {
			g.IntraGBps = s
		}
	}
	return g
}

// nvlsGraph is the graph of NVLS: one channel per head, at most NCCL_MAX_NVLS_ARITY
// (ncclTopoCompute). Each channel uses its speed on every GPU's links. There are no channels without
// in-switch reduction.
func (c Cluster) nvlsGraph() Graph {
	if !c.switchReduces() || c.PerNode < 2 {
		return Graph{}
	}
	speeds, heads := c.tuning().intra[c.GPU], c.Layout().Heads()
	if c.Nodes > 1 {
		speeds = c.tuning().inter[c.GPU]
	}
	g := Graph{Channels: heads, IntraGBps: highest(speeds, c.local()/float64(heads))}
	g.InterGBps = g.IntraGBps
	if c.Nodes > 1 {
		// The second pass of the search increases the NIC's share alone.
		g.InterGBps = highest(speeds, c.NICGBps*float64(c.NICs)/float64(heads))
	}
	if g.IntraGBps == 0 {
		return Graph{}
	}
	return g
}

// switchReduces reports whether the switch of a node can reduce.
func (c Cluster) switchReduces() bool { return c.NVLS && c.NVSwitch && nvlsEfficiency[c.GPU] > 0 }

// local is the rate between a GPU and the others of its node, in GB/s.
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

// fill chooses the speed that moves the most over ports of the given rate in GB/s, while all
// channels together fit in links. The search tries the highest speed first, keeps the better of two
// results, and stops at half of it.
func (c Cluster) fill(speeds []float64, port, links float64, ports int) Graph {
	var best Graph
	for _, s := range speeds {
		if s > port || s > links {
			continue
		}
		if best.Channels > 0 && s <= .49*best.InterGBps {
			break
		}
		// Floats until the last step: links may be infinite.
		n := int(min(float64(ports)*math.Floor(port/s), math.Floor(links/s), float64(c.graphChannels())))
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
func (c Cluster) dup(g Graph) Graph {
	few := g.Channels <= 4 && c.Release.since(18) || !c.Release.since(16)
	if g.IntraGBps < 25 || c.GPU >= Hopper && g.IntraGBps < 50 && !few {
		return g
	}
	n := min(2*g.Channels, c.graphChannels())
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

// graphChannels is the maximum number of channels of a graph (src/init.cc).
func (c Cluster) graphChannels() int { return c.tuning().channels / 2 }

// Channels is the maximum number of running channels: twice the graph's, for the two trees, and
// twice that between Hopper nodes with few, fast channels (ncclTopoPostset, src/graph/connect.cc).
func (c Cluster) Channels() int {
	g := c.ringGraph()
	n := min(2*g.Channels, c.tuning().channels)
	if c.GPU >= Hopper && c.Nodes > 1 && g.IntraGBps > 45 && n < 16 && c.Release.since(18) {
		n *= 2
	}
	return n
}

// NVLSChannels is the number of running channels of NVLS.
func (c Cluster) NVLSChannels() int {
	n := c.tuning().nvlsChannels[c.GPU][min(c.Nodes, 2)-1]
	if c.Release.since(30) && c.GPU == Blackwell && c.Nodes > 1 && c.NICGBps >= 96 && c.PerNode <= 8 {
		n = 24
	}
	return n
}
