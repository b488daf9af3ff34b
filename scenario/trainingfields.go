package scenario

import "weft/units"

// Training is a training job: a model, and how its work is divided over the GPUs.
type Training struct {
	// Model is the model to train.
	Model Model `yaml:"model"`
	// Nodes is the number of nodes of the job, the cluster's first; the others are for
	// other jobs and storage. 0: all.
	Nodes int `yaml:"nodes" range:"0..1000000"`
	// Precision is the format of its matrix products: bf16 or fp8.
	Precision Precision `yaml:"precision"`
	// Parallel is how the work is divided.
	Parallel Parallel `yaml:"parallel"`
	// Batch is how much data a step takes.
	Batch Batch `yaml:"batch"`
	// Recompute is the parts of the forward pass that the backward pass computes again to
	// save memory: none, selective or full, or Megatron-LM's modules, or torchtitan's op.
	Recompute []Recompute `yaml:"recompute"`
	// Stack is the software that trains. It sets what a step reaches of the kernels' rate, the attention's kernel, the
	// backward pass and the overlap, as far as the scenario leaves them out. Left out: those of NVIDIA's stacks, and
	// weft train shows the range over all stacks.
	Stack Stack `yaml:"stack,omitzero"`
	// Backward is the stack whose backward pass the job has. PyTorch's sends the sums of tensor
	// parallelism after the weights' gradients and not beside them, and ends a recomputation with
	// the last result that is needed.
	Backward BackwardPass `yaml:"backward"`
	// Gradients is the format of gradients: fp32 or bf16.
	Gradients GradientPrecision `yaml:"gradients"`
	// Bucket is the number of parameters whose gradients are sent together. 0: as
	// Megatron-LM, 40 million, or a million for each replica if that is more.
	Bucket int64 `yaml:"bucket,omitzero" range:"0..1000000000000"`
	// Overlap is the communication that goes on beside computation.
	Overlap Overlap `yaml:"overlap"`
	// Exchange is what carries tokens to their experts and back: NCCL's all-to-all, or the dispatch and
	// combine of a library's kernels. Left out: all-to-all.
	Exchange TokenExchange `yaml:"exchange,omitzero"`
	// Experts is how the kernels of exchange: dispatch carry them, and which experts tokens choose. The
	// numbers of tokens and experts follow from the model and the batch.
	Experts Experts `yaml:"experts,omitzero"`
	// Framework is the share of the rate of kernels measured alone that computations of a
	// step reach: other kernels' caches, launches, operators that are not fused, the host.
	Framework Ratio `yaml:"framework"`
	// Published is what a publication says of the job, to stand beside the result.
	Published Published `yaml:"published,omitzero"`
	// Noise is the differences between GPUs.
	Noise Noise `yaml:"noise"`
	// Storage is the rate at which the job reads its input and writes its checkpoints, all GPUs
	// together. 0: storage is not counted.
	Storage units.Rate `yaml:"storage" range:"0bps..1000Tbps"`
	// Checkpoint is how the job saves its state.
	Checkpoint Checkpoint `yaml:"checkpoint"`
	// Failures are the interruptions of the job. The step has none: they reduce the time in which
	// the job makes progress.
	Failures Failures `yaml:"failures"`
}

// Checkpoint is how a job saves its state.
type Checkpoint struct {
	// Every is the number of steps from one checkpoint to the next. 0: none.
	Every int `yaml:"every" range:"0..100000000"`
	// Asynchronous says that the GPUs wait only for the copy to the memory of their hosts.
	Asynchronous bool `yaml:"asynchronous"`
}

// Failures are the unexpected interruptions of a job.
type Failures struct {
	// PerGPUYear is the mean number of interruptions in a year of a GPU.
	PerGPUYear Ratio `yaml:"per-gpu-year"`
	// Restart is the time to find the cause and to start again.
	Restart units.Time `yaml:"restart" range:"0..1000000s"`
	// Redo is the time to compute the steps since the last checkpoint again. 0: half of the time
	// between two checkpoints.
	Redo units.Time `yaml:"redo" range:"0..1000000s"`
}

// Published is what a publication says of a job.
type Published struct {
	// MFU is the share of the datasheet's rate that the model's operations had.
	MFU Ratio `yaml:"mfu"`
	// Source is where it is written.
	Source string `yaml:"source"`
}

// Noise is the differences between the GPUs of a job. It is drawn at random Draws times,
// and the step is put together for each.
type Noise struct {
	// Spread is the standard deviation of the GPUs' computing times over their mean: a GPU is
	// faster or slower than another all the time.
	Spread Ratio `yaml:"spread"`
	// SlowGPUs is the number of GPUs, drawn at random, that compute slower all the time.
	SlowGPUs int `yaml:"slow-gpus" range:"0..16777216"`
	// Slowdown is the ratio by which they are slower.
	Slowdown Ratio `yaml:"slowdown"`
	// Jitter is the standard deviation of each computation's length, over its length.
	Jitter Ratio `yaml:"jitter"`
	// Draws is the number of draws. 0: none. If noise is given without it: twenty.
	Draws int `yaml:"draws" range:"0..10000"`
}

