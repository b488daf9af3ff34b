package nccl

import (
	_ "embed"
	"encoding/csv"
	"strconv"
	"strings"
)

// Everything in this file is from github.com/NVIDIA/nccl but the lines of CDNA3 (rccl.go); the
// comments name NCCL's file and identifier.

// latencies are in µs, per algorithm, for LL, LL128 and Simple.
type latencies [numAlgos][numProtos]float64

// byNodes is a bandwidth in GB/s on one node, on two, and on more.
type byNodes [3]float64

// tuning is the constants that differ between releases.
type tuning struct {
	base latencies           // baseLatencies, src/graph/tuning.cc: paid once
	hw   [numLinks]latencies // hwLatencies, src/graph/tuning.cc: paid at every step, by the kind of link
	// llMax is the maximum rate of LL, src/graph/tuning.cc. On one node it depends on the GPU, on
	// more on the CPU: AMD uses the Ampere row, all others Volta's.
	llMax [numGPUs]byNodes
	// The maximum rate of one channel of the graph, src/graph/tuning.cc: perChMaxRingLL128Bws,
	// perChMaxTreeLL128Bws, perChMaxTreeBws, perChMaxNVLSTreeBws.
	ringLL128, treeLL128, tree, nvlsTree [numGPUs]byNodes
	// The candidate bandwidths of a channel in GB/s, src/graph/search.cc: speedArrayIntra, sm90…,
	// sm100…, and speedArrayInter.
	intra, inter [numGPUs][]float64
	nvLink       [numGPUs]float64 // GB/s of a link and direction (SM70_NVLINK_BW …, src/graph/topo.h)
	nvlsChannels [numGPUs][2]int  // on one node, and on more (NVLS_NCHANNELS_…, src/transport/nvls.cc)
	channels     int              // MAXCHANNELS, src/include/device.h
	minTraffic   int64            // MinTrafficPerChannel, src/enqueue.cc
	pat          float64          // factor on PAT's bandwidth
}

// newest is the constants of 2.30.7, the newest release that is known here.
var newest = tuning{
	base: latencies{
		Tree: {6.8, 14, 8.4},
		Ring: {6.6, 14, 8.4},
		PAT:  {8, 8, 8},
	},
	hw: [numLinks]latencies{
		linkNVLink: {
			Tree:          {.6, 1.25, 4},
			Ring:          {.6, 1.9, 3.4},
			CollNetDirect: {Simple: 3.7},
			CollNetChain:  {Simple: 2.8},
			NVLS:          {Simple: 25},
			NVLSTree:      {Simple: 25},
			PAT:           {Simple: 4},
		},
		linkPCI: {
			Tree:          {1, 1.9, 4},
			Ring:          {1, 2.5, 5.7},
			CollNetDirect: {Simple: 3.7},
			CollNetChain:  {Simple: 2.8},
			PAT:           {Simple: 4},
		},
		linkNet: {
			Tree:          {5, 8.5, 14},
			Ring:          {2.7, 4, 14},
			CollNetDirect: {Simple: 31},
			CollNetChain:  {Simple: 30},
			NVLS:          {Simple: 18},
			NVLSTree:      {Simple: 20.9},
			PAT:           {Simple: 14},
		},
	},
	llMax: [numGPUs]byNodes{
		Volta:     {39, 39, 20.4},
		Ampere:    {87.7, 22.5, 19},
		Hopper:    {141, 45, 35},
		Blackwell: {282, 90, 70},
	},
	ringLL128: [numGPUs]byNodes{
		Volta:     {20, 20, 20},
		Ampere:    {20, 20, 20},
		Hopper:    {36.7, 36.7, 36.7},
		Blackwell: {40, 40, 40},
	},
	treeLL128: [numGPUs]byNodes{
		Volta:     {20, 20, 20},
		Ampere:    {20, 20, 20},
		Hopper:    {36.7, 36.7, 29},
		Blackwell: {55.6, 31.67, 20},
	},
	tree: [numGPUs]byNodes{
		Volta:     {26.5, 18.5, 10},
		Ampere:    {24, 23.6, 17.8},
		Hopper:    {38.7, 41.4, 36},
		Blackwell: {70, 42.8, 24},
	},
	nvlsTree: [numGPUs]byNodes{
		Volta:     {26.5, 18.5, 10},
		Ampere:    {24, 23.6, 17.8},
		Hopper:    {0, 57.7, 45.5},
		Blackwell: {0, 96, 80},
	},
	intra: [numGPUs][]float64{
		Volta:     {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3},
		Ampere:    {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3},
		Hopper:    {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3},
		Blackwell: {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18},
	},
	inter: [numGPUs][]float64{
		Volta:     {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12},
		Ampere:    {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12},
		Hopper:    {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12},
		Blackwell: {96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12},
	},
	nvLink:       [numGPUs]float64{Volta: 20, Ampere: 20, Hopper: 20.6, Blackwell: 40.1, CDNA3: 48},
	nvlsChannels: [numGPUs][2]int{Hopper: {16, 16}, Blackwell: {24, 32}},
	channels:     64, minTraffic: 32 << 10, pat: .75,
}

