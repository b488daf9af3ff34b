package llm

import (
	"fmt"

	"weft/internal/sim/workload/pipeline"
	"weft/units"
)

// Job is a training job: a model, the GPUs, the division of the work, and the communication that
// overlaps with computation.
type Job struct {
	Model    Model
	GPU      GPU
	Parallel Parallel
	Batch    Batch
	Memory   Memory
	Overlap  Overlap
	// PyTorch: the backward pass is that of PyTorch's autograd, and not Megatron-LM's. Its collectives of
	// tensor parallelism run beside nothing unless Overlap.Tensor is set, the gathered inputs of products
	// are kept, and recomputation ends with the last result that is needed.
	PyTorch bool
	// Kernels: those of a library carry tokens to experts and back, and no all-to-all does.
	Kernels bool
	// Busiest is the tokens that the GPU with the busiest experts of a layer gets, over the mean. The others of its
	// group wait for it. 0 is 1.
	Busiest float64
	// Framework is the share of the computations' rate that the training framework leaves.
	Framework float64
}

// GPU holds the properties of a GPU for training.
type GPU struct {
	Memory     units.Bytes
	MemoryRate units.Rate
	// Multiprocessors is their number; 0: communication takes none from computation.
	Multiprocessors int
	// Peak is the operations per second in the precision of the matrices, by the datasheet. Matrix,
	// Head and Attention are the rates that long products of layers, those of the output embedding (in
	// 16 bits), and the attention's kernel for long sequences reach in a long run.
	Peak, Matrix, Head, Attention float64
	// Width is the number of bytes of a number in the products of layers. Operands of less than two
	// bytes are converted before each product.
	Width float64
}

// Parallel is the division of the work. The product of Tensor, Context, Data and Pipeline is the
// number of GPUs.
type Parallel struct {
	Tensor   int
	Sequence bool // with Tensor: the data between the matrices is divided too
	Context  int
	Data     int
	Pipeline int
	Chunks   int // groups of layers at each stage
	Schedule pipeline.Kind
	Expert   int // GPUs that experts are divided over; divides Data
	// WholeExperts: tensor parallelism does not divide the experts. Expert is then over tensor,
	// context and data together (Megatron-LM's expert-tensor-parallel-size of 1).
	WholeExperts bool
	ZeRO         int // 0 to 3: optimizer (1), gradients (2) and parameters (3) divided over Data
}

// GPUs is the number of GPUs of the job.
func (p *Parallel) GPUs() int { return p.Tensor * p.Context * p.Data * p.Pipeline }

// Batch is the data of a step.
type Batch struct {
	Global   int // sequences a step
	Micro    int // sequences that a replica processes at a time
	Sequence int // tokens
}

// Memory is the sizes of numbers, and the dropped activations.
type Memory struct {
	Activation int64 // bytes of an activation's number, as computed and sent
	Dispatch   int64 // bytes of a number sent to an expert
	Weight     int64 // bytes of a parameter, as sent
	Gradient   int64 // bytes of a gradient, as kept and sent
	Optimizer  int64 // bytes of a parameter's state: master copy and moments
	Recompute  Recompute
	// Bucket is the number of parameters whose gradients are sent together. 0: as Megatron-LM, the
	// larger of 40 million and a million for each replica.
	Bucket int64
}

// Overlap selects the communication that overlaps with computation, as far as dependencies permit.
type Overlap struct {
	Gradients  bool // a bucket is sent when it is full; else all after the last backward work
	Parameters bool // parameters are gathered when the first forward work needs them; else before it
	Tensor     bool // overlap with the products around it
	Context    bool // overlap with the attention
	Experts    bool // overlap with the other work of a pair; always with DualPipe
	Prefetch   int  // ZeRO 3: layers ahead in the backward pass whose parameters are gathered
}

// schedule is the order of the pipeline's work.
func (j *Job) schedule() *pipeline.Schedule {
	p := &j.Parallel
	return &pipeline.Schedule{Kind: p.Schedule, Stages: p.Pipeline, Chunks: p.Chunks, Micros: j.Micros(), Pairs: j.Overlap.Experts && p.Schedule < pipeline.DualPipe}
}

