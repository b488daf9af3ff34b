package exchange

import (
	"slices"

	"weft/internal/sim/workload"
	"weft/scenario"
	"weft/units"
)

// sourceBytes is what tells a token's source on its way (SourceMeta in internode.cu): 8 B. indexBytes
// and weightBytes are an expert's number, and its weight in the sum.
const (
	sourceBytes = 8
	indexBytes  = 4
	weightBytes = 4
	alignment   = 16
)

// throughputBytes is the size of a token on its way through throughput kernels
// (get_num_bytes_per_token in internode.cu): a combine brings no numbers of experts back.
func throughputBytes(w *scenario.Workload) units.Bytes {
	x := &w.Experts
	n := x.TokenBytes() + sourceBytes + units.Bytes(x.TopK)*weightBytes
	if w.Exchange == scenario.Dispatch {
		n += units.Bytes(x.TopK) * indexBytes
	}
	return (n + alignment - 1) / alignment * alignment
}

// chunk is the tokens of a rank that go to a node together: a chunk of each channel.
type chunk struct {
	tokens int
	copies []int // by rank of the node: the tokens that it gets
}

// chunks are the chunks of a rank's tokens by node, in the order of the tokens.
func (t *traffic) chunks(rank int) [][]chunk {
	x := &t.w.Experts
	out := make([][]chunk, t.ranks/t.perNode)
	unit := max(1, x.Channels*x.Chunk)
	seen := make([]bool, t.ranks)
	for token := range slices.Chunk(t.choices[rank], x.TopK) {
		clear(seen)
		for _, c := range token {
			seen[t.place.ranks[c]] = true
		}
		for node := range out {
			hit := seen[node*t.perNode : (node+1)*t.perNode]
			if !slices.Contains(hit, true) {
				continue
			}
			if n := len(out[node]); n == 0 || out[node][n-1].tokens == unit {
				out[node] = append(out[node], chunk{copies: make([]int, t.perNode)})
			}
			last := &out[node][len(out[node])-1]
			last.tokens++
			for local, is := range hit {
				if is {
					last.copies[local]++
				}
			}
		}
	}
	return out
}

// throughput is the graph of throughput kernels. Of each node the GPU with the number of the token's
// rank in its own node passes tokens on to the others, or collects from them what a combine sends
// back. Nodes take turns, chunk by chunk, and begin with different ones (current_rdma_idx in
// internode.cu).
func (t *traffic) throughput() *workload.Graph {
	g := t.newGraph()
	nodes := t.ranks / t.perNode
	all := make([][][]chunk, t.ranks)
	for rank := range all {
		all[rank] = t.chunks(rank)
	}
	g.CopyRate = t.rateToOthers(all)
	for number, more := 0, true; more; number++ {
		more = false
		for away := range nodes {
			for rank := range t.ranks {
				node := (rank/t.perNode + away) % nodes
				if list := all[rank][node]; number < len(list) {
					more = true
					t.pass(g, rank, node, number, list)
				}
			}
		}
	}
	t.endKernels(g)
	return g
}

// rateToOthers is the part of a kernel's rate that is left for other GPUs: its warps store the tokens of the own GPU's
// experts in the same way (dispatch and combine in intranode.cu have as many warps for it as for each other).
func (t *traffic) rateToOthers(all [][][]chunk) units.Rate {
	others, every := int64(0), int64(0)
	for rank := range all {
		for _, list := range all[rank] {
			for i := range list {
				for local, n := range list[i].copies {
					every += int64(n)
					if local != rank%t.perNode {
						others += int64(n)
					}
				}
			}
		}
	}
	return units.Rate(float64(t.w.Experts.CopyRate) * float64(others) / float64(max(1, every)))
}

// way is a rank's chunks to a node of others, or back: for which chunks the receiver has told that there is room again.
type way struct{ rank, node int }

// pass adds the messages of a chunk, by its number, between a rank and a node.
func (t *traffic) pass(g *workload.Graph, rank, node, number int, list []chunk) {
	c, own, forwarder := &list[number], rank/t.perNode == node, node*t.perNode+rank%t.perNode
	switch {
	case t.w.Exchange == scenario.Combine:
		if after := t.collect(g, forwarder, c); !own {
			t.room(g, rank, node, number, len(list), forwarder, rank, []int32{t.cross(g, forwarder, rank, number, c, t.awaiting(rank, node, number, after))})
		}
	case own:
		t.spread(g, forwarder, c, 0)
	default:
		there := t.cross(g, rank, forwarder, number, c, t.awaiting(rank, node, number, []int32{0}))
		t.room(g, rank, node, number, len(list), rank, forwarder, append(t.spread(g, forwarder, c, there), there))
	}
}

// window is the number of chunks that a receiver has room for; 0: any.
func (t *traffic) window() int {
	return t.w.Experts.ReceiveTokens / max(1, t.w.Experts.Chunk)
}

// awaiting is after what a chunk leaves: after some operations, and after its receiver has told of room for it.
func (t *traffic) awaiting(rank, node, number int, after []int32) []int32 {
	told := t.freed[way{rank, node}]
	if n := t.window(); n > 0 && number >= n && number-n < len(told) {
		return append(slices.Clone(after), told[number-n])
	}
	return after
}

// room adds the message in which a chunk's receiver tells its sender, after some operations, that a later chunk has room.
func (t *traffic) room(g *workload.Graph, rank, node, number, chunks, sender, receiver int, after []int32) {
	n := t.window()
	if n == 0 || number+n >= chunks {
		return
	}
	p := t.posting(workload.Posting{Requests: 1, Connection: t.connection(t.used + number%t.used)}) // beside the chunks' queue pairs
	w := way{rank, node}
	t.freed[w] = append(t.freed[w], t.send(g, receiver, sender, signalBytes, p, after))
}

// cross adds the message of a chunk between nodes, and returns its Recv at the other rank. Each channel
// has its queue pair. Chunks take the NICs of a GPU in turn.
func (t *traffic) cross(g *workload.Graph, from, to, number int, c *chunk, after []int32) int32 {
	x := &t.w.Experts
	bytes := units.Bytes(c.tokens) * throughputBytes(t.w)
	requests := (c.tokens + x.Chunk - 1) / max(1, x.Chunk)
	p := t.posting(workload.Posting{Requests: int32(requests), Connection: t.connection(number % t.used), Spread: int32(x.QueuePairs), Signal: x.Signal == scenario.SignalAtomic})
	return t.send(g, from, to, bytes, p, after)
}

// spread adds the messages of a chunk inside a node, after an operation of the GPU that passes it on, and returns
// that GPU's operations.
func (t *traffic) spread(g *workload.Graph, from int, c *chunk, after int32) (sends []int32) {
	node := from / t.perNode
	for local, n := range c.copies {
		if to := node*t.perNode + local; n > 0 && to != from {
			sends = append(sends, int32(len(g.Ranks[from])))
			t.send(g, from, to, units.Bytes(n)*throughputBytes(t.w), t.posting(workload.Posting{Requests: 1}), []int32{after})
		}
	}
	return sends
}

// collect adds the messages of a chunk inside a node to the GPU that adds them up, and returns its
// operations after which the sum is there.
func (t *traffic) collect(g *workload.Graph, to int, c *chunk) []int32 {
	node, after := to/t.perNode, []int32{0}
	for local, n := range c.copies {
		if from := node*t.perNode + local; n > 0 && from != to {
			after = append(after, t.send(g, from, to, units.Bytes(n)*throughputBytes(t.w), t.posting(workload.Posting{Requests: 1}), []int32{0}))
		}
	}
	return after
}
