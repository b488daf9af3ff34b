package scenario

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"weft/units"
)

// checkMemory estimates the simulation's memory before it is built.
func (r workloadRules) checkMemory() {
	e := r.Estimate()
	limit := r.Run.Limit.Memory
	if e.Memory <= limit {
		return
	}
	messages, instead := "", "a smaller cluster"
	if e.Messages > 0 {
		messages, instead = fmt.Sprintf(", and %d messages of %d B", e.Messages, bytesPerMessage), "a smaller cluster, larger messages or a shorter duration"
	}
	r.complain("run.limit.memory", "the simulation is estimated to need %s: %d endpoints of %s, %d ranks of %s and %d queue pair connections of %d B%s; the limit is %s: take %s, or raise run.limit.memory if the machine has it",
		e.Memory, e.Endpoints, bytesPerEndpoint.Exact(), e.Ranks, bytesPerRank.Exact(), e.Pairs, bytesPerPair, messages, limit.Exact(), instead)
}

// Estimate is the need of a simulation of one size on one fabric.
type Estimate struct {
	Endpoints int64
	Ranks     int64
	Pairs     int64 // connections that are open at the same time
	Messages  int64 // messages of uniform traffic, or of an exchange, which are drawn before the run
	Memory    units.Bytes
}

// Estimate computes it from counts alone; nothing is allocated.
func (r *Resolved) Estimate() Estimate {
	c, w := r.Cluster, &r.Workload
	nodes, gpus := int64(c.Nodes), int64(c.Node.GPUs)
	e := Estimate{Endpoints: nodes * int64(c.Node.NICs), Ranks: nodes * gpus}
	qps, sockets := int64(1), int64(1)
	for _, f := range r.Fabrics {
		qps, sockets = max(qps, int64(f.Transport.QPsPerConnection)), max(sockets, int64(f.TCP.Sockets))
	}
	perRank := int64(2)
	switch {
	case w.Collective == AllToAll || w.Collective == Scatter || w.Collective == Gather:
		perRank = max(0, e.Ranks-gpus)
	case w.Collective == SendRecv:
		perRank = 1
	case w.Collective != "":
		perRank = 2 * int64(cmp.Or(w.Channels, mostChannels)) / max(1, min(gpus, int64(c.Node.NICs)))
	case w.Exchange != "":
		perRank = max(0, e.Ranks-gpus) * int64(max(1, w.Experts.QueuePairs))
		e.Messages = w.Experts.messages(w.Exchange, c.Nodes, c.Node.GPUs) * exchangedMessages
	case w.Pattern == Uniform:
		perRank = min(256, e.Endpoints)
	case w.Pattern == Flows:
		perRank = int64(len(w.AllFlows(&c)))/max(1, e.Ranks) + 1
	}
	pairs := saturating(saturating(e.Ranks, max(1, perRank)), max(qps, sockets))
	e.Pairs = pairs
	total := saturating(e.Endpoints, int64(bytesPerEndpoint)) + saturating(e.Ranks, int64(bytesPerRank))
	if w.Pattern == Uniform {
		e.Messages = r.uniformMessages(e.Endpoints)
	}
	total += saturating(e.Messages, bytesPerMessage)
	perPair := int64(bytesPerPair + w.ReceiveQueue*bytesPerReceive)
	e.Memory = units.Bytes(min(total+saturating(pairs, perPair), maxMemory))
	return e
}

// exchangedMessages is the memory of a message of an exchange, an operation of two ranks, in messages of a
// pattern.
const exchangedMessages = 16

// uniformMessages is the number of messages of uniform traffic with the smallest size on the
// fastest fabric.
func (r *Resolved) uniformMessages(endpoints int64) int64 {
	w := &r.Workload
	if len(w.Sizes) == 0 || slices.Min(w.Sizes) <= 0 {
		return 0
	}
	most := 0.0
	for i := range r.Fabrics {
		bytes := float64(r.Fabrics[i].Link.Rate()) / 8 * w.Load.Float() * w.Duration.Seconds()
		most = max(most, bytes/float64(slices.Min(w.Sizes)))
	}
	return int64(min(most*float64(endpoints), maxMemory))
}

// mostChannels is the maximum number of channels that NCCL opens.
const mostChannels = 32

// maxMemory keeps the sums of an estimate within 63 bits.
const maxMemory = 1 << 60

func saturating(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo > maxMemory {
		return maxMemory
	}
	return int64(lo)
}
