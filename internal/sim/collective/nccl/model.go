package nccl

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"weft/internal/sim/collective"
	"weft/units"
)

// Cost is the model's estimate for one algorithm with one protocol.
type Cost struct {
	Algo      Algo
	Proto     Proto
	LatencyUs float64
	AlgBWGBps float64 // before the factors that depend on the size
	TimeUs    float64 // the time of the given size
}

// Costs are the estimates for every algorithm and protocol that NCCL has for an operation of a size
// on the cluster; none for operations without a cost model. Bytes is the size column of nccl-tests.
func (c Cluster) Costs(op collective.Op, bytes int64) ([]Cost, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Ranks() == 1 {
		return []Cost{{Algo: Ring, Proto: Simple, AlgBWGBps: math.Inf(1)}}, nil
	}
	var all []Cost
	for a := range numAlgos {
		for p := range numProtos {
			if !c.enabled(op, a, p) {
				continue
			}
			bw := c.bandwidth(op, a, p)
			if bw <= 0 {
				continue
			}
			cost := Cost{Algo: a, Proto: p, LatencyUs: c.latency(op, a, p), AlgBWGBps: bw}
			cost.TimeUs = c.micros(op, cost, bytes)
			all = append(all, cost)
		}
	}
	return all, nil
}

// enabled reports whether NCCL considers an algorithm: the end of ncclTopoTuneModel, ncclPatEnable
// and updateCollCostTable.
func (c Cluster) enabled(op collective.Op, a Algo, p Proto) bool {
	if !c.Has(op, a, 0) || !c.Release.Has(op, a) || !c.allows(a, p) {
		return false
	}
	if p == LL128 && (c.NVLinkGBps <= 0 && c.PerNode > 1 || c.GPU >= Hopper && !c.Release.since(15)) {
		return false // only between GPUs connected by NVLink, of a generation that the release knows
	}
	if c.GPU == CDNA3 && !c.rcclEnabled(a, p) {
		return false
	}
	gathers := op == collective.AllGather || op == collective.ReduceScatter
	switch a {
	case CollNetDirect:
		return (!gathers || c.headEach()) && p == Simple && c.CollNet && c.NVSwitch && c.Nodes > 1 && c.PerNode <= 8
	case CollNetChain:
		return p == Simple && c.CollNet && c.Nodes > 1
	case NVLS:
		if c.Nodes > 1 && !c.CollNet || gathers && !c.headEach() {
			return false
		}
		return p == Simple && c.nvlsGraph().Channels >= 2
	case NVLSTree:
		return p == Simple && c.nvlsGraph().Channels >= 2 && c.Nodes > 1
	case PAT:
		return p == Simple && c.PerNode == 1
	default:
		return true
	}
}

// allows reports whether Only leaves an algorithm with a protocol.
func (c Cluster) allows(a Algo, p Proto) bool { return c.Only == nil || c.Only(a, p) }

// Has reports whether NCCL has an algorithm for an operation of a size: on some cluster of NVIDIA's
// GPUs, on this one of AMD's.
func (c Cluster) Has(op collective.Op, a Algo, bytes int64) bool {
	switch op {
	case collective.AllReduce:
		_, pairs := c.allPairs(op, bytes)
		return a < PAT || a == Direct && pairs
	case collective.AllGather, collective.ReduceScatter:
		return a == Ring || a == CollNetDirect || a == NVLS || a == PAT
	case collective.Broadcast, collective.Reduce:
		return a == Ring
	default:
		return a == Direct
	}
}

// headEach reports whether each GPU is a head, without which neither NVLS (getAlgoInfo in
// src/enqueue.cc) nor CollNet ("AllGather/ReduceScatter requires 1:1 GPU:NIC") gathers or scatters.
func (c Cluster) headEach() bool { return c.Layout().Heads() == c.PerNode }

// nsteps is the number of times that a ring sends a byte.
func (c Cluster) nsteps(op collective.Op) int {
	switch op {
	case collective.AllReduce:
		return 2 * (c.Ranks() - 1)
	case collective.AllGather, collective.ReduceScatter:
		return c.Ranks() - 1
	default:
		return c.Ranks()
	}
}

