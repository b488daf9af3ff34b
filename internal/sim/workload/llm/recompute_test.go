package llm

import (
	"testing"

	"weft/internal/sim/workload"
	"weft/units"
)

// A part that is computed again makes the step longer and, unless nothing of it was kept, the
// activations fewer; the whole layer costs the most and keeps the least. A part that the model does
// not have changes nothing.
func TestPartsThatAreComputedAgain(t *testing.T) {
	latent := tiny(8)
	latent.QueryRank, latent.KVRank, latent.RopeDim = 64, 64, 16
	for _, c := range []struct {
		name          string
		model         Model
		part          Recompute
		longer, fewer bool
	}{
		{"norms", tiny(0), RecomputeNorms, true, true},
		{"activation", tiny(0), RecomputeActivation, true, true},
		{"attention's kernel", tiny(0), RecomputeAttention, true, false}, // its scores are never kept
		{"up projections", latent, RecomputeUpProjections, true, true},
		{"up projections without latent attention", tiny(0), RecomputeUpProjections, false, false},
		{"dense", tiny(0), RecomputeDense, true, true},
		{"experts", tiny(8), RecomputeExperts, true, true},
		{"experts without experts", tiny(0), RecomputeExperts, false, false},
		{"every second product", tiny(0), RecomputeProducts, true, true},
		{"every second product of experts", tiny(8), RecomputeProducts, true, true},
	} {
		step := func(part Recompute) (units.Time, units.Bytes) {
			j := Job{
				Model: c.model, GPU: h100, Framework: 1, Memory: mixed, Batch: Batch{Global: 2, Micro: 1, Sequence: 2048},
				Parallel: Parallel{Tensor: 1, Context: 1, Data: 1, Pipeline: 1, Chunks: 1, Expert: 1},
			}
			j.Memory.Recompute = part
			line, err := workload.Replay(j.Step(FoldAll).Graph, nil)
			if err != nil {
				t.Fatal(err)
			}
			return line.End, j.Use(0).PerPiece
		}
		all, kept := step(RecomputeNone)
		with, less := step(c.part)
		if (with > all) != c.longer || with < all {
			t.Errorf("%s: a step of %v, without %v", c.name, with, all)
		}
		if (less < kept) != c.fewer || less > kept {
			t.Errorf("%s: activations of %v, without %v", c.name, less, kept)
		}
		if most, least := step(RecomputeLayer); with >= most || less <= least {
			t.Errorf("%s: %v and %v; the whole layer %v and %v", c.name, with, less, most, least)
		}
	}
}

// Of Llama 3 8B, torchtitan's "op" computes again the keys, the output projection of the attention
// and one of two up projections: 80 of a layer's 218 million weights, 12 % of all products forward
// and backward.
func TestEverySecondProductIsTorchtitans(t *testing.T) {
	j := Job{
		Model: llama8, GPU: h100, Framework: 1, Memory: mixed, Batch: Batch{Global: 1, Micro: 1, Sequence: 8192},
		Parallel: Parallel{Tensor: 1, Context: 1, Data: 1, Pipeline: 1, Chunks: 1, Expert: 1},
	}
	j.GPU.MemoryRate *= 1_000_000 // products alone
	layer := func() units.Time {
		a, f := j.attentionBlock(0), j.feedForwardBlock(0)
		return a.backward.all() + f.backward.all()
	}
	without := layer()
	j.Memory.Recompute = RecomputeProducts
	again := (layer() - without).Seconds()
	if want := 2 * 8192 * 79.7e6 / j.GPU.Matrix; again < want || again > 1.05*want {
		t.Errorf("%.4g s are computed again, want %.4g s and the starts of kernels", again, want)
	}
}
