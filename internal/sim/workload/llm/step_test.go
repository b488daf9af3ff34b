package llm

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/internal/sim/workload"
	"weft/internal/sim/workload/pipeline"
	"weft/units"
)

var h100 = GPU{Memory: 80_000_000_000, MemoryRate: 26800 * units.Gbps, Peak: 989e12, Matrix: 756e12, Head: 756e12, Attention: 582e12, Width: 2}

// mixed are the widths of training in bfloat16 with Adam in 32 bits.
var mixed = Memory{Activation: 2, Dispatch: 2, Weight: 2, Gradient: 4, Optimizer: 12}

// tiny is a model whose graphs are small.
func tiny(experts int) Model {
	m := Model{Layers: 8, Hidden: 256, FFN: 1024, Gated: true, Heads: 8, KVHeads: 8, HeadDim: 32, Vocab: 1024}
	if experts > 0 {
		m.Experts, m.TopK, m.Shared, m.ExpertFFN, m.Dense = experts, 2, 1, 512, 1
	}
	return m
}

func jobs() (list []Job) {
	for _, p := range []Parallel{
		{Tensor: 1, Context: 1, Data: 4, Pipeline: 1, Chunks: 1, Expert: 1},
		{Tensor: 2, Sequence: true, Context: 1, Data: 2, Pipeline: 2, Chunks: 1, Expert: 1, ZeRO: 1},
		{Tensor: 2, Context: 1, Data: 2, Pipeline: 2, Chunks: 1, Expert: 1},
		{Tensor: 2, Sequence: true, Context: 2, Data: 2, Pipeline: 2, Chunks: 2, Expert: 1, ZeRO: 1},
		{Tensor: 1, Context: 1, Data: 4, Pipeline: 2, Chunks: 4, Expert: 4, ZeRO: 1},
		{Tensor: 2, Sequence: true, Context: 1, Data: 4, Pipeline: 1, Chunks: 1, Expert: 2, ZeRO: 2},
		{Tensor: 1, Context: 1, Data: 8, Pipeline: 1, Chunks: 1, Expert: 1, ZeRO: 3},
		{Tensor: 1, Context: 2, Data: 4, Pipeline: 1, Chunks: 1, Expert: 4, ZeRO: 3},
		{Tensor: 2, Sequence: true, Context: 1, Data: 2, Pipeline: 2, Chunks: 1, Expert: 1, ZeRO: 1, Schedule: pipeline.ZBH1},
		{Tensor: 1, Context: 1, Data: 4, Pipeline: 2, Chunks: 1, Expert: 4, ZeRO: 1, Schedule: pipeline.ZBH2},
		{Tensor: 2, Sequence: true, Context: 2, Data: 2, Pipeline: 2, Chunks: 2, Expert: 1, ZeRO: 1, Schedule: pipeline.ZBV},
		{Tensor: 1, Context: 1, Data: 2, Pipeline: 4, Chunks: 2, Expert: 2, ZeRO: 1, Schedule: pipeline.DualPipe},
		{Tensor: 1, Context: 1, Data: 2, Pipeline: 2, Chunks: 2, Expert: 2, ZeRO: 1, Schedule: pipeline.DualPipeV},
		{Tensor: 1, Context: 1, Data: 4, Pipeline: 2, Chunks: 4, Expert: 4, ZeRO: 1},
		{Tensor: 1, Context: 1, Data: 4, Pipeline: 1, Chunks: 1, Expert: 4, ZeRO: 1},
	} {
		for _, o := range []Overlap{{}, {Gradients: true, Parameters: true, Tensor: true, Context: true, Experts: p.Expert > 1 && p.ZeRO < 3 && p.Schedule == pipeline.OneFOneB && (p.Chunks > 1 || p.Pipeline == 1)}} {
			for _, re := range []Recompute{RecomputeNone, RecomputeLayer, RecomputeDense | RecomputeExperts, RecomputeProducts} {
				if p.Schedule != pipeline.OneFOneB && re.has(RecomputeLayer) {
					continue
				}
				j := Job{Model: tiny(0), GPU: h100, Parallel: p, Batch: Batch{Global: 16, Micro: 1, Sequence: 512}, Memory: mixed, Overlap: o, Framework: 1}
				j.Memory.Recompute = re
				if p.Expert > 1 {
					j.Model = tiny(8)
				}
				list = append(list, j)
			}
		}
	}
	return list
}

