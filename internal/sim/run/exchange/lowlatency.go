package exchange

import (
	"weft/internal/sim/workload"
	"weft/scenario"
	"weft/units"
)

// headerBytes is the number of the token at its source, with three reserved numbers, before its data
// in a dispatch (num_bytes_per_msg in internode_ll.cu).
const headerBytes = 16

// signalBytes is the size of a signal without tokens: a count.
const signalBytes = 4

// lowLatencyBytes is the size of a token in a WRITE of low-latency kernels.
func lowLatencyBytes(w *scenario.Workload) units.Bytes {
	if w.Exchange == scenario.Dispatch {
		return w.Experts.TokenBytes() + headerBytes
	}
	return w.Experts.TokenBytes()
}

// lowLatency is the graph of low-latency kernels.
func (t *traffic) lowLatency() *workload.Graph {
	g := t.newGraph()
	held := t.place.held(t.ranks)
	nodes := t.ranks / t.perNode
	for number := range len(held[0]) {
		for away := range t.ranks {
			for rank := range t.ranks {
				// Tokens choose at random, so that no rank is first at all others: each has another one here.
				owner := (rank/t.perNode+away/t.perNode)%nodes*t.perNode + (rank+away)%t.perNode
				t.exchangeWith(g, rank, held[owner][number])
			}
		}
	}
	t.endKernels(g)
	return g
}

// exchangeWith adds a rank's tokens for a copy of an expert, or back from it.
func (t *traffic) exchangeWith(g *workload.Graph, rank, copied int) {
	x, owner := &t.w.Experts, t.place.ranks[copied]
	if owner == rank {
		return
	}
	from, to := rank, owner
	if t.w.Exchange == scenario.Combine {
		from, to = to, from
	}
	n := t.counts[rank][copied]
	p := workload.Posting{Requests: max(1, n), Connection: t.connection(copied % max(1, x.QueuePairs)), Signal: n > 0 && x.Signal == scenario.SignalAtomic, Network: x.RDMAOnly}
	bytes := units.Bytes(n) * lowLatencyBytes(t.w)
	if n == 0 {
		bytes = signalBytes
	}
	t.send(g, from, to, bytes, t.posting(p), []int32{0})
}
