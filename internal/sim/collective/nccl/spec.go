package nccl

import (
	"cmp"
	"fmt"

	"weft/internal/sim/collective"
)

// The slots of the protocols' buffers, in bytes of data (src/init.cc,
// src/enqueue.cc): a connection has eight of each.
const (
	llSlot    = 512 * 8 * 16 / 2          // NCCL_LL_MAX_NTHREADS · NCCL_LL_LINES_PER_THREAD lines of 16 bytes, half of them data
	ll128Slot = 640 * 120 * 8 / 128 * 120 // NCCL_LL128_MAX_NTHREADS · NCCL_LL128_ELEMS_PER_THREAD words of 8 bytes, in lines of 128
	netChunk  = 128 << 10                 // NCCL_P2P_NET_CHUNKSIZE
)

// Spec is the program to execute for the choice. The caller may still set Root
// and Elem.
func (ch Choice) Spec() (collective.Spec, error) {
	algo, ok := ch.Algo.program()
	if !ok || !collective.Has(ch.Op, algo) {
		return collective.Spec{}, fmt.Errorf("nccl: there is no program for %v by %v", ch.Op, ch.Algo)
	}
	s := collective.Spec{
		Op: ch.Op, Algo: algo, Layout: ch.Cluster.Layout(), Bytes: ch.Bytes,
		Channels: ch.Channels, Chunk: ch.chunk(), Slices: 1,
	}
	if ch.Algo == Ring && ch.Proto == Simple {
		s.Slices = collective.RingSlices
	}
	return s, nil
}

// chunk is the result of calcCollChunking in src/enqueue.cc.
func (ch Choice) chunk() int64 {
	switch {
	case ch.Algo == Direct:
		return ch.pairChunk()
	case ch.Algo == NVLS:
		return ch.nvlsChunk()
	case ch.Algo == NVLSTree:
		return ch.nvlsTreeChunk()
	case ch.Algo == CollNetDirect:
		return ch.collNetChunk()
	case ch.Algo == CollNetChain:
		return ch.chainChunk()
	case ch.Proto == LL:
		return llSlot
	case ch.Algo == Tree && ch.Proto == LL128:
		return ch.treeLL128Chunk()
	case ch.Proto == LL128:
		return ll128Slot
	case ch.Algo == Ring && ch.Op != collective.Broadcast && ch.Op != collective.Reduce:
		return collective.RingChunk / collective.SlotBytes * ch.Cluster.slot()
	default:
		return ch.Cluster.slot()
	}
}

// shrink is one rule of calcCollChunking: chunks of more than floor bytes
// become floor if fewer than rounds of them go to every head.
type shrink struct{ rounds, floor int64 }

func (ch Choice) shrunk(chunk int64, rules []shrink) int64 {
	heads := int64(ch.Channels) * int64(ch.Cluster.nvlsGraph().Channels)
	for _, r := range rules {
		if chunk > r.floor && ch.Bytes < r.rounds*heads*chunk {
			chunk = r.floor
		}
	}
	return chunk
}

func (ch Choice) nvlsChunk() int64 {
	if c := ch.Cluster; c.Nodes > 1 && c.bandwidth(ch.Op, NVLS, Simple) < nvlsSlowGBps {
		return ch.shrunk(nvlsSlowChunk, []shrink{{2, 16 << 10}})
	}
	return ch.shrunk(cmp.Or(ch.Cluster.Plugin.NVLSChunk, collective.NVLSChunk), []shrink{{64, 64 << 10}, {8, 32 << 10}, {2, 16 << 10}})
}

// collNetChunk halves the chunk if there are few chunks for every head; depth is the depth inside a
// node (collnetDirect.depth in src/graph/connect.cc).
func (ch Choice) collNetChunk() int64 {
	c := ch.Cluster
	depth := int64(2)
	if c.PerNode == 1 {
		depth = 1
	}
	chunk, heads := int64(collective.SlotBytes), int64(min(c.PerNode, c.NICs))
	for _, r := range []shrink{{64, 128 << 10}, {8, 64 << 10}, {8, 32 << 10}} {
		for chunk > r.floor && ch.Bytes/(int64(ch.Channels)*heads*chunk) < depth*r.rounds {
			chunk /= 2
		}
	}
	return chunk
}

// chainChunk halves the chunk if there are few chunks for the depth of the chain, which is a node's
// (collnetChain.depth in src/graph/connect.cc).
func (ch Choice) chainChunk() int64 {
	chunk, depth := int64(256<<10), int64(ch.Cluster.PerNode)
	for _, r := range []shrink{{64, 128 << 10}, {8, 64 << 10}, {1, 32 << 10}} {
		for chunk > r.floor && ch.Bytes/(int64(ch.Channels)*chunk) < depth*r.rounds {
			chunk /= 2
		}
	}
	return chunk
}

func (ch Choice) nvlsTreeChunk() int64 {
	chunk := cmp.Or(ch.Cluster.Plugin.NVLSChunk, collective.NVLSChunk)
	if most := ch.Cluster.Plugin.NVLSTreeChunk; most > 0 {
		chunk = min(chunk, most)
	} else if ch.Cluster.Nodes >= 4 {
		chunk = 64 << 10 // NCCL_NVLSTREE_MAX_CHUNKSIZE
	}
	return ch.shrunk(chunk, []shrink{{32, 256 << 10}, {16, 128 << 10}, {4, 64 << 10}, {1, 32 << 10}})
}

func (ch Choice) treeLL128Chunk() int64 {
	per := float64(ch.Cluster.PerNode)
	steps := 1 + float64(log2(int64(ch.Cluster.Nodes))) + .1*per
	chunk := int64(ll128Slot)
	few := func(rounds float64) bool { return float64(ch.Bytes/(int64(ch.Channels)*chunk)) < steps*rounds/per }
	for chunk > 128<<10 && few(64) {
		chunk /= 2
	}
	for chunk > 32<<10 && few(16) {
		chunk /= 2
	}
	return chunk / 120 * 120
}
