package serving

import "weft/internal/sim/workload/llm"

// Cache is the keys and values of a model: what each layer keeps of a token.
type Cache struct {
	Layers int
	// Heads is the number of heads of keys and values; 1 with latent attention.
	Heads int
	// Parts is the number of regions of memory of a layer: keys and values, or latents.
	Parts int
	// Numbers is the bytes of a head's part of a token.
	Numbers int64
	latent  bool
}

// CacheOf is the cache of a model with numbers of a width in bytes.
func CacheOf(m *llm.Model, width int64) Cache {
	if m.KVRank > 0 {
		return Cache{Layers: m.Layers, Heads: 1, Parts: 1, Numbers: int64(m.KVRank+m.RopeDim) * width, latent: true}
	}
	return Cache{Layers: m.Layers, Heads: m.KVHeads, Parts: 2, Numbers: int64(m.HeadDim) * width}
}

// TokenBytes is the bytes of a token in all layers, each head once.
func (c *Cache) TokenBytes() int64 {
	return int64(c.Layers) * int64(c.Heads*c.Parts) * c.Numbers
}

// Held is the number of heads that each of a number of GPUs holds: one if there are more GPUs than
// heads, several of which then hold the same.
func (c *Cache) Held(tensor int) int { return max(1, c.Heads/tensor) }

// RankBytes is the bytes of a token in all layers on each of a number of GPUs.
func (c *Cache) RankBytes(tensor int) int64 {
	return int64(c.Layers) * int64(c.Held(tensor)*c.Parts) * c.Numbers
}

// Share is the heads that one GPU of an instance passes to a GPU of another.
type Share struct {
	From, To int // in their instances' attention groups
	Heads    int
}

// Shares are the heads that each GPU of a group of one size passes to each of a group of another,
// so that each receiver has all that it holds. A GPU whose heads several hold takes them from one,
// as evenly as the numbers allow. Of latents every GPU holds the same.
func (c *Cache) Shares(from, to int) (out []Share) {
	held := c.Held(to)
	for rank := range to {
		first := rank * c.Heads / to
		if c.latent {
			first = 0
		}
		for head := first; head < first+held; head++ {
			source := c.source(head, rank, from, to)
			if n := len(out); n > 0 && out[n-1].From == source && out[n-1].To == rank {
				out[n-1].Heads++
				continue
			}
			out = append(out, Share{From: source, To: rank, Heads: 1})
		}
	}
	return out
}

// source is the GPU that passes a head on to a receiver.
func (c *Cache) source(head, rank, from, to int) int {
	if from <= c.Heads {
		return head * from / c.Heads
	}
	copies, which := from/c.Heads, 0
	if to > c.Heads {
		each := to / c.Heads // receivers of the head
		which = (rank - head*each) * copies / each
	}
	return head*copies + which
}

// Block is the bytes of a share that lie together at both ends, and Bytes all of them, for a number
// of tokens of a layer in pages (0: one), if a page has the tokens of a head together or the heads of
// a token.
func (c *Cache) Block(s Share, from, to, tokens, page int, headsFirst bool) (block, bytes int64) {
	if page == 0 || page > tokens {
		page = tokens
	}
	bytes = int64(tokens) * int64(s.Heads*c.Parts) * c.Numbers
	switch {
	case s.Heads == c.Held(from) && s.Heads == c.Held(to):
		return int64(page) * int64(s.Heads) * c.Numbers, bytes
	case headsFirst:
		return int64(page) * c.Numbers, bytes
	}
	return int64(s.Heads) * c.Numbers, bytes
}