// bandwidth is the algorithm bandwidth in GB/s.
func (c Cluster) bandwidth(op collective.Op, a Algo, p Proto) float64 {
	bus := c.busbw(op, a, p)
	if (a == NVLS || a == NVLSTree) && !c.Release.since(28) {
		return bus
	}
	gathers := op == collective.AllGather || op == collective.ReduceScatter
	switch {
	case a == Ring, (a == NVLS || a == NVLSTree) && !gathers:
		return bus * float64(c.Ranks()) / float64(c.nsteps(op))
	case gathers:
		return bus
	default:
		return bus / 2
	}
}

// busbw is NCCL's bus bandwidth of an algorithm, in GB/s.
func (c Cluster) busbw(op collective.Op, a Algo, p Proto) float64 {
	switch a {
	case NVLS, NVLSTree:
		return c.nvlsBusBW(op, a)
	case CollNetDirect, CollNetChain:
		return c.collNetBusBW(op, a)
	}
	g := c.ringGraph()
	if a == Tree {
		g = c.treeGraph()
	}
	channels := float64(g.Channels)
	bw := channels * g.InterGBps
	if c.Nodes <= 2 {
		bw = channels * g.IntraGBps
	}
	bw = c.bounded(bw)
	scale := c.scale()
	switch {
	case c.GPU == CDNA3:
		return channels * g.InterGBps * c.rcclRatio(op, a, p)
	case a == PAT:
		return bw * c.tuning().pat
	case a == Ring && p == LL:
		return min(c.llMax(), bw*c.llFraction(op))
	case a == Ring && p == LL128:
		return min(bw*c.ringLL128Fraction(), channels*c.channelLL128(&c.tuning().ringLL128, op))
	case a == Ring:
		return bw
	}
	bw = min(bw*treeFraction, channels*c.tuning().tree[c.GPU][scale])
	switch p {
	case LL:
		bw = min(bw/treeLLDivisor, c.llMax())
	case LL128:
		f := treeLL128More
		if c.Nodes == 1 {
			f = treeLL128One
		} else if !c.Release.since(10) {
			f = .915
		}
		bw = min(bw*f, channels*c.channelLL128(&c.tuning().treeLL128, op))
	}
	if c.treePattern() {
		bw *= treePattern
	}
	return bw
}

// treePattern reports whether one GPU of a node communicates with all others
// (NCCL_TOPO_PATTERN_TREE): with one GPU, and with several if the search prefers this to a NIC that
// is not beside the GPU, from Hopper on.
func (c Cluster) treePattern() bool {
	return c.Release.since(18) && (c.PerNode == 1 || c.Nodes > 1 && c.GPU >= Hopper)
}

func (c Cluster) nvlsBusBW(op collective.Op, a Algo) float64 {
	if !c.Release.since(28) {
		return c.oldNVLSBusBW(op, a)
	}
	g := c.nvlsGraph()
	n := float64(g.Channels)
	intra := g.IntraGBps * nvlsEfficiency[c.GPU] * (n - 1) / n
	if op == collective.AllReduce {
		intra *= 2 // both halves go on at once
	} else {
		intra *= float64(c.PerNode-1) / float64(c.PerNode)
	}
	inter := g.InterGBps
	if c.Nodes <= 2 && a == NVLSTree {
		inter *= 2
	}
	bw := min(intra, inter)
	if c.Nodes == 1 {
		bw = intra
	}
	if a == NVLSTree {
		bw = min(bw, c.tuning().nvlsTree[c.GPU][c.scale()])
	}
	return n * bw
}

// collNetBusBW uses the graph of the rings, because the network's reduction shares its NICs with
// them.
func (c Cluster) collNetBusBW(op collective.Op, a Algo) float64 {
	g := c.ringGraph()
	if op != collective.AllReduce && !c.Release.since(27) {
		return c.oldShardsBusBW()
	}
	if op != collective.AllReduce {
		return float64(c.PerNode) * min(g.IntraGBps, g.InterGBps*collNetShards)
	}
	if !c.Release.since(18) {
		return c.oldCollNetBusBW(a)
	}
	bw := float64(g.Channels) * g.IntraGBps
	if a == CollNetChain {
		return bw
	}
	factor := float64(c.PerNode) / float64(g.Channels) // GPUs per NIC
	factor -= (factor - 1) / 2
	bw /= factor
	if c.GPU >= Hopper {
		bw *= collNetDirect90
	}
	return bw
}

