package llm

import (
	"fmt"
	"strings"

	"weft/units"
)

// Use is the memory that a GPU of a stage needs, by content.
//
// Left out: the libraries' own buffers (CUDA's context, NCCL's channels, cuBLAS's workspace) and
// fragmentation.
type Use struct {
	Stage       int
	Dense       int64 // parameters of the GPU that are common to all replicas
	Experts     int64 // parameters of its experts
	Weights     units.Bytes
	Gradients   units.Bytes
	Optimizer   units.Bytes
	Activations units.Bytes
	Logits      units.Bytes
	InFlight    int // pieces of work whose activations are kept
	PerPiece    units.Bytes
}

// total is the sum in bytes.
func (u *Use) total() units.Bytes {
	return u.Weights + u.Gradients + u.Optimizer + u.Activations + u.Logits
}

// parameters is the number of parameters that a GPU of a stage has of its chunks.
func (j *Job) parameters(stage int) (dense, experts int64) {
	p, m := &j.Parallel, &j.Model
	begins, ends := false, false
	for chunk := range p.Chunks {
		d, e := j.chunkParameters(stage, chunk)
		dense, experts = dense+d, experts+e
		first, last := j.ends(stage, chunk)
		begins, ends = begins || first, ends || last
	}
	if ends && !begins && (m.Tied || m.MTP > 0) { // it keeps a copy
		dense += int64(m.Vocab) * int64(m.Hidden) / int64(p.Tensor)
	}
	return dense, experts
}

// chunkParameters is the number of parameters of a chunk, with its embedding.
func (j *Job) chunkParameters(stage, chunk int) (dense, experts int64) {
	p, m := &j.Parallel, &j.Model
	from, to := j.Layers(stage, chunk)
	for l := from; l < to; l++ {
		dense += m.Layer(l)
		experts += m.Routed(l)
	}
	first, last := j.ends(stage, chunk)
	if first {
		dense += m.Embedding()
	}
	if last {
		dense += m.Output()
	}
	return dense / int64(p.Tensor), experts / p.expertParts()
}

// Use is the memory of a GPU of a stage.
func (j *Job) Use(stage int) Use {
	p, m := &j.Parallel, &j.Memory
	u := Use{Stage: stage}
	u.Dense, u.Experts = j.parameters(stage)
	share := func(level int, each int64) units.Bytes {
		if p.ZeRO < level {
			return units.Bytes((u.Dense + u.Experts) * each)
		}
		return units.Bytes(u.Dense*each/p.replicas() + u.Experts*each/p.expertReplicas())
	}
	u.Optimizer, u.Gradients, u.Weights = share(1, m.Optimizer), share(2, m.Gradient), share(3, m.Weight)
	if p.ZeRO == 3 { // the layers that are gathered
		gathered := min(int64(j.ahead(false)+1), int64(j.Model.Layers))
		u.Weights += units.Bytes(gathered * m.Weight * (j.Model.Layer(j.Model.Layers-1)/int64(p.Tensor) + j.Model.Routed(j.Model.Layers-1)/p.expertParts()))
	}
	u.InFlight = j.schedule().InFlight(stage)
	u.PerPiece = j.activations(stage)
	u.Activations = units.Bytes(int64(u.PerPiece) * int64(u.InFlight))
	if m.Recompute.has(RecomputeLayer) { // the activations of one layer exist again during its backward pass
		u.Activations += j.layerActivations(j.Model.Layers-1, RecomputeNone)
	}
	for chunk := range p.Chunks {
		if _, last := j.ends(stage, chunk); last { // in 32 bits, and their gradient with the activations' width
			u.Logits = units.Bytes(j.tokens() * int64(j.Model.Vocab) / int64(p.Tensor) * (4 + m.Activation) * int64(1+j.Model.MTP))
		}
	}
	return u
}

// tokens is the number of tokens of a micro-batch on a GPU, before tensor parallelism divides them.
func (j *Job) tokens() int64 {
	return int64(j.Batch.Micro) * int64(j.Batch.Sequence) / int64(j.Parallel.Context)
}

// activations is the memory that a micro-batch leaves in the chunk with the most layers of a stage.
func (j *Job) activations(stage int) (most units.Bytes) {
	for chunk := range j.Parallel.Chunks {
		from, to := j.Layers(stage, chunk)
		sum := units.Bytes(0)
		for l := from; l < to; l++ {
			sum += j.layerActivations(l, j.Memory.Recompute)
		}
		most = max(most, sum)
	}
	return most
}