// Model is a decoder-only transformer. It may be given as the name of a preset.
type Model struct {
	// Preset is the catalog's entry that the model starts from.
	Preset string `yaml:"preset,omitzero"`
	// Layers is the number of layers.
	Layers int `yaml:"layers" range:"1..10000"`
	// Hidden is the width of the residual stream.
	Hidden int `yaml:"hidden" range:"1..1000000"`
	// FFN is the width of the feed-forward part of a layer without experts.
	FFN int `yaml:"ffn" range:"1..10000000"`
	// Gated says whether the feed-forward part has three matrices (SwiGLU) or two.
	Gated bool `yaml:"gated"`
	// Heads is the number of attention heads.
	Heads int `yaml:"heads" range:"1..100000"`
	// KVHeads is the number of heads of keys and values; not given: as many as heads.
	KVHeads int `yaml:"kv-heads" range:"1..100000"`
	// HeadDim is the width of a head; not given: hidden over heads.
	HeadDim int `yaml:"head-dim" range:"1..100000"`
	// Vocab is the number of words.
	Vocab int `yaml:"vocab" range:"1..100000000"`
	// Tied says whether input and output embedding are one.
	Tied bool `yaml:"tied"`
	// Positions is the number of learned positions; 0 for rotary ones.
	Positions int `yaml:"positions" range:"0..100000000"`
	// Experts is the number of routed experts of a layer; 0 for none.
	Experts int `yaml:"experts" range:"0..100000"`
	// TopK is the number of routed experts that a token takes.
	TopK int `yaml:"top-k" range:"0..100000"`
	// SharedExperts is the number of experts that every token takes besides.
	SharedExperts int `yaml:"shared-experts" range:"0..1000"`
	// ExpertFFN is the width of an expert.
	ExpertFFN int `yaml:"expert-ffn" range:"0..10000000"`
	// DenseLayers is the number of first layers without experts.
	DenseLayers int `yaml:"dense-layers" range:"0..10000"`
	// MTPLayers is the number of further layers that predict a further word each while the model is trained
	// (multi-token prediction). A serving job has none.
	MTPLayers int `yaml:"mtp-layers,omitzero" range:"0..100"`
	// QueryRank is the rank of latent attention's queries; 0 for none.
	QueryRank int `yaml:"query-rank" range:"0..1000000"`
	// KVRank is the rank of latent attention's keys and values; 0 for none.
	KVRank int `yaml:"kv-rank" range:"0..1000000"`
	// RopeDim is the width of the part of a latent attention head with the position.
	RopeDim int `yaml:"rope-dim" range:"0..1000000"`
	// Sequence is the usual length of a training sequence, in tokens.
	Sequence int `yaml:"sequence" range:"1..100000000"`
}

// Parallel is how a job's work is divided. Every GPU of the cluster takes part.
type Parallel struct {
	// Tensor is the number of GPUs that each layer is divided over.
	Tensor int `yaml:"tensor" range:"1..65536"`
	// Sequence says whether the operations between the matrices are divided over them too.
	Sequence bool `yaml:"sequence"`
	// Context is the number of GPUs that each sequence is divided over.
	Context int `yaml:"context" range:"1..65536"`
	// Data is the number of replicas. 0: as many as the cluster has room for.
	Data int `yaml:"data" range:"0..16777216"`
	// Pipeline is the number of stages that the layers are divided over.
	Pipeline int `yaml:"pipeline" range:"1..10000"`
	// Interleave is the number of parts of the layers in each stage (virtual pipeline).
	Interleave int `yaml:"interleave" range:"1..10000"`
	// Schedule is the order in which the stages take their work.
	Schedule PipelineSchedule `yaml:"schedule"`
	// Expert is the number of replicas that the experts of a layer are divided over.
	Expert int `yaml:"expert" range:"1..65536"`
	// WholeExperts says that tensor parallelism does not divide the experts: they are divided over
	// tensor, context and data together (Megatron-LM's expert-tensor-parallel-size of 1).
	WholeExperts bool `yaml:"whole-experts"`
	// ZeRO divides over the replicas: nothing (0), the optimizer's states (1), also the
	// gradients (2), also the parameters (3).
	ZeRO int `yaml:"zero" range:"0..3"`
}

// Batch is how much data a step takes.
type Batch struct {
	// Global is the number of sequences in a step. 0: eight micro-batches for each stage
	// of each replica.
	Global int `yaml:"global" range:"0..100000000"`
	// Micro is the number of sequences that a replica takes at a time.
	Micro int `yaml:"micro" range:"1..1000000"`
	// Sequence is the tokens of a sequence. 0: the model's usual length.
	Sequence int `yaml:"sequence" range:"0..100000000"`
}

// Overlap is the communication that runs beside computation if no computation waits
// for it.
type Overlap struct {
	// Gradients are sent during the backward pass of earlier layers.
	Gradients bool `yaml:"gradients"`
	// Parameters are gathered during the forward pass of earlier layers.
	Parameters bool `yaml:"parameters"`
	// Tensor: collectives of tensor parallelism go on beside the products that they
	// belong to.
	Tensor bool `yaml:"tensor"`
	// Context: keys and values arrive while attention works on earlier ones.
	Context bool `yaml:"context"`
	// Experts: tokens go to experts and back beside the other micro-batch of a pair, one
	// forward and one backward. The DualPipe schedules always do.
	Experts bool `yaml:"experts"`
	// Prefetch is the number of layers ahead whose parameters are gathered with ZeRO 3 in
	// the backward pass; one more in the forward pass. 0: none, so that computing waits.
	Prefetch int `yaml:"prefetch" range:"0..100"`
}

// Peak is the datasheet's rate of matrix products in a precision, and the share that large ones
// reach.
func (g *GPU) Peak(p Precision) (peak units.FLOPS, reached Ratio) {
	if p == FP8 {
		return g.FP8, g.MatrixFP8
	}
	return g.BF16, g.MatrixBF16
}
