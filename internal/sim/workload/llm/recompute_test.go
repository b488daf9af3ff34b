package llm

import (
	"testing"

	"weft/internal/sim/collective"
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

// The collectives of a layer with tensor and sequence parallelism. Megatron-LM keeps divided inputs and
// gathers them again beside the gradients; PyTorch keeps gathered ones, gathers again what it
// recomputes, and does not recompute the layer's last sums. Its collectives run beside nothing.
func TestCollectivesOfTheBackwardPass(t *testing.T) {
	for _, c := range []struct {
		name             string
		pytorch          bool
		recompute        Recompute
		gathers, scatter int
	}{
		{"Megatron-LM", false, RecomputeNone, 6, 4},
		{"Megatron-LM, full", false, RecomputeLayer, 8, 6},
		{"PyTorch", true, RecomputeNone, 4, 4},
		{"PyTorch, op", true, RecomputeProducts, 6, 4},
		{"PyTorch, full", true, RecomputeLayer, 6, 5},
	} {
		j := Job{
			Model: tiny(0), GPU: h100, Framework: 1, Memory: mixed, Batch: Batch{Global: 1, Micro: 1, Sequence: 2048}, PyTorch: c.pytorch,
			Parallel: Parallel{Tensor: 2, Sequence: true, Context: 1, Data: 1, Pipeline: 1, Chunks: 1, Expert: 1},
		}
		j.Memory.Recompute = c.recompute
		graph := j.Step(FoldAll).Graph
		uses := make(map[collective.Op]int)
		for _, o := range graph.Ranks[0] {
			if o.Kind == workload.Collective {
				uses[o.Do]++
			}
		}
		layers := j.Model.Layers
		if got, want := [2]int{uses[collective.AllGather], uses[collective.ReduceScatter]}, [2]int{c.gathers * layers, c.scatter * layers}; got != want {
			t.Errorf("%s: %d all-gathers and reduce-scatters, want %d", c.name, got, want)
		}
		line, err := workload.Replay(graph, func(int32, int) units.Time { return units.Microsecond })
		if err != nil {
			t.Fatal(err)
		}
		a := workload.Accounts(graph, line)[0]
		if hidden := a.Moving[workload.Tensor] - a.Exposed[workload.Tensor]; (hidden == 0) != c.pytorch {
			t.Errorf("%s: %v of the collectives run beside computing", c.name, hidden)
		}
	}
}

// PyTorch ends the recomputation of a layer before its last product.
func TestPyTorchDoesNotRecomputeTheLastProduct(t *testing.T) {
	j := Job{
		Model: llama8, GPU: h100, Framework: 1, Memory: mixed, Batch: Batch{Global: 1, Micro: 1, Sequence: 8192},
		Parallel: Parallel{Tensor: 1, Context: 1, Data: 1, Pipeline: 1, Chunks: 1, Expert: 1},
	}
	j.Memory.Recompute = RecomputeLayer
	step := func() units.Time {
		line, err := workload.Replay(j.Step(FoldAll).Graph, nil)
		if err != nil {
			t.Fatal(err)
		}
		return line.End
	}
	all := step()
	j.PyTorch = true
	if got, want := all-step(), units.Time(j.Model.Layers)*j.feedForwardBlock(0).forward.out; got != want {
		t.Errorf("the step is %v shorter, want the last product of every layer, %v", got, want)
	}
}