// With any parallelism, the graph of a step is well-formed in every fold, has every layer
// forward and backward for every micro-batch, and names phases that exist.
func TestStepsAreWellFormed(t *testing.T) {
	for _, j := range jobs() {
		if err := j.Check(); err != nil {
			t.Fatalf("%+v: %v", j.Parallel, err)
		}
		for f := FoldNone; f <= FoldAll; f++ {
			s := j.Step(f)
			if err := s.Graph.Check(); err != nil {
				t.Fatalf("%+v, fold %d: %v", j.Parallel, f, err)
			}
			attention := 0
			for _, ops := range s.Graph.Ranks {
				for i := range ops {
					if len(ops[i].Name) > 9 && ops[i].Name[len(ops[i].Name)-9:] == "attention" {
						attention++
					}
					if o := &ops[i]; o.Kind != workload.Compute && int(o.Phase) >= len(s.Phases) {
						t.Fatalf("%+v: there is no phase %d", j.Parallel, o.Phase)
					}
				}
			}
			each := 2
			if j.Memory.Recompute.has(RecomputeLayer) {
				each = 3
			}
			want := each * j.Model.Layers * j.Micros() * len(s.Graph.Ranks) / j.Parallel.Pipeline
			if attention != want {
				t.Errorf("%+v, fold %d: %d attentions, want %d", j.Parallel, f, attention, want)
			}
			for i := range s.Phases {
				if err := s.Phases[i].Graph(j.Parallel.GPUs()).Check(); err != nil {
					t.Errorf("%+v: phase %s: %v", j.Parallel, s.Phases[i].Name, err)
				}
			}
		}
	}
}

// Folding changes no time: with the same times of phases for all ranks, every fold
// replays to the same end.
func TestFoldsTakeTheSameTime(t *testing.T) {
	for _, j := range jobs() {
		var ends []units.Time
		for f := FoldNone; f <= FoldAll; f++ {
			s := j.Step(f)
			line, err := workload.Replay(s.Graph, func(phase int32, _ int) units.Time { return units.Time(phase+1) * 7 * units.Microsecond })
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, line.End)
		}
		if ends[0] != ends[1] || ends[0] != ends[2] {
			t.Errorf("%+v %+v: %v", j.Parallel, j.Overlap, ends)
		}
	}
}

