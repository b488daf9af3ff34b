package nccl

import (
	_ "embed"

	"weft/internal/sim/collective"
)

// RCCL is NCCL for AMD's GPUs. Here is what differs on nodes of MI300X, from github.com/ROCm/rccl at
// 0cbce2a7 (2.21.5); the comments name its file and identifier. Their tuning model is number 5
// (rome_model_79 and _81, src/graph/rome_models.cc).

// rcclTuning is baseLat of rings and trees and hwLat of tuning_model_5, src/graph/tuning.cc, and
// GFX94X_XGMI_WIDTH, src/graph/topo.h. The limits of channels are NCCL's.
var rcclTuning = func() tuning {
	t := newest
	once := [numProtos]float64{LL: 12, LL128: 12, Simple: 17}
	t.base = latencies{Tree: once, Ring: once}
	t.hw = [numLinks]latencies{
		linkNVLink: {Tree: {LL: .9, Simple: 2.3}, Ring: {LL: .8, Simple: 2.1}},
		linkPCI:    {Tree: {LL: 2.2, Simple: 5.7}, Ring: {LL: 2.2, Simple: 5.7}},
		linkNet:    {Tree: {LL: 10.5, Simple: 25}, Ring: {LL: 9.5, Simple: 320}},
	}
	return t
}()

// rcclRatios is bwRatio of tuning_model_5, src/graph/tuning.cc: the share of the links' rate, up to
// two nodes and beyond.
var rcclRatios = [2][numAlgos][numProtos]float64{
	{Tree: {LL: .06, Simple: .11}, Ring: {LL: .08, Simple: 1}},
	{Tree: {LL: .06, Simple: .59}, Ring: {LL: .08, Simple: 1}},
}

const (
	rcclBroadcastLL  = 1.65 // factor on the ratio, on one node (ncclTopoTuneModel)
	rcclThreads      = 256  // NCCL_MAX_NTHREADS, src/include/device.h
	rcclPairChannels = 8    // of a pair on one node: 4, doubled (ncclTopoComputeP2pChannels, src/graph/paths.cc)
)

//go:embed rccl-tree-correction.csv
var rcclTreeCSV string

//go:embed rccl-ring-correction.csv
var rcclRingCSV string

// The bandwidth of a tree, and of a ring between nodes, by log2(bytes/64).
var (
	rcclTreeCorrection = readTreeCorrection(rcclTreeCSV)
	rcclRingCorrection = readTreeCorrection(rcclRingCSV)
)

// rcclGraph is the graph of rings: half of the running channels, which share the links. On one node
// four rings leave a GPU over each of its links, which gives the 56 channels of rome_model_79 and the
// 24 of four GPUs (initTransportsRank, src/init.cc; that other numbers follow is an assumption). Two
// GPUs have 32, several nodes 64 (ncclTopoPostset, src/graph/connect.cc).
func (c Cluster) rcclGraph() Graph {
	n := 4 * (c.PerNode - 1)
	switch {
	case c.Nodes > 1:
		n = c.graphChannels()
	case c.PerNode == 2:
		n = 16
	}
	n = max(1, min(n, c.graphChannels()))
	speed := c.local() / float64(n)
	if c.PerNode == 1 {
		speed = float64(c.NICs) * c.NICGBps / float64(n)
	}
	return Graph{Channels: n, IntraGBps: speed, InterGBps: speed}
}

// rcclEnabled is false for LL128, which is for MI200, for trees with Simple on one node, and for
// what RCCL does not have (ncclTopoTuneModel).
func (c Cluster) rcclEnabled(a Algo, p Proto) bool {
	return p != LL128 && (a == Ring || a == Tree && (p != Simple || c.Nodes > 1))
}

// rcclRatio is the share of the links' rate that an operation has.
func (c Cluster) rcclRatio(op collective.Op, a Algo, p Proto) float64 {
	ratio := rcclRatios[min(c.scale(), 2)/2][a][p]
	if op == collective.Broadcast && p == LL && c.Nodes == 1 {
		ratio *= rcclBroadcastLL
	}
	return ratio
}

// rcclCorrection is a factor on the bandwidth by the size (ncclTopoGetAlgoTime).
func (c Cluster) rcclCorrection(a Algo, p Proto, bytes int64) float64 {
	table := rcclTreeCorrection[p]
	switch {
	case a == Ring && c.Nodes == 1:
		return 1
	case a == Ring:
		table = rcclRingCorrection[p]
	}
	return table[min(log2(bytes>>6), len(table)-1)]
}

// mscclPairs are the all-reduces of eight GPUs of one node that RCCL has MSCCL do until ROCm 6 (later
// versions have no MSCCL): every GPU sends each other one its part, and the sums back
// (tools/msccl-algorithms/allreduce-allpairs-8n-*.xml, for buffers that are not in place).
var mscclPairs = []struct {
	to       int64 // the largest size
	proto    Proto
	channels int
}{{64 << 10, LL, 4}, {512<<10 - 1, LL, 8}, {16 << 20, Simple, 8}}

// The least size is a float for each of the program's 256 chunks.
const mscclGPUs, mscclLeast = 8, 256 * 4

// allPairs is RCCL's choice of an all-pairs all-reduce, false if it has none for the size.
func (c Cluster) allPairs(op collective.Op, bytes int64) (Choice, bool) {
	if c.GPU != CDNA3 || c.Nodes != 1 || c.PerNode != mscclGPUs || op != collective.AllReduce || bytes < mscclLeast {
		return Choice{}, false
	}
	for _, m := range mscclPairs {
		if bytes <= m.to && (c.Only == nil || c.Only(Direct, m.proto)) {
			return Choice{Cluster: c, Op: op, Bytes: bytes, Algo: Direct, Proto: m.proto, Channels: m.channels}, true
		}
	}
	return Choice{}, false
}

// The rates of RCCL's kernels, fitted by hand to an all-reduce on eight MI300X (the fitted rows of
// table MI300X). One table has no intervals to offer: halving or doubling the turn moves 32 MiB by 9
// and 17 %, and 1 % of a rate moves the sizes above it by 1 %.
const (
	rcclRingUs   = 1.5 // a turn of a ring with Simple without its data: 32 MiB
	rcclRingGBps = 342 // of all blocks of a GPU in a ring with Simple: 1 GiB
)

// pairsGBps is the rate of a channel of an all-pairs all-reduce: 256 KiB and 8 MiB. A channel has
// pairBlocks thread blocks, one for each other GPU and one for the sums.
var pairsGBps = [numProtos]float64{LL: 24, Simple: 80}

const pairBlocks = 8

// rccl sets the times that RCCL's own constants do not give. Its times between nodes and its ratios
// are for its choice alone: a ring's 320 µs with Simple is no time of a message.
func (ch Choice) rccl(o *Overheads) {
	if ch.Cluster.Nodes > 1 {
		o.PerStepInter = micros(MeasuredOf(Hopper).between(ch.Proto)) // assumption: as with H100
	}
	var rate float64
	switch {
	case ch.Algo == Direct && ch.Op == collective.AllReduce:
		rate = pairsGBps[ch.Proto]
	case ch.Proto == LL:
		rate = pairsGBps[LL] / pairBlocks
	case ch.Algo == Ring && ch.Proto == Simple:
		rate, o.Turn.Fixed = rcclRingGBps/float64(ch.Channels), micros(rcclRingUs)
	default:
		return
	}
	o.Turn.SendGBps, o.Turn.CopyGBps, o.Turn.Streams = rate, rate, ch.Proto != Simple
}
