package exchange

import (
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/internal/sim/workload"
	"weft/scenario"
	"weft/units"
)

// traffic is the tokens of an exchange with their ways.
type traffic struct {
	w       *scenario.Workload
	seed    uint64
	ranks   int
	perNode int
	nics    int // of a GPU
	used    int // of them
	*draw
	postings map[workload.Posting]*workload.Posting
	freed    map[way][]int32 // by chunk: the sender's operation after which the receiver has room again
}

// trafficOf draws the tokens of a scenario.
func trafficOf(r *scenario.Resolved) *traffic {
	x, perNode := &r.Workload.Experts, r.Cluster.Node.GPUs
	t := &traffic{w: &r.Workload, seed: r.Run.Seed, ranks: r.Cluster.Ranks(), perNode: perNode, nics: max(1, r.Cluster.Node.NICs/max(1, perNode)), draw: drawOf(r), postings: make(map[workload.Posting]*workload.Posting), freed: make(map[way][]int32)}
	t.used = t.nics
	if x.NICs > 0 {
		t.used = min(t.nics, x.NICs)
	}
	return t
}

// graph is what the kernels send.
func (t *traffic) graph() *workload.Graph {
	if t.w.Experts.Kernel == scenario.Throughput {
		return t.throughput()
	}
	return t.lowLatency()
}

// newGraph is a graph in which every rank's kernel begins.
func (t *traffic) newGraph() *workload.Graph {
	x := &t.w.Experts
	g := &workload.Graph{Ranks: make([][]workload.Op, t.ranks), Sender: workload.GPU}
	if x.Posting == scenario.PostingProxy {
		g.Proxy, g.ProxyThreads = x.ProxyTime+x.CompletionTime/units.Time(x.CQMod), x.ProxyThreads
	}
	for rank := range g.Ranks {
		g.Ranks[rank] = []workload.Op{{Name: "kernel begins", Kind: workload.Compute, Stream: workload.Unordered, Time: t.late(rank) + x.Software}}
	}
	return g
}

// streamStart is the stream of random numbers of the ranks' starts.
const streamStart = 0x736b65

// late is when a rank begins its kernel.
func (t *traffic) late(rank int) units.Time {
	if t.w.Experts.StartSkew == 0 {
		return 0
	}
	pcg := engine.Stream(t.seed, streamStart, uint32(rank))
	return units.Time(rand.New(&pcg).Int64N(int64(t.w.Experts.StartSkew)))
}

// endKernels ends every rank's kernel: after its begin, all that it receives, and all that it stores
// at other GPUs of its node. What its NIC has to send may still be on its way.
func (t *traffic) endKernels(g *workload.Graph) {
	for rank, ops := range g.Ranks {
		end := workload.Op{Name: "kernel ends", Kind: workload.Compute, Stream: workload.Unordered, Time: t.w.Experts.Software}
		for i := range ops {
			if ops[i].Kind != workload.Send || !t.crosses(rank, &ops[i]) {
				end.After = append(end.After, int32(i))
			}
		}
		g.Ranks[rank] = append(ops, end)
	}
}

// connection is a connection between two ranks, by its number: the NICs that carry the exchange have them in turn.
func (t *traffic) connection(number int) int32 {
	return int32(number/t.used*t.nics + number%t.used)
}

// crosses reports whether a rank's Send goes through its NIC.
func (t *traffic) crosses(rank int, o *workload.Op) bool {
	return rank/t.perNode != int(o.Peer)/t.perNode || o.Posting.Network
}

// send adds a message, which its sender posts after some of its operations, and returns the Recv.
func (t *traffic) send(g *workload.Graph, from, to int, bytes units.Bytes, p *workload.Posting, after []int32) int32 {
	o := workload.Op{Purpose: workload.Expert, Stream: workload.Unordered, Bytes: bytes}
	send, receive := o, o
	send.Kind, send.Peer, send.After, send.Posting = workload.Send, int32(to), after, p
	receive.Kind, receive.Peer = workload.Recv, int32(from)
	send.Tag = int32(len(g.Ranks[to])) // unique among the receiver's messages
	receive.Tag = send.Tag
	g.Ranks[from] = append(g.Ranks[from], send)
	g.Ranks[to] = append(g.Ranks[to], receive)
	return int32(len(g.Ranks[to]) - 1)
}

// posting is one of equal postings: they are many.
func (t *traffic) posting(p workload.Posting) *workload.Posting {
	known := t.postings[p]
	if known == nil {
		known = &p
		t.postings[p] = known
	}
	return known
}