// Without communication the bubble is the schedule's closed form, of the times F, B and W of a chunk
// forward, backward, and of its weights' gradients: 1F1B (p-1)(F+B), interleaved the same with more
// chunks (Narayanan et al. 2021, section 2.2), ZB-H1 (p-1)(F+B-2W) (Qi et al. 2024, table 2). Package
// pipeline tests those of the other kinds.
func TestTheBubbleIsTheClosedForm(t *testing.T) {
	for _, c := range []struct {
		schedule               pipeline.Kind
		stages, chunks, micros int
		bubble                 func(f, b, w float64) float64
	}{
		{pipeline.OneFOneB, 2, 1, 8, func(f, b, _ float64) float64 { return f + b }},
		{pipeline.OneFOneB, 4, 1, 8, func(f, b, _ float64) float64 { return 3 * (f + b) }},
		{pipeline.OneFOneB, 4, 2, 8, func(f, b, _ float64) float64 { return 3 * (f + b) }},
		{pipeline.OneFOneB, 4, 2, 10, func(f, b, _ float64) float64 { return 3 * (f + b) }},
		{pipeline.OneFOneB, 2, 4, 8, func(f, b, _ float64) float64 { return f + b }},
		{pipeline.ZBH1, 4, 1, 8, func(f, b, w float64) float64 { return 3 * (f + b - 2*w) }},
		{pipeline.ZBH1, 8, 1, 24, func(f, b, w float64) float64 { return 7 * (f + b - 2*w) }},
	} {
		m := tiny(0)
		m.Vocab = 0 // the embeddings would make the last stage longer
		j := Job{
			Model: m, GPU: h100, Framework: 1, Memory: mixed, Batch: Batch{Global: c.micros, Micro: 1, Sequence: 512},
			Parallel: Parallel{Tensor: 1, Context: 1, Data: 1, Pipeline: c.stages, Chunks: c.chunks, Expert: 1, Schedule: c.schedule},
		}
		if err := j.Check(); err != nil {
			t.Fatal(err)
		}
		s := j.Step(FoldAll)
		line, err := workload.Replay(s.Graph, func(int32, int) units.Time { return 0 })
		if err != nil {
			t.Fatal(err)
		}
		attention, ffn := j.attentionBlock(0), j.feedForwardBlock(0)
		layers := float64(m.Layers / (c.stages * c.chunks))
		w := layers * float64(attention.weights+ffn.weights)
		f := layers * float64(attention.forward.all()+ffn.forward.all())
		b := layers*float64(attention.backward.all()+ffn.backward.all()) + w
		for rank, a := range workload.Accounts(s.Graph, line) {
			if got, want := float64(a.Bubble), c.bubble(f, b, w); math.Abs(got-want) > 0.001*want {
				t.Errorf("%+v, stage %d: a bubble of %.6g, want %.6g", c, rank, got, want)
			}
			whole := a.Computing + a.Waiting + a.Bubble
			for _, exposed := range a.Exposed {
				whole += exposed
			}
			if whole != line.End {
				t.Errorf("%+v: the account has %v of %v", c, whole, line.End)
			}
		}
	}
}

