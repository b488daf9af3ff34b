package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"weft/internal/base/regular"
	"weft/units"
)

// kernelDefaults are the values of DeepEP's tests of its kernels (tests/legacy/test_low_latency.py,
// test_internode.py at dd758ca). Other defaults are in the catalog.
var kernelDefaults = map[ExpertKernel]struct{ tokens, count int }{
	LowLatency: {128, 288},
	Throughput: {4096, 256},
}

// library is what a library's kernels do, and the time of their software.
type library struct {
	software  units.Time
	posting   Posting
	threads   int
	proxyTime units.Time
	signal    Signal
	copyRate  units.Rate // of throughput kernels on GPUs of the Blackwell generation; 0: as others
}

// libraries are the values of each library.
//
// HybridEP (deepseek-ai/DeepEP@41cad94, docs/README_Hybrid-EP.md): kernels that store by TMA. Its rate is the median of six
// published rates of 8, 24 and 36 GPUs of a GB200 NVL72, 16 multiprocessors, BF16; of other ranks' rates none was used. It
// is taken for all GPUs of the Blackwell generation.
//
// DeepEP (deepseek-ai/DeepEP@dd758ca): the kernel writes work requests and rings the doorbell
// (csrc/kernels/legacy/ibgda_device.cuh); an atomic brings the count (internode_ll.cu). Its software time has the
// least largest error on four published times of 8 and 16 ranks (docs/INFERENCE.md).
//
// UCCL-EP (uccl-project/uccl@da914a2): the kernel hands requests to four threads of the CPU (kNumProxyThs in
// ep/include/common.hpp). Its software time has the least largest error on two published times of 8 ranks,
// which no NIC serves. The time of a thread for a request is an assumption: no figure was found.
var libraries = map[Library]library{
	DeepEP:   {software: 17 * units.Microsecond, posting: PostingGPU, signal: SignalAtomic},
	HybridEP: {software: 17 * units.Microsecond, posting: PostingGPU, signal: SignalAtomic, copyRate: 626 * 8 * units.Gbps},
	UCCLEP:   {software: 24 * units.Microsecond, posting: PostingProxy, threads: 4, proxyTime: 250 * units.Nanosecond, signal: SignalAtomic},
}

// mixtureRules are the rules of a mixture of experts: of an exchange, or of a training job.
type mixtureRules struct {
	workloadRules
	*Experts
	path  string   // of the mixture
	what  Exchange // that the values are for
	nodes int      // over which the experts of a layer are divided
	gpus  int      // of each of them
}

// mixture is the rules of the workload's mixture.
func (r workloadRules) mixture() mixtureRules {
	return mixtureRules{r, &r.Workload.Experts, "workload.experts", r.Workload.Exchange, r.Cluster.Nodes, r.Cluster.Node.GPUs}
}

// ranks is the number of GPUs over which the experts are divided.
func (r mixtureRules) ranks() int { return r.nodes * r.gpus }

func (r mixtureRules) at(field string) string { return r.path + "." + field }

// deriveLibrary sets what the library gives.
func (r mixtureRules) deriveLibrary() {
	x := r.Experts
	if x.Library == "" {
		x.Library = DeepEP
		if r.Cluster.Node.GPU.Architecture == CDNA3 {
			x.Library = UCCLEP // DeepEP's kernels are NVIDIA's
		}
	}
	own := libraries[x.Library]
	if !r.stated(r.at("software")) {
		x.Software = own.software
	}
	if own.copyRate > 0 && r.Cluster.Node.GPU.Architecture == Blackwell && !r.written[r.at("copy-rate")] {
		x.CopyRate = own.copyRate
	}
	if x.Posting == "" {
		x.Posting = own.posting
	}
	if x.Signal == "" {
		x.Signal = own.signal
	}
	if x.Posting == PostingProxy {
		setZero(&x.ProxyThreads, max(1, own.threads))
		setZero(&x.CQMod, 1)
		if !r.stated(r.at("proxy-time")) {
			x.ProxyTime = own.proxyTime
		}
	}
}