// nvlsEfficiency, src/graph/tuning.cc.
var nvlsEfficiency = [numGPUs]float64{Hopper: .85, Blackwell: .74}

// netOverhead in µs, getNetOverhead in src/graph/tuning.cc: the CPU's time for the
// messages of a step. In NCCL's latencies Simple pays it three times.
var netOverhead = [numCPUs]float64{OtherCPU: 1, Intel: 1, AMD: 2}

// Factors of ncclTopoTuneModel.
const (
	treeFraction     = .92        // tree, all-reduce
	treeLLDivisor    = 3.8        // tree, LL
	treeLL128One     = 7. / 9     // tree, LL128, one node
	treeLL128More    = 120. / 128 // tree, LL128, more nodes
	treePattern      = .85        // NCCL_TOPO_PATTERN_TREE
	collNetShards    = .9         // all-gather and reduce-scatter by CollNet, as a share of the speed between nodes
	collNetDirect90  = .85        // from compute capability 9.0 on
	ringPlateau      = 1.4        // Simple, several nodes; "Plateau effect of ring"
	ringPlateauVolta = 1.9        // the same below compute capability 8.0
	plateauBytes     = 64         // from this number of bytes per channel and rank on
	patLogDivisor    = 3.5
	patLinear        = 2.8 // µs per rank
	collNetArity     = .4  // µs per GPU of the node
)

// linkRate is the rate of an NVLink, or of a link of xGMI, in GB/s in each direction.
var linkRate = [numGPUs]float64{Volta: 25, Ampere: 25, Hopper: 25, Blackwell: 50, CDNA3: 64}

// LinkGBps is NCCL's figure for a link of a scale-up network, in GB/s: its own figure for NVLink,
// and for any other rate the same share of it.
func (r Release) LinkGBps(g GPU, rate float64) float64 {
	return r.tuning().nvLink[g] * rate / linkRate[g]
}

// Limits of channels.
const (
	pciBW          = 12       // PCI_BW, src/graph/topo.h: GB/s
	p2pNetGBps     = 14       // NCCL_P2P_PER_CHANNEL_NET_BW, src/graph/paths.cc
	p2pLLThreshold = 16 << 10 // NCCL_P2P_LL_THRESHOLD, for each channel
)

// If NVLS reaches less than nvlsSlowGBps between nodes, its chunks are no larger than nvlsSlowChunk
// (calcCollChunking, src/enqueue.cc).
const (
	nvlsSlowGBps  = 150
	nvlsSlowChunk = 32 << 10
)

// threads is comm->maxThreads and threadThresholds, src/graph/tuning.cc: NCCL adds a channel if the
// size is at least threads times a number of bytes.
var threads = [numProtos]struct{ max, bytes int64 }{
	LL:     {512, 8},
	LL128:  {640, 8},
	Simple: {512, 64},
}

//go:embed tree-correction.csv
var treeCorrectionCSV string

// treeCorrection is treeCorrectionFactor: the tree's bandwidth by log2(bytes/64).
var treeCorrection = readTreeCorrection(treeCorrectionCSV)

// readTreeCorrection reads the embedded table; the test reads it too and fails for a wrong table.
func readTreeCorrection(text string) (t [numProtos][]float64) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic(err)
	}
	for i, row := range rows[1:] {
		for _, field := range row[1:] {
			f, err := strconv.ParseFloat(field, 64)
			if err != nil {
				panic(err)
			}
			t[i] = append(t[i], f)
		}
	}
	return t
}
