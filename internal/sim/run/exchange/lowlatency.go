package exchange

import (
	"weft/internal/sim/scenario"
	"weft/internal/sim/workload"
	"weft/units"
)

// headerBytes is the number of the token at its source, with three reserved numbers, before its data
// in a dispatch (num_bytes_per_msg in internode_ll.cu).
const headerBytes = 16

// signalBytes is the size of a signal without tokens: a count.
const signalBytes = 4

// slotBytes is the size of a token on the network.
func slotBytes(w *scenario.Workload) units.Bytes {
	n := w.Experts.TokenBytes()
	if w.Exchange == scenario.Dispatch && w.Experts.Kernel == scenario.LowLatency {
		n += headerBytes
	}
	return n
}

// lowLatency is the graph of low-latency kernels.
func (t *traffic) lowLatency() *workload.Graph {
	x := &t.w.Experts
	g := &workload.Graph{Ranks: make([][]workload.Op, t.ranks), Sender: workload.GPU}
	if x.Posting == scenario.PostingProxy {
		g.Proxy = x.ProxyTime
	}
	for rank := range g.Ranks {
		g.Ranks[rank] = append(g.Ranks[rank], workload.Op{Name: "kernel begins", Kind: workload.Compute, Stream: workload.Unordered, Time: x.Software})
	}
	for i := range t.ranks {
		// Warps of all experts send at the same time: no expert's tokens are first at every rank.
		for k := range len(t.place.ranks) {
			c := (k + i*len(t.place.ranks)/t.ranks) % len(t.place.ranks)
			t.message(g, i, c)
		}
	}
	for rank, ops := range g.Ranks {
		g.Ranks[rank] = append(ops, kernelEnd(ops, x.Software))
	}
	return g
}

// kernelEnd is the end of a rank's kernel: after its begin and all that it receives. What it has sent
// may still be on its way.
func kernelEnd(ops []workload.Op, software units.Time) workload.Op {
	end := workload.Op{Name: "kernel ends", Kind: workload.Compute, Stream: workload.Unordered, Time: software}
	for i := range ops {
		if ops[i].Kind != workload.Send {
			end.After = append(end.After, int32(i))
		}
	}
	return end
}

// message adds a rank's tokens for a copy of an expert, or back from it.
func (t *traffic) message(g *workload.Graph, rank, copied int) {
	x, owner := &t.w.Experts, t.place.ranks[copied]
	if owner == rank {
		return
	}
	from, to := int32(rank), int32(owner)
	if t.w.Exchange == scenario.Combine {
		from, to = to, from
	}
	n := int(t.counts[rank][copied])
	o := workload.Op{
		Purpose: workload.Expert, Stream: workload.Unordered, Tag: int32(copied), Bytes: units.Bytes(n) * slotBytes(t.w),
		Posting: t.posting(x, n, copied),
	}
	if n == 0 {
		o.Bytes = signalBytes
	}
	send, receive := o, o
	send.Kind, send.Peer, send.After = workload.Send, to, []int32{0}
	receive.Kind, receive.Peer, receive.Posting = workload.Recv, from, nil
	g.Ranks[from] = append(g.Ranks[from], send)
	g.Ranks[to] = append(g.Ranks[to], receive)
}

// posting is how n tokens of a copy are posted.
func (t *traffic) posting(x *scenario.Experts, n, copied int) *workload.Posting {
	p := workload.Posting{
		Requests: int32(max(1, n)), Connection: int32(copied % max(1, x.QueuePairs)),
		Signal: n > 0 && x.Signal == scenario.SignalAtomic, Network: x.RDMAOnly,
	}
	known := t.postings[p]
	if known == nil {
		known = &p
		t.postings[p] = known
	}
	return known
}