// derive sets the fields of a mixture that depend on others.
func (r mixtureRules) derive() {
	x := r.Experts
	r.deriveLibrary()
	usual := kernelDefaults[x.Kernel]
	setZero(&x.Tokens, usual.tokens)
	if x.Histogram != "" {
		r.readHistogram()
	}
	if x.Gating == "" {
		x.Gating = GatingUniform
		if len(x.Weights) > 0 {
			x.Gating = GatingWeights
		}
	}
	if x.Count == 0 {
		x.Count = ceilDiv(usual.count, r.ranks()) * max(1, r.ranks())
		if len(x.Weights) > 0 {
			x.Count = len(x.Weights)
		}
	}
	if x.Element == "" {
		x.Element = ElementFP8
		if r.what == Combine {
			x.Element = ElementBF16
		}
	}
	if x.Element == ElementFP8 && !r.stated(r.at("scale-group")) {
		x.ScaleGroup = 128 // one scale for 128 elements (kNumPerChannels in internode_ll.cu)
	}
	if x.Gating == GatingZipf && x.Skew == (Ratio{}) {
		x.Skew = Ratio{Num: 1, Den: 1}
	}
	if x.QueuePairs == 0 {
		x.QueuePairs = max(1, x.Channels)
		if x.Kernel == LowLatency {
			x.QueuePairs = max(1, x.Copies()/max(1, r.ranks()))
		}
	}
	if x.Kernel == LowLatency {
		x.Channels, x.Chunk, x.CopyRate, x.ReceiveTokens = 0, 0, 0, 0
	} else if r.nodes > throughputNodes && x.NodeLimit == 0 && x.Replicas == 0 && !r.stated(r.at("node-limit")) {
		x.NodeLimit = throughputNodes
	}
}

// throughputNodes is the most nodes of a token in DeepEP's test of throughput kernels
// (--num-topk-groups).
const throughputNodes = 4

// readHistogram reads the file of the experts' weights.
func (r mixtureRules) readHistogram() {
	x, at := r.Experts, r.at("histogram")
	name := x.Histogram
	x.Histogram = ""
	if r.wrote(r.at("weights")) {
		r.complain(at, "give weights or histogram, not both")
		return
	}
	f, err := r.open(name)
	var text []byte
	if err == nil {
		defer func() { _ = f.Close() }()
		text, err = bounded(f, maxNamedFile)
	}
	if err == nil {
		x.Weights, err = histogramOf(string(text))
	}
	if err != nil {
		r.complain(at, "%s cannot be read: %v", name, regular.Reason(err))
	}
}

// wrote reports whether a user wrote a field.
func (r workloadRules) wrote(field string) bool { return r.written[field] }

// histogramOf are the whole numbers of a text.
func histogramOf(text string) (weights []int64, err error) {
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(", \t\r;", c) }) {
			v, err := strconv.ParseInt(word, 10, 64)
			if err != nil || v < 0 || v > mostWeight {
				return nil, fmt.Errorf("line %d: %q is no weight: want a whole number from 0 to %d", n+1, abridged(word), int64(mostWeight))
			}
			if weights = append(weights, v); len(weights) > maxList {
				return nil, fmt.Errorf("line %d: more than %d weights", n+1, maxList)
			}
		}
	}
	if len(weights) == 0 {
		return nil, fmt.Errorf("it has no numbers: want one for each expert")
	}
	return weights, nil
}

// mostWeight bounds a weight: the sum of all stays within 63 bits.
const mostWeight = 1_000_000_000_000_000 / 100

// check finds experts that do not fit the cluster.
func (r mixtureRules) check() {
	x, ranks, at := r.Experts, r.ranks(), r.at
	copies := x.Copies()
	switch {
	case ranks < 2:
		r.complain("cluster", "%s needs at least two GPUs: the cluster has %d", r.what, ranks)
		return
	case copies < ranks || copies%ranks != 0:
		r.complain(at("count"), "%d experts%s cannot be divided evenly among %d ranks: want a multiple of %d, such as %d; replicas fill up", copies, replicated(x), ranks, ranks, ceilTo(int64(copies), int64(ranks)))
		return
	case x.TopK > x.Count:
		r.complain(at("top-k"), "a token goes to %d experts: there are %d", x.TopK, x.Count)
		return
	case x.Gating == GatingWeights && len(x.Weights) != x.Count:
		r.complain(at("weights"), "%d weights are given for %d experts: want one for each", len(x.Weights), x.Count)
		return
	case x.Gating != GatingWeights && len(x.Weights) > 0:
		r.complain(at("weights"), "weights are for gating: weights, which is %s", x.Gating)
		return
	case x.Gating != GatingZipf && x.Skew.Num != 0:
		r.complain(at("skew"), "a skew is for gating: zipf, which is %s", x.Gating)
		return
	case x.Posting == PostingGPU && (x.ProxyTime > 0 || x.ProxyThreads > 0 || x.CompletionTime > 0 || x.CQMod > 0):
		r.complain(at("posting"), "the GPU posts its work requests itself: proxy-threads, proxy-time, completion-time and cq-mod are for posting: proxy")
		return
	}
	if own := r.Cluster.Node.NICs / max(1, r.Cluster.Node.GPUs); x.NICs > max(1, own) {
		r.complain(at("nics"), "%d NICs of each GPU: it has %d", x.NICs, own)
	}
	if x.ReceiveTokens > 0 && x.ReceiveTokens < x.Chunk {
		r.complain(at("receive-tokens"), "a buffer of %d tokens has no room for a chunk of %d: want %d or more", x.ReceiveTokens, x.Chunk, x.Chunk)
	}
	if n := r.weighted(); n < x.TopK {
		r.complain(at("weights"), "%d experts have a weight above 0: a token goes to %d", n, x.TopK)
	}
	r.checkNodeLimit(copies / ranks)
	r.checkExpertMemory(copies / ranks)
	if n := r.messages(r.what, r.nodes, r.gpus); n > maxExchanged {
		r.complain(at("tokens"), "%d ranks have up to %d messages of a %s with %s kernels at the same time: weft simulates %d; take fewer nodes or experts, or larger chunks", ranks, n, r.what, x.Kernel, maxExchanged)
	}
}

