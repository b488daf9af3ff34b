package serving

import (
	"testing"

	"weft/internal/sim/workload/llm"
)

// qwen is Qwen3-235B-A22B: 94 layers, 4 heads of keys and values of 128.
var qwen = llm.Model{Layers: 94, KVHeads: 4, HeadDim: 128}

// Mooncake's table of SGLang has 49 MB for 128 tokens of Qwen3-235B on 8 GPUs: 4 heads, each on two.
func TestEightGPUsPassFourHeadsTwice(t *testing.T) {
	c := CacheOf(&qwen, 2)
	shares := c.Shares(8, 8)
	total := int64(0)
	for i, s := range shares {
		if s.From != i || s.To != i || s.Heads != 1 {
			t.Errorf("share %d: %+v, want one head from and to GPU %d", i, s, i)
		}
		_, bytes := c.Block(s, 8, 8, 128, 0, false)
		total += bytes * int64(c.Layers)
	}
	if want := int64(2 * 94 * 8 * 128 * 2 * 128); total != want || total/1e6 != 49 {
		t.Errorf("%d bytes, want %d, 49 MB", total, want)
	}
}

func TestEveryReceiverGetsWhatItHolds(t *testing.T) {
	for _, heads := range []int{1, 2, 4, 8} {
		c := Cache{Layers: 1, Heads: heads, Parts: 2, Numbers: 256}
		for _, from := range []int{1, 2, 4, 8, 16} {
			for _, to := range []int{1, 2, 4, 8, 16} {
				got := make([]int, to)
				for _, s := range c.Shares(from, to) {
					got[s.To] += s.Heads
					first, held := s.From*heads/from, c.Held(from)
					want := s.To * heads / to
					if s.From < 0 || s.From >= from || s.Heads > held || first+held <= want || want+c.Held(to) <= first {
						t.Errorf("%d heads, %d to %d GPUs: %+v, of a sender with heads %d to %d", heads, from, to, s, first, first+held-1)
					}
				}
				for rank, n := range got {
					if n != c.Held(to) {
						t.Errorf("%d heads, %d to %d GPUs: GPU %d gets %d heads, holds %d", heads, from, to, rank, n, c.Held(to))
					}
				}
			}
		}
	}
}

// With other heads at both ends, the heads of a token part in nhd and the tokens of a head do not in hnd.
func TestBlocksAreWhatLiesTogetherAtBothEnds(t *testing.T) {
	c := Cache{Layers: 1, Heads: 8, Parts: 2, Numbers: 256}
	for _, x := range []struct {
		from, to, page int
		headsFirst     bool
		block          int64
	}{
		{8, 8, 0, false, 1000 * 256},
		{8, 8, 16, false, 16 * 256},
		{4, 4, 16, false, 16 * 2 * 256},
		{4, 8, 16, false, 256},
		{4, 8, 16, true, 16 * 256},
		{2, 4, 16, false, 2 * 256},
	} {
		s := c.Shares(x.from, x.to)[0]
		if block, _ := c.Block(s, x.from, x.to, 1000, x.page, x.headsFirst); block != x.block {
			t.Errorf("%+v: %d bytes lie together, want %d", x, block, x.block)
		}
	}
}

// A GPU of latent attention holds all of a token: 61 layers of 576 numbers in DeepSeek-V3.
func TestLatentsAreNotDivided(t *testing.T) {
	c := CacheOf(&llm.Model{Layers: 61, KVHeads: 128, HeadDim: 128, KVRank: 512, RopeDim: 64}, 2)
	if got := c.RankBytes(8); got != 61*576*2 || got != c.TokenBytes() {
		t.Errorf("%d bytes of a token on each of 8 GPUs, want %d", got, 61*576*2)
	}
}