// replicas is the number of GPUs that have the same parameters.
func (p *Parallel) replicas() int64 {
	n := int64(p.Data * p.Context)
	if p.Schedule == pipeline.DualPipe { // at two stages
		n *= 2
	}
	return n
}

// expertParts is the number of GPUs over which a layer's experts are divided.
func (p *Parallel) expertParts() int64 {
	if p.WholeExperts {
		return int64(p.Expert)
	}
	return int64(p.Tensor * p.Expert)
}

// expertReplicas is the number of GPUs that have the same experts.
func (p *Parallel) expertReplicas() int64 {
	return p.replicas() * int64(p.Tensor) / p.expertParts()
}

// Micros is the number of micro-batches of each replica in a step.
func (j *Job) Micros() int { return j.Batch.Global / (j.Parallel.Data * j.Batch.Micro) }

// Check reports why a job cannot be divided as requested, with the numbers; nil if it can.
func (j *Job) Check() error {
	m, p, b := &j.Model, &j.Parallel, &j.Batch
	over, room := "replicas", p.Data
	if p.WholeExperts {
		over, room = "GPUs of a stage", p.Data*p.Context*p.Tensor
	}
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
		{over, room, "expert parallelism", p.Expert},
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
		return fmt.Errorf("a step has no sequence")
	}
	if n, ends := j.schedule().Places(), min(p.Chunks-1, 1)*2; n > m.Layers+ends {
		return fmt.Errorf("%d layers for %d stages with %d chunks each: a chunk has at least one; with several chunks the first and the last may have only the embeddings", m.Layers, p.Pipeline, p.Chunks)
	}
	if j.schedule().Paired() && p.ZeRO == 3 {
		return fmt.Errorf("pairs of forward and backward work with ZeRO 3: both would gather parameters at once; take ZeRO 1")
	}
	if p.Schedule != pipeline.OneFOneB && j.Memory.Recompute.has(RecomputeLayer) {
		return fmt.Errorf("full recomputation with schedule %s: what is computed again would be kept until the weights' gradients; take 1f1b, or recompute less", p.Schedule)
	}
	if p.ZeRO >= 2 && p.Pipeline > 1 {
		return fmt.Errorf("ZeRO %d with %d pipeline stages: gradients or parameters that are divided would be gathered for every micro-batch; no framework does both: take ZeRO 1", p.ZeRO, p.Pipeline)
	}
	if inner := p.Tensor * p.Context; p.WholeExperts && (inner%p.Expert != 0 && p.Expert%inner != 0 || p.Tensor > 1 && !p.Sequence) {
		return fmt.Errorf("whole experts over %d GPUs: want a divisor or a multiple of tensor times context, %d × %d, and with tensor parallelism sequence", p.Expert, p.Tensor, p.Context)
	}
	if p.Expert > 1 && m.Experts == 0 {
		return fmt.Errorf("expert parallelism %d, and the model has no experts", p.Expert)
	}
	return j.schedule().Check()
}

// Layers are the layers [from, to) of a chunk of a stage, by the chunk's place in the model. If the layers do not divide evenly, some chunks have fewer: the last chunk and the first,
// because of the embeddings, then the others from the end on. The first and the last may have none,
// as Llama 3 405B had (arXiv 2407.21783, section 3.3.2).
func (j *Job) Layers(stage, chunk int) (from, to int) {
	schedule := j.schedule()
	n := schedule.Places()
	each := (j.Model.Layers + n - 1) / n
	short := each*n - j.Model.Layers
	for i := range schedule.Place(stage, chunk) + 1 {
		from = to
		to += each
		if lacks(i, n, short) {
			to--
		}
	}
	return from, to
}

// ends reports whether a chunk of a stage has the input embedding, and whether it has the output
// embedding.
func (j *Job) ends(stage, chunk int) (first, last bool) {
	s := j.schedule()
	place := s.Place(stage, chunk)
	return place == 0, place == s.Places()-1
}

// lacks reports whether the i-th of n chunks has fewer layers.
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
