package nccl

import "weft/internal/sim/collective"

// Releases before 2.18 have other latencies and some other rules. All is from the tags of
// github.com/NVIDIA/nccl, in src/graph/tuning.cc if no other file is named.

// oldChanges are the differences of releases up to 2.18, as changes has them for later ones.
var oldChanges = []change{
	{18, func(t *tuning) {
		t.base = latencies{Tree: {4.4, 4.4, 0}, Ring: {3.6, 10, 8.4}, CollNetDirect: {4.4, 4.4, 0}, CollNetChain: {4.4, 4.4, 0}}
		for _, link := range []link{linkNVLink, linkPCI, linkNet} {
			t.hw[link][Tree][Simple], t.hw[link][NVLS] = 28, [numProtos]float64{}
		}
		t.hw[linkNVLink][NVLS][Simple] = 40
		t.hw[linkNVLink][Tree][LL], t.hw[linkNVLink][Ring][LL] = .52, .47
		t.hw[linkNVLink][CollNetChain][Simple] = 8
		t.hw[linkNet][Ring][Simple], t.hw[linkNet][CollNetChain][Simple] = 9.6, 0
		t.treeLL128[Hopper][2], t.tree[Hopper][2] = 36.7, 33
		for _, g := range []GPU{Volta, Ampere, Hopper} {
			t.nvLink[g] = 22 // src/graph/topo.h, as the speeds in src/graph/search.cc
			t.intra[g] = []float64{44, 30, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3}
			t.inter[g] = []float64{48, 30, 28, 24, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12}
		}
		t.intra[Hopper] = []float64{66, 33, 24, 20, 15, 12, 6, 3}
		t.inter[Hopper] = []float64{48, 45, 30, 24, 15, 12, 6, 3, 2.4, 1.2, .24, .12}
	}},
	{17, func(t *tuning) {
		t.ringLL128[Hopper], t.treeLL128[Hopper], t.tree[Hopper] = t.ringLL128[Ampere], t.treeLL128[Ampere], t.tree[Ampere]
	}},
	{16, func(t *tuning) { t.intra[Hopper], t.inter[Hopper] = t.intra[Ampere], t.inter[Ampere] }},
	{15, func(t *tuning) {
		t.llMax[Hopper], t.tree[Hopper] = t.llMax[Volta], t.tree[Volta]
		for _, g := range []GPU{Volta, Ampere, Hopper} {
			t.inter[g] = []float64{48, 30, 24, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12}
		}
	}},
	{14, func(t *tuning) { t.hw[linkNet][Ring][Simple] = 28 }},
	{12, func(t *tuning) { t.hw[linkNet][Ring][Simple] = 9.6 }},
	{10, func(t *tuning) {
		t.hw[linkNVLink][CollNetDirect][Simple], t.hw[linkPCI][CollNetDirect][Simple] = 4, 5.5
		t.tree[Ampere] = byNodes{24, 22.5, 16}
		for _, g := range []GPU{Volta, Ampere, Hopper} {
			t.nvLink[g] = 21
			t.intra[g] = []float64{42, 30, 24, 21, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12}
			t.inter[g] = t.intra[g]
		}
	}},
}

// localLLFactor multiplies LL's step inside a node if there are several.
const localLLFactor = 1.8

// The most that a bus carries, in GB/s, before 2.18.
const (
	mostAmpere = 235
	mostHopper = 370
)

// bounded is a bandwidth of the graph with the bound of before 2.18.
func (c Cluster) bounded(bw float64) float64 {
	switch {
	case c.Release.since(18) || c.GPU == CDNA3:
		return bw
	case c.GPU == Ampere:
		return min(bw, mostAmpere)
	case c.GPU >= Hopper && c.Release.since(17):
		return min(bw, mostHopper)
	}
	return bw
}

// pairLL128 is 2.9's rate of a channel with LL128, in GB/s, by operation.
func pairLL128(op collective.Op) float64 {
	switch op {
	case collective.Broadcast:
		return 18.8
	case collective.Reduce:
		return 12
	case collective.AllGather:
		return 18.3
	case collective.ReduceScatter:
		return 15.2
	}
	return 16.9
}

// channelLL128 is the rate of a channel of rings or trees with LL128.
func (c Cluster) channelLL128(of *[numGPUs]byNodes, op collective.Op) float64 {
	if !c.Release.since(10) && c.GPU != CDNA3 {
		return pairLL128(op)
	}
	return of[c.GPU][c.scale()]
}

// netLatency is a network's step with the plug-in's latency: it is added since 2.18, counted instead
// of NCCL's constant since 2.12, and not known before.
func (c Cluster) netLatency(constant float64, p Proto) float64 {
	switch l := c.Plugin.LatencyUs; {
	case l == 0 || !c.Release.since(12) && c.GPU != CDNA3:
		return constant
	case !c.Release.since(18) && c.GPU != CDNA3:
		return l
	case p == Simple:
		return constant + 2*l // the flush
	default:
		return constant + l
	}
}

// ringCrossings is the number of steps between nodes of a ring that moves data to all ranks: from 2.12
// to 2.22 an all-reduce counts every edge of the ring.
func (c Cluster) ringCrossings(op collective.Op) int {
	switch n := c.Nodes; {
	case n == 1:
		return 0
	case op != collective.AllReduce:
		return n - 1
	case c.Release.since(12) && !c.Release.since(23) && c.GPU != CDNA3:
		return 2 * n
	default:
		return 2 * (n - 1)
	}
}

// plateau is the factor on the latency of an all-reduce by a ring with Simple between nodes, from a
// size on.
func (c Cluster) plateau(bytes int64) float64 {
	if c.Release.since(18) {
		switch {
		case bytes/int64(c.Channels()*c.Ranks()) < plateauBytes:
			return 1
		case c.GPU == Volta:
			return ringPlateauVolta
		}
		return ringPlateau
	}
	switch {
	case bytes < int64(c.Ranks())*(64<<10)/16:
		return 1
	case c.GPU >= Hopper && c.Release.since(17):
		return 1.5
	}
	return ringPlateauVolta
}

// arityUs is CollNetDirect's time for each other GPU of the node.
func (r Release) arityUs() float64 {
	switch {
	case r.since(19):
		return collNetArity
	case r.since(10):
		return .5
	}
	return 0
}

// oldCollNetBusBW is the bandwidth of an all-reduce by CollNet before 2.18.
func (c Cluster) oldCollNetBusBW(a Algo) float64 {
	g := c.ringGraph()
	bw := c.bounded(float64(g.Channels) * g.IntraGBps)
	switch {
	case a == CollNetChain:
		return bw * .75
	case !c.Release.since(10):
		return bw * .9
	case !c.Release.since(14):
		return bw
	}
	factor := float64(c.PerNode) / float64(g.Channels)
	factor -= (factor - 1) / 2
	return bw / factor
}

// treeCorrection9 is the row of LL128 of treeCorrection before 2.10.
var treeCorrection9 = []float64{1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, .92, .92}

// correction is the release's treeCorrection of a protocol.
func (r Release) correction(p Proto) []float64 {
	if p == LL128 && !r.since(10) {
		return treeCorrection9
	}
	return treeCorrection[p]
}