// layerActivations is the memory that a micro-batch leaves in a layer: the inputs of every product
// of matrices and norm. A layer of GPT-3 has 16 numbers for each of the hidden width and token, as
// counted by Korthikanti et al. ("Reducing Activation Recomputation in Large Transformer Models",
// 2022, section 4.1: 34 bytes less two for the dropouts' masks). The scores of the attention are
// never kept.
func (j *Job) layerActivations(layer int, r Recompute) units.Bytes {
	m, p := &j.Model, &j.Parallel
	h, q, kv := int64(m.Hidden), int64(m.Heads*m.HeadDim), int64(m.KVHeads*m.HeadDim)
	whole, divided := 2*h, 2*q+2*kv // the inputs of the norms; query, key, value, the attention's result
	gathered := int64(0)
	wide, part := j.wide(layer), RecomputeDense
	if m.MoE(layer) {
		part = RecomputeExperts
	}
	if m.KVRank > 0 {
		divided += int64(m.QueryRank + m.KVRank + m.RopeDim)
	}
	switch {
	case r.has(RecomputeNorms | RecomputeProducts):
	case j.PyTorch:
		gathered = 2 * h // the norms' results, as the products take them
	default:
		whole += 2 * h
	}
	kept := int64(m.ffnMatrices()) // of the feed-forward part's width
	switch {
	case r.has(part):
		kept = 0
	case r.has(RecomputeProducts):
		kept = 1
	case r.has(RecomputeActivation):
		kept--
	}
	divided += kept * wide
	switch {
	case r.has(RecomputeLayer):
		whole, divided, gathered = h, 0, 0
	case r.has(RecomputeProducts): // the attention's output projection is computed again, and the keys
		whole, divided = h, divided-kv
	case r.has(RecomputeUpProjections) && m.KVRank > 0:
		divided -= q + 2*kv
	}
	if p.Sequence {
		whole /= int64(p.Tensor)
	}
	if m.MoE(layer) && !r.has(RecomputeExperts|RecomputeLayer) { // data sent to the experts and received back
		divided += 2 * int64(m.TopK) * h
	}
	return units.Bytes(j.tokens() * (whole + gathered + divided/int64(p.Tensor)) * j.Memory.Activation)
}

// wide is the number of values per token and feed-forward width in a layer.
func (j *Job) wide(layer int) int64 {
	m := &j.Model
	if m.MoE(layer) {
		return int64((m.TopK + m.Shared) * m.ExpertFFN)
	}
	return int64(m.FFN)
}

// MemoryError is the error for a job that does not fit, with the arithmetic.
type MemoryError struct {
	Job *Job
	Use Use // of the fullest stage
}

func (e *MemoryError) Error() string {
	u, p, m := &e.Use, &e.Job.Parallel, &e.Job.Memory
	var b strings.Builder
	fmt.Fprintf(&b, "the job needs %s of memory on each GPU of stage %d, which has %s:\n", u.total(), u.Stage, e.Job.GPU.Memory)
	row := func(bytes units.Bytes, what string, args ...any) {
		fmt.Fprintf(&b, "  %10s  %s\n", bytes, fmt.Sprintf(what, args...))
	}
	divided := func(level int) string {
		if p.ZeRO < level {
			return ""
		}
		return fmt.Sprintf(", divided over %d GPUs by ZeRO %d", p.replicas(), p.ZeRO)
	}
	all := float64(u.Dense+u.Experts) / 1e9
	row(u.Weights, "weights: %.3g billion parameters of %d bytes%s", all, m.Weight, divided(3))
	row(u.Gradients, "gradients of %d bytes%s", m.Gradient, divided(2))
	row(u.Optimizer, "optimizer states of %d bytes%s", m.Optimizer, divided(1))
	row(u.Activations, "activations: %d times %s, of a micro-batch in flight", u.InFlight, u.PerPiece)
	if u.Logits > 0 {
		row(u.Logits, "logits of %d tokens and %d words", e.Job.tokens(), e.Job.Model.Vocab)
	}
	fmt.Fprintf(&b, "want more tensor (%d) or pipeline (%d) parallelism, ZeRO (%d), recomputation, or a smaller micro-batch (%d)", p.Tensor, p.Pipeline, p.ZeRO, e.Job.Batch.Micro)
	return b.String()
}

// Fits checks the memory of every stage; the error is a *MemoryError about the
// fullest.
func (j *Job) Fits() error {
	if worst := j.fullest(); worst.total() > j.GPU.Memory {
		return &MemoryError{j, worst}
	}
	return nil
}

// Fullest is the memory of a GPU of the fullest stage.
func (j *Job) Fullest() units.Bytes {
	worst := j.fullest()
	return worst.total()
}

func (j *Job) fullest() (worst Use) {
	for stage := range j.Parallel.Pipeline {
		if u := j.Use(stage); stage == 0 || u.total() > worst.total() {
			worst = u
		}
	}
	return worst
}