// messages bounds the messages of an exchange over nodes of some GPUs that are on the way at the same time: of
// low-latency kernels one for each rank and expert; of throughput kernels the chunks of each rank, which a combine gets
// from all ranks of a node first.
func (x *Experts) messages(what Exchange, over, gpus int) int64 {
	ranks, nodes := int64(over*gpus), int64(over)
	if x.Kernel == LowLatency {
		return saturating(ranks, int64(x.Copies()))
	}
	reached := nodes
	if x.NodeLimit > 0 {
		reached = min(reached, int64(x.NodeLimit))
	}
	reached = min(reached, int64(x.TopK))
	tokens := int64(x.Tokens) * reached / nodes // of a rank for a node, in the mean
	chunks := tokens/max(1, int64(x.Channels*x.Chunk)) + 1
	n := saturating(saturating(ranks, nodes), chunks)
	if what == Combine {
		n = saturating(n, int64(gpus))
	}
	return n
}

func replicated(x *Experts) string {
	if x.Replicas == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d and %d replicas)", x.Count, x.Replicas)
}

// weighted is the number of experts that tokens may choose.
func (x *Experts) weighted() (n int) {
	if x.Gating != GatingWeights {
		return x.Count
	}
	for _, w := range x.Weights {
		if w > 0 {
			n++
		}
	}
	return n
}

// checkNodeLimit finds a limit of nodes that cannot hold a token's experts.
func (r mixtureRules) checkNodeLimit(perRank int) {
	x, nodes := r.Experts, r.nodes
	held := x.NodeLimit * perRank * r.gpus
	switch {
	case x.NodeLimit == 0:
	case x.NodeLimit > nodes:
		r.complain(r.at("node-limit"), "a limit of %d nodes: the cluster has %d", x.NodeLimit, nodes)
	case x.Replicas > 0:
		r.complain(r.at("node-limit"), "the groups of node-limited routing are the nodes' own experts, and replicas are on other nodes: leave one of the two out")
	case held < x.TopK:
		r.complain(r.at("node-limit"), "%d nodes hold %d experts (%d GPUs with %d each), and a token goes to %d", x.NodeLimit, held, r.gpus, perRank, x.TopK)
	}
}

// checkExpertMemory compares the buffers and experts of a GPU with its memory. Low-latency kernels
// have two sets of buffers, each for sending and receiving, with room for every rank's tokens at
// every expert of the rank (LowLatencyLayout in csrc/legacy/config.hpp of DeepEP).
func (r mixtureRules) checkExpertMemory(perRank int) {
	x, ranks := r.Experts, r.ranks()
	experts := saturating(int64(perRank), int64(x.ExpertBytes))
	slots := saturating(int64(perRank)*int64(ranks), int64(x.Tokens))
	slot := units.Bytes(x.Hidden) * elementBytes[ElementBF16] // combine's, which share the buffers
	buffers := int64(0)
	if x.Kernel == LowLatency {
		buffers = saturating(saturating(slots, 4), int64(slot))
	}
	if memory := r.Cluster.Node.GPU.Memory; units.Bytes(experts)+units.Bytes(buffers) > memory {
		r.complain(r.at("count"), "a GPU has %s and needs %s: %d experts of %s, and buffers of %s (2 sets to send and to receive, %d experts x %d ranks x %d tokens x %s)",
			memory, units.Bytes(experts+buffers), perRank, x.ExpertBytes, units.Bytes(buffers), perRank, ranks, x.Tokens, slot.Exact())
	}
}