// latency is in µs.
func (c Cluster) latency(op collective.Op, a Algo, p Proto) float64 {
	base := c.tuning().base[a][p]
	intra, inter := c.steps(a, p)
	n, nodes, per := float64(c.Ranks()), float64(c.Nodes), float64(c.PerNode)
	hops := float64(log2(int64(c.Nodes)))
	switch a {
	case Ring:
		return base + c.ringLatency(op, p, intra, inter)
	case Tree:
		return base + 2*((per-1)*intra+hops*inter)
	case CollNetDirect:
		return base + c.collNetLocalUs(intra) + inter
	case CollNetChain:
		return base + 2*(per-1)*intra + inter
	case NVLS:
		if nodes > 1 {
			return intra + inter
		}
		return intra
	case NVLSTree:
		if !c.Release.since(19) {
			return intra + 2*(nodes-1)*inter
		}
		return base + intra + 2*hops*inter
	default: // PAT
		return base + hops*inter/patLogDivisor + n*patLinear
	}
}

// collNetLocalUs is CollNetDirect's total time inside the node, whatever the operation: two steps,
// and the GPUs of the node one after another.
func (c Cluster) collNetLocalUs(intra float64) float64 {
	others := float64(c.PerNode - 1)
	if !c.Release.since(10) {
		return 2 * others * intra
	}
	return 2 * (min(1, others)*intra + others*c.Release.arityUs())
}

// steps are the costs of a step inside a node and between nodes.
func (c Cluster) steps(a Algo, p Proto) (intra, inter float64) {
	intra, inter = c.tuning().hw[c.intra()][a][p], c.tuning().hw[linkNet][a][p]
	if c.PerNode == 1 && c.Release.since(23) {
		inter = c.tuning().hw[linkNet][Tree][p]
	}
	if p == LL && c.Nodes > 1 && !c.Release.since(18) && c.GPU != CDNA3 {
		intra *= localLLFactor
	}
	return intra, c.netLatency(inter, p)
}

func (c Cluster) ringLatency(op collective.Op, p Proto, intra, inter float64) float64 {
	steps := c.nsteps(op)
	if op == collective.Broadcast || op == collective.Reduce {
		on := linkNet
		if c.Nodes == 1 {
			on = c.intra()
		}
		if c.Nodes == 1 || c.PerNode == 1 {
			return c.tuning().hw[on][Ring][p] // the rings are alike
		}
		of := Ring
		if p == Simple {
			of = Tree
		}
		return float64(steps) * c.tuning().hw[on][of][p]
	}
	if c.Nodes > 1 && c.Release.since(18) {
		intra = max(intra, c.proxyUs(p))
	}
	between := c.ringCrossings(op)
	return float64(steps-between)*intra + float64(between)*inter
}

// proxyUs is the CPU's time per message between nodes.
func (c Cluster) proxyUs(p Proto) float64 {
	if p == Simple {
		return 3 * netOverhead[c.CPU]
	}
	return netOverhead[c.CPU]
}

// micros is ncclTopoGetAlgoTime for one operation.
func (c Cluster) micros(op collective.Op, cost Cost, bytes int64) float64 {
	bw, lat := cost.AlgBWGBps, cost.LatencyUs
	if c.GPU == CDNA3 {
		return lat + float64(bytes)/(1000*bw*c.rcclCorrection(cost.Algo, cost.Proto, bytes))
	}
	if op == collective.AllReduce && bytes >= 64 {
		bucket := log2(bytes >> 6)
		table := c.Release.correction(cost.Proto)
		switch {
		case cost.Algo == Tree && bucket < 23:
			bw *= table[bucket]
		case cost.Algo == NVLSTree && bucket < len(table) && c.Release.since(29) && c.GPU == Blackwell && c.CPU != OtherCPU:
			bw *= table[bucket]
		}
	}
	if op == collective.AllReduce && cost.Algo == Ring && cost.Proto == Simple && c.Nodes > 1 {
		lat *= c.plateau(bytes)
	}
	return lat + float64(bytes)/(1000*bw)
}

// Choice is NCCL's choice for an operation of a size.
type Choice struct {
	Cluster  Cluster
	Op       collective.Op
	Bytes    int64
	Algo     Algo
	Proto    Proto
	Channels int
	Chunk    int64 // of point-to-point messages, set by the caller; 0: NCCL's
	// Time is NCCL's own estimate; 0 for operations without a cost model.
	Time units.Time
}

