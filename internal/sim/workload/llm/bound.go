package llm

import (
	"weft/internal/sim/workload/pipeline"
	"weft/units"
)

// LeastStep is a time that the job's step cannot be shorter than: the computing of the stage with the most of it. If the
// schedule computes the gradients of the weights with those of the inputs, also the time until the first micro-batch
// reaches the last stage, and back. Communication takes no time.
func (j *Job) LeastStep() units.Time {
	most, s := units.Time(0), j.schedule()
	each := make([]units.Time, j.Model.Layers)
	for l := range each {
		each[l] = j.layerTime(l)
	}
	chunk := func(stage, k int) (sum units.Time) {
		from, to := j.Layers(stage, k)
		for l := from; l < to; l++ {
			sum += each[l]
		}
		if first, last := j.ends(stage, k); last {
			forward, backward := j.logits()
			sum += forward + backward
		} else if first {
			sum += 3 * j.embedding()
		}
		return sum
	}
	for stage := range j.Parallel.Pipeline {
		micro := units.Time(0)
		for k := range s.Chunks {
			micro += chunk(stage, k)
		}
		own := micro*units.Time(j.Micros()) + j.optimizer(stage)
		if j.Parallel.Schedule == pipeline.OneFOneB {
			for before := range stage { // the first chunks of the stages before
				own += chunk(before, 0)
			}
		}
		most = max(most, own)
	}
	return most
}

// layerTime is the computing of a layer for a micro-batch, forward and backward.
func (j *Job) layerTime(layer int) units.Time {
	attention, ffn := j.attentionBlock(layer), j.feedForwardBlock(layer)
	sum := attention.forward.all() + attention.backward.all() + attention.weights + ffn.forward.all() + ffn.backward.all() + ffn.weights
	if j.Memory.Recompute.has(RecomputeLayer) { // PyTorch stops before the last product
		sum += attention.forward.all() + ffn.forward.in + ffn.forward.middle
	}
	return sum
}
