package llm

import (
	"fmt"

	"weft/internal/sim/workload/pipeline"
	"weft/units"
)

// Job is a training job: a model, the GPUs, how the work is divided and what of the
// communication hides behind computation.
type Job struct {
	Model    Model
	GPU      GPU
	Parallel Parallel
	Batch    Batch
	Memory   Memory
	Overlap  Overlap
}

// GPU is what of a GPU training needs.
type GPU struct {
	Memory     units.Bytes
	MemoryRate units.Rate
	// Peak is the operations a second of the precision of the matrices by the
	// datasheet; Matrix and Attention are what products of matrices and the attention's
	// kernel reach.
	Peak, Matrix, Attention float64
}

// Parallel is how the work is divided. The product of Tensor, Context, Data and
// Pipeline is the number of GPUs.
type Parallel struct {
	Tensor   int
	Sequence bool // with Tensor: what is between the matrices is divided too
	Context  int
	Data     int
	Pipeline int
	Chunks   int // of the layers at each stage; more than 1 interleaves
	Expert   int // divides Data
	ZeRO     int // 0 to 3: optimizer (1), gradients (2) and parameters (3) divided over Data
}

// GPUs is how many the job takes.
func (p *Parallel) GPUs() int { return p.Tensor * p.Context * p.Data * p.Pipeline }

// Batch is how much of the data a step takes.
type Batch struct {
	Global   int // sequences a step
	Micro    int // sequences that a replica takes at a time
	Sequence int // tokens
}

// Recompute is what of a layer's way forward is computed again on the way back.
type Recompute uint8

// The kinds of recomputation.
const (
	RecomputeNone Recompute = iota
	// RecomputeSelective drops what costs no product of matrices to have again: the
	// norms' results and the activation's.
	RecomputeSelective
	// RecomputeFull keeps a layer's input only.
	RecomputeFull
)

// Memory is what numbers take, and what is dropped.
type Memory struct {
	Activation int64 // bytes of an activation's number, as computed and sent
	Dispatch   int64 // bytes of a number sent to an expert
	Weight     int64 // bytes of a parameter, as sent
	Gradient   int64 // bytes of a gradient, as kept and sent
	Optimizer  int64 // bytes of a parameter's state: master copy and moments
	Recompute  Recompute
	// Bucket is how many parameters' gradients are sent together. 0: as Megatron-LM,
	// 40 million or a million for each replica, if that is more.
	Bucket int64
}

// Overlap is which communication goes on beside computation where nothing waits for
// it.
type Overlap struct {
	Gradients  bool // a bucket is sent when it is full, or all after the last backward work
	Parameters bool // what the optimizer made is gathered as the first forward work needs it, or before
	Tensor     bool // beside the products that it belongs to
	Context    bool // beside the attention
}

// Micros is how many micro-batches each replica takes in a step.
func (j *Job) Micros() int { return j.Batch.Global / (j.Parallel.Data * j.Batch.Micro) }

// Replicas fills in Data for a number of GPUs, or says why they cannot be divided.
func (p *Parallel) Replicas(gpus int) error {
	each := p.Tensor * p.Context * p.Pipeline
	if gpus%each != 0 {
		return fmt.Errorf("%d GPUs are no whole number of replicas: a replica takes tensor %d × context %d × pipeline %d = %d", gpus, p.Tensor, p.Context, p.Pipeline, each)
	}
	p.Data = gpus / each
	return nil
}

// Check says why a job cannot be divided as it is to be, with the numbers; nil if it
// can.
func (j *Job) Check() error {
	m, p, b := &j.Model, &j.Parallel, &j.Batch
	for _, c := range []struct {
		what string
		n    int
		by   string
		d    int
	}{
		{"attention heads", m.Heads, "tensor parallelism", p.Tensor},
		{"columns of the feed-forward part", max(m.FFN, m.ExpertFFN), "tensor parallelism", p.Tensor},
		{"tokens of a sequence", b.Sequence, "context times tensor parallelism", p.Context * p.Tensor},
		{"sequences of a step", b.Global, "replicas times the micro-batch", p.Data * b.Micro},
		{"replicas", p.Data, "expert parallelism", p.Expert},
		{"experts", m.Experts, "expert parallelism", p.Expert},
	} {
		if c.d < 1 {
			return fmt.Errorf("%s is %d: want 1 or more", c.by, c.d)
		}
		if c.n%c.d != 0 {
			return fmt.Errorf("%d %s cannot be divided by %d (%s)", c.n, c.what, c.d, c.by)
		}
	}
	if b.Global == 0 {
		return fmt.Errorf("a step takes no sequence")
	}
	if n := p.Pipeline * p.Chunks; n > m.Layers {
		return fmt.Errorf("%d layers for %d stages with %d chunks each: a chunk has at least one", m.Layers, p.Pipeline, p.Chunks)
	}
	if p.ZeRO >= 2 && p.Pipeline > 1 {
		return fmt.Errorf("ZeRO %d with %d pipeline stages: gradients or parameters that are divided would be gathered for every micro-batch; no framework does both: take ZeRO 1", p.ZeRO, p.Pipeline)
	}
	if p.Expert > 1 && m.Experts == 0 {
		return fmt.Errorf("expert parallelism %d, and the model has no experts", p.Expert)
	}
	return pipeline.Check(p.Pipeline, p.Chunks, j.Micros())
}

// Layers are the layers [from, to) of a chunk of a stage. Chunks are dealt to the
// stages in turn. Where they cannot all have as many, the last chunk has fewer and
// the first, since those have the embeddings, then the others from the end on.
func (j *Job) Layers(stage, chunk int) (from, to int) {
	n := j.Parallel.Pipeline * j.Parallel.Chunks
	each := (j.Model.Layers + n - 1) / n
	short := each*n - j.Model.Layers
	at := chunk*j.Parallel.Pipeline + stage
	for i := range at + 1 {
		from = to
		to += each
		if lacks(i, n, short) {
			to--
		}
	}
	return from, to
}

// lacks reports whether the i-th of n chunks is one of the short ones.
func lacks(i, n, short int) bool {
	switch i {
	case n - 1:
		return short > 0
	case 0:
		return short > 1
	default:
		return n-1-i <= short-2
	}
}