// Chunks have all layers once, in order, and chunks with embeddings the fewest: 126
// layers over 8 stages are 15, 16, …, 16, 15.
func TestLayersAreDealtOut(t *testing.T) {
	for _, c := range []struct {
		layers, stages, chunks int
		want                   string
	}{
		{126, 8, 1, "[15 16 16 16 16 16 16 15]"}, {8, 4, 1, "[2 2 2 2]"}, {7, 4, 1, "[2 2 2 1]"}, {5, 4, 1, "[1 2 1 1]"},
	} {
		j := Job{Model: Model{Layers: c.layers}, Batch: Batch{Micro: 1}, Parallel: Parallel{Data: 1, Pipeline: c.stages, Chunks: c.chunks}}
		var got []int
		next := 0
		for chunk := range c.chunks {
			for stage := range c.stages {
				from, to := j.Layers(stage, chunk)
				if from != next {
					t.Errorf("%+v: chunk %d of stage %d begins with layer %d, not %d", c, chunk, stage, from, next)
				}
				got, next = append(got, to-from), to
			}
		}
		if fmt.Sprint(got) != c.want || next != c.layers {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A layer of GPT-3 keeps 32 bytes for each of the hidden width and token, Korthikanti
// et al.'s 34 without the masks of dropout.
func TestActivationsOfALayerAreKorthikantis(t *testing.T) {
	j := Job{Model: gpt3, Memory: mixed, Batch: Batch{Micro: 1, Sequence: 2048}, Parallel: Parallel{Tensor: 1, Context: 1}}
	if got, want := j.layerActivations(0, RecomputeNone), units.Bytes(32*2048*12288); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// Llama 3 8B without any division needs 18 bytes a parameter (Megatron-LM, distributed
// optimizer: 18 without, 6 + 12/d with it) and does not fit.
func TestAJobThatDoesNotFitIsRefusedWithTheArithmetic(t *testing.T) {
	j := Job{
		Model: llama8, GPU: h100, Memory: mixed, Batch: Batch{Global: 8, Micro: 1, Sequence: 8192},
		Parallel: Parallel{Tensor: 1, Context: 1, Data: 8, Pipeline: 1, Chunks: 1, Expert: 1},
	}
	u := j.Use(0)
	if got, want := u.Weights+u.Gradients+u.Optimizer, units.Bytes(18*llama8.Parameters()-18*4096); got != want {
		t.Errorf("%d bytes of states, want %d", got, want)
	}
	if err := j.Fits(); err == nil {
		t.Error("8B with 18 bytes each fit 80 GB")
	}
	j.Parallel.Tensor, j.Parallel.Sequence, j.Parallel.Data, j.Parallel.ZeRO = 8, true, 1, 1
	if err := j.Fits(); err != nil {
		t.Error(err)
	}
}

// Whole experts lie one after the other over the GPUs of a stage: tensor, context, then data. The GPUs
// with the same experts are as far apart as there are parts.
func TestWholeExpertsLieOverTensorContextAndData(t *testing.T) {
	whole := grid{tensor: 4, context: 2, data: 4, stages: 2, whole: true}
	for expert, want := range map[int][]int32{8: {8, 9, 10, 11, 12, 13, 14, 15}, 2: {12, 13}} {
		groups, of := whole.groups(expertGroups, expert)
		if got := groups[of[13]]; !slices.Equal(got, want) {
			t.Errorf("experts over %d GPUs: GPU 13 is in the group %v, want %v", expert, got, want)
		}
		same, of := whole.groups(expertDataGroups, expert)
		if got := same[of[13]]; len(got) != 32/expert || got[0] != int32(13%expert) {
			t.Errorf("experts over %d GPUs: %v have the experts of GPU 13", expert, got)
		}
	}
	folded := grid{tensor: 1, context: 1, data: 4, stages: 2, whole: true}
	if got := folded.experts(whole, 16); got != 2 {
		t.Errorf("of 16 GPUs %d are written out, want 2: each stands for 8", got)
	}
}

// Whether an expert is whole or divided, a GPU has the same parameters and the same operations.
func TestWholeExpertsAreTheSameWork(t *testing.T) {
	job := Job{
		Model:    Model{Layers: 2, Hidden: 1024, FFN: 4096, Gated: true, Heads: 8, KVHeads: 8, HeadDim: 128, Vocab: 1000, Experts: 16, TopK: 2, ExpertFFN: 4096},
		GPU:      GPU{MemoryRate: 8e15, Peak: 1e15, Matrix: 1e15, Head: 1e15, Attention: 1e15, Width: 2},
		Parallel: Parallel{Tensor: 4, Sequence: true, Context: 1, Data: 4, Pipeline: 1, Chunks: 1, Expert: 4, ZeRO: 1},
		Batch:    Batch{Global: 4, Micro: 1, Sequence: 65536}, Memory: Memory{Activation: 2, Dispatch: 2, Weight: 2, Gradient: 2}, Framework: 1,
	}
	whole := job
	whole.Parallel.WholeExperts, whole.Parallel.Expert = true, 16
	for _, j := range []*Job{&job, &whole} {
		if err := j.Check(); err != nil {
			t.Fatal(err)
		}
	}
	_, divided := job.parameters(0)
	if _, own := whole.parameters(0); own != divided {
		t.Errorf("%d parameters of whole experts, %d of divided ones", own, divided)
	}
	a, b := job.feedForwardBlock(1).forward.all().Seconds(), whole.feedForwardBlock(1).forward.all().Seconds()
	if math.Abs(a/b-1) > .03 { // wider products read less
		t.Errorf("divided experts take %v s, whole ones %v", a, b)
	}
}
