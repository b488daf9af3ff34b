package llm

import "weft/units"

// attentionBackward is the number of the attention kernel's operations in the backward pass for
// each operation of the forward pass: it computes the scores again (Dao 2023, section 4.1).
const attentionBackward = 2.5

// block is one of the two parts of a layer, with the communication of tensor parallelism around it.
type block struct {
	forward, backward units.Time
	attention         units.Time // of forward, the time of the attention's kernel
}

// duration is a number of seconds as a time.
func duration(seconds float64) units.Time { return units.Time(seconds * float64(units.Second)) }

// attentionBlock and feedForwardBlock are the times of a layer's parts for a
// micro-batch on one GPU.
func (j *Job) attentionBlock(layer int) block {
	m := &j.Model
	tokens := float64(j.tokens()) / float64(j.Parallel.Tensor)
	_, scores := m.Forward(layer, j.Batch.Sequence)
	products := 2 * float64(m.Attention()) * tokens / j.GPU.Matrix
	kernel := scores * tokens / j.GPU.Attention
	return block{
		forward: duration(products + kernel), backward: duration(2*products + attentionBackward*kernel), attention: duration(kernel),
	}
}

func (j *Job) feedForwardBlock(layer int) block {
	all, _ := j.Model.Forward(layer, j.Batch.Sequence)
	products := (all - 2*float64(j.Model.Attention())) * float64(j.tokens()) / float64(j.Parallel.Tensor) / j.GPU.Matrix
	return block{forward: duration(products), backward: duration(2 * products)}
}

// logits is the time of the output embedding's products in the forward pass.
func (j *Job) logits() units.Time {
	return duration(j.Model.Logits() * float64(j.tokens()) / float64(j.Parallel.Tensor) / j.GPU.Matrix)
}

// optimizerTraffic is the memory traffic of Adam for a parameter, in bytes, without the weight that
// it writes: gradient, master copy and two moments read, the last three written.
const optimizerTraffic = 4 + 3*4 + 3*4

// optimizer is the time of Adam's step on a GPU of a stage: it is bound by memory.
func (j *Job) optimizer(stage int) units.Time {
	dense, experts := j.parameters(stage)
	p := &j.Parallel
	if p.ZeRO > 0 {
		dense /= int64(p.Data * p.Context)
		experts /= int64(p.Data * p.Context / p.Expert)
	}
	bytes := float64(dense+experts) * float64(optimizerTraffic+j.Memory.Weight)
	return duration(bytes * 8 / float64(j.GPU.MemoryRate))
}
