package llm

import (
	"math"
	"testing"

	"weft/internal/sim/workload"
	"weft/units"
)

// Products of shapes that no constant was fitted on take as long as on H100 in
// ai-dynamo/aiconfigurator@095f58a5 (h100_sxm gemm; the 8-bit ones with the conversion of their
// input, 5 bytes a number there).
func TestProductsTakeAsLongAsMeasured(t *testing.T) {
	for _, c := range []struct {
		m, n, k      float64
		width, us    float64
		rate, within float64
	}{
		{4096, 4096, 4096, 2, 174.3, 832e12, 0.03},
		{8192, 8192, 12288, 2, 2060.5, 832e12, 0.03},
		{8192, 4096, 2048, 2, 179.0, 832e12, 0.03},
		{8192, 16384, 16384, 1, 3304.6, 1425e12, 0.04},
		{4096, 12288, 12288, 1, 927.2, 1425e12, 0.08},
		{4096, 4096, 4096, 1, 150.7, 1425e12, 0.12},
	} {
		g := GPU{MemoryRate: 26800 * units.Gbps}
		got := g.seconds(product{c.m, c.n, c.k, 1}, c.rate, c.width, 0)
		if c.width == 1 {
			got += start + g.streamed(5*c.m*c.k)
		}
		if e := got*1e6/c.us - 1; math.Abs(e) > c.within {
			t.Errorf("%v × %v × %v of %v bytes: %.1f us, measured %.1f", c.m, c.n, c.k, c.width, got*1e6, c.us)
		}
	}
}

// A product with few rows takes the time of reading its weights.
func TestASmallProductIsBoundByMemory(t *testing.T) {
	g := GPU{MemoryRate: 26800 * units.Gbps}
	bytes := 2 * (8192*8192 + 2*16*8192)
	want := start + float64(bytes)/3350e9/stream
	if got := g.seconds(product{16, 8192, 8192, 1}, 756e12, 2, 0); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v s, want %v", got, want)
	}
}

// Llama 3 405B had chunks of one layer, but for the first and the last, which had only embeddings
// (arXiv 2407.21783, section 3.3.2): 128 chunks for 126 layers. The step has every layer.
func TestTheFirstAndTheLastChunkMayHaveNoLayer(t *testing.T) {
	m := tiny(0)
	m.Layers = 14
	j := Job{
		Model: m, GPU: h100, Memory: mixed, Framework: 1, Batch: Batch{Global: 8, Micro: 1, Sequence: 512},
		Parallel: Parallel{Tensor: 1, Context: 1, Data: 2, Pipeline: 4, Chunks: 4, Expert: 1, ZeRO: 1},
		Overlap:  Overlap{Gradients: true, Parameters: true},
	}
	if err := j.Check(); err != nil {
		t.Fatal(err)
	}
	dense := int64(0)
	for stage := range j.Parallel.Pipeline {
		for _, b := range j.bucketsOf(stage) {
			dense += b.dense
		}
	}
	if want := m.Parameters() - int64(m.Hidden); dense != want {
		t.Errorf("the buckets have %d parameters, the model %d", dense, want)
	}
	s := j.Step(FoldAll)
	if err := s.Graph.Check(); err != nil {
		t.Fatal(err)
	}
	reduced := units.Bytes(0)
	for _, ops := range s.Graph.Ranks {
		for i := range ops {
			if o := &ops[i]; o.Kind == workload.Collective && o.Do.String() == "reduce-scatter" {
				reduced += o.Bytes
			}
		}
	}
	if want := units.Bytes(dense * mixed.Gradient); reduced != want {
		t.Errorf("gradients of %d bytes are reduced, want %d", reduced, want)
	}
	j.Model.Layers = 13
	if j.Check() == nil {
		t.Error("13 layers in 16 chunks are accepted")
	}
}

// With ZeRO 3 the parameters of a layer are gathered while the layer before computes and its
// gradients are reduced: if a layer's communication is half as long as the least of its
// computations, all but the first gathering and the last reduction is hidden. Without prefetching
// every gathering is exposed, but of the layer that turns from forward to backward.
func TestParametersAreGatheredBesideReductions(t *testing.T) {
	m := tiny(0)
	j := Job{
		Model: m, GPU: h100, Memory: mixed, Framework: 1, Batch: Batch{Global: 8, Micro: 4, Sequence: 4096},
		Parallel: Parallel{Tensor: 1, Context: 1, Data: 2, Pipeline: 1, Chunks: 1, Expert: 1, ZeRO: 3},
	}
	each := j.feedForwardBlock(0).forward.all() / 2
	for prefetch := range 3 {
		j.Overlap.Prefetch = prefetch
		s := j.Step(FoldAll)
		line, err := workload.Replay(s.Graph, func(int32, int) units.Time { return each })
		if err != nil {
			t.Fatal(err)
		}
		computing := units.Time(0)
		for _, o := range s.Graph.Ranks[0] {
			computing += o.Time
		}
		least, most := units.Time(0), 3*each
		if prefetch == 0 {
			least, most = units.Time(2*m.Layers-1)*each, units.Time(2*m.Layers+2)*each
		}
		if over := line.End - computing; over < least || over > most {
			t.Errorf("%d layers ahead: the step is %v longer than its computations; each communication takes %v", prefetch, over, each)
		}
	}
}

// With overlap, a quarter of the scattering and a share of the gathering's products remain: a part
// takes less than one after the other and more than the longer of the two.
func TestOverlapOfTensorParallelismIsPartial(t *testing.T) {
	ends := make(map[bool]units.Time)
	for _, overlap := range []bool{false, true} {
		j := Job{
			Model: tiny(0), GPU: h100, Memory: mixed, Framework: 1, Batch: Batch{Global: 4, Micro: 4, Sequence: 4096},
			Parallel: Parallel{Tensor: 4, Sequence: true, Context: 1, Data: 1, Pipeline: 1, Chunks: 1, Expert: 1},
			Overlap:  Overlap{Tensor: overlap},
		}
		s := j.Step(FoldAll)
		line, err := workload.Replay(s.Graph, func(phase int32, _ int) units.Time {
			return units.Time(s.Phases[phase].Bytes[0]) * 10
		})
		if err != nil {
			t.Fatal(err)
		}
		ends[overlap] = line.End
		if a := workload.Accounts(s.Graph, line)[0]; a.Exposed[workload.Tensor] == 0 {
			t.Errorf("overlap %v: nothing of tensor parallelism is exposed", overlap)
		}
	}
	if ends[true] >= ends[false] {
		t.Errorf("%v with overlap, %v without", ends[true], ends[false])
	}
}

// An all-to-all delivers tokens by sender, so that a second permutation sorts them by expert, there and back: 8 bytes for
// each number of each copy of a token. Kernels of a library, and GPUs with one expert, need none.
func TestAnAllToAllsTokensAreSortedByExpert(t *testing.T) {
	j := deepSeek()
	j.Batch = Batch{Micro: 1, Sequence: 4096}
	more := func(experts int) float64 {
		own := *j
		own.Model.Experts = experts
		sorted := own.feedForwardBlock(3).forward.middle
		own.Kernels = true
		return (sorted - own.feedForwardBlock(3).forward.middle).Seconds()
	}
	want := j.GPU.streamed(4096 * 8 * 8 * 7168)
	if got := more(256); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("four experts of a GPU: an all-to-all takes %v s more than kernels, want %v", got, want)
	}
	if got := more(64); got != 0 {
		t.Errorf("one expert of a GPU: an all-to-all takes %v s more than kernels, want 0", got)
	}
}