// Choose is the algorithm and protocol with the shortest time.
func (c Cluster) Choose(op collective.Op, bytes int64) (Choice, error) {
	if grouped(op) {
		return c.direct(op, bytes)
	}
	if err := c.check(); err != nil {
		return Choice{}, err
	}
	if ch, ok := c.tuned(op, bytes); ok {
		return ch, nil
	}
	if ch, ok := c.allPairs(op, bytes); ok {
		return ch, nil
	}
	costs, err := c.Costs(op, bytes)
	if err != nil {
		return Choice{}, err
	}
	if c.Ranks() == 1 {
		return Choice{Cluster: c, Op: op, Bytes: bytes, Algo: Ring, Proto: Simple, Channels: 1}, nil
	}
	if len(costs) == 0 {
		return Choice{}, c.none(op, bytes)
	}
	best := costs[0]
	for _, cost := range costs {
		if cost.TimeUs < best.TimeUs {
			best = cost
		}
	}
	return Choice{
		Cluster: c, Op: op, Bytes: bytes, Algo: best.Algo, Proto: best.Proto,
		Channels: c.channelsFor(op, best.Algo, best.Proto, bytes),
		Time:     micros(best.TimeUs),
	}, nil
}

// none is the error of an operation for which Only leaves nothing: it lists what NCCL has.
func (c Cluster) none(op collective.Op, bytes int64) error {
	c.Only = nil
	has := []string{fmt.Sprintf("%v LL, %v Simple", Direct, Direct)}
	if !grouped(op) {
		costs, err := c.Costs(op, bytes)
		if err != nil {
			return err
		}
		has = nil
		for _, cost := range costs {
			has = append(has, fmt.Sprintf("%v %v", cost.Algo, cost.Proto))
		}
	}
	return fmt.Errorf("NCCL has no such pair for %v on a cluster of %d × %d %v GPUs: want %s", op, c.Nodes, c.PerNode, c.GPU, strings.Join(has, ", "))
}

// With is a choice made by the caller.
func (c Cluster) With(op collective.Op, a Algo, p Proto, bytes int64) (Choice, error) {
	c.Only = func(x Algo, y Proto) bool { return x == a && y == p }
	return c.Choose(op, bytes)
}

// channelsFor is the number of channels for a size: topoGetAlgoInfo, then the least traffic of a
// channel in scheduleCollTasksToPlan.
func (c Cluster) channelsFor(op collective.Op, a Algo, p Proto, bytes int64) int {
	switch {
	case a == NVLS && c.Nodes > 1:
		return min(c.NVLSChannels(), c.Channels())
	case a == NVLS || a == NVLSTree:
		return c.NVLSChannels()
	case a == CollNetDirect:
		return c.collNetChannels(bytes)
	}
	n := int64(c.Channels())
	t := threads[p]
	if c.GPU == CDNA3 {
		t.max = rcclThreads
	}
	if g := c.ringGraph(); a == Ring && p == Simple && g.IntraGBps*float64(g.Channels) <= pciBW {
		t.max = 256
	}
	if a == Ring && p == LL {
		t.bytes *= int64(c.Ranks())
	}
	for n > 1 && bytes < n*t.max*t.bytes {
		n--
	}
	traffic, least := int64(1), c.tuning().minTraffic // per byte of the size
	if op == collective.AllReduce {
		traffic = 2
	}
	if p == LL {
		traffic *= 4
	}
	return int(min(n, max(1, (bytes*traffic+least-1)/least)))
}

// collNetChannels is the same for CollNetDirect. Its threshold of traffic per channel is halved
// each time that the number of channels has decreased to one and a half of 16, 8, 4 and so on.
func (c Cluster) collNetChannels(bytes int64) int {
	n, t := int64(c.Channels()), threads[Simple]
	heads := int64(min(c.PerNode, c.NICs))
	few := func() bool { return bytes < n*t.max*heads*t.bytes }
	for floor := int64(16); floor >= 1 && few(); floor /= 2 {
		for few() && n > floor {
			if n == floor+floor/2 {
				t.bytes /= 2
			}
			n--
		}
	}
	return int(max(n, 1))
}

// log2 is the logarithm of n rounded down; 0 for n below 2.
func log2(n int64) int { return bits.Len64(uint64(max(n, 1))) - 1 }

// micros is a time given in µs.
func micros(us float64) units.Time { return units.Time(us * float64(units.Microsecond)) }
