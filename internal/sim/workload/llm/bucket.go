package llm

import (
	"weft/internal/base/sorting"
	"weft/units"
)

// bucket is a set of parameters of a stage whose gradients are sent together.
type bucket struct {
	chunk   int
	last    int // the layer whose backward pass fills it; in a chunk without layers its end
	first   int // the layer whose forward pass needs it first
	dense   int64
	experts int64
}

// bucketSize is the number of parameters in a bucket: by default Megatron-LM's rule
// (megatron/core/distributed/distributed_data_parallel.py).
func (j *Job) bucketSize() int64 {
	if j.Memory.Bucket > 0 {
		return j.Memory.Bucket
	}
	return max(40_000_000, 1_000_000*int64(j.Parallel.Data*j.Parallel.Context))
}

// bucketsOf are the buckets of a stage, from the model's last layer to its first, as the backward
// pass fills them. A bucket ends with a layer, and with its chunk.
func (j *Job) bucketsOf(stage int) (list []bucket) {
	p, m := &j.Parallel, &j.Model
	tensor, experts := int64(p.Tensor), p.expertParts()
	for _, chunk := range j.chunksBack(stage) {
		first, last := j.ends(stage, chunk)
		from, to := j.Layers(stage, chunk)
		b := bucket{chunk: chunk, first: from, last: from}
		if last {
			b.dense += m.Output() / tensor
		}
		embedding := int64(0)
		if first {
			embedding = m.Embedding() / tensor
		}
		if from == to && b.dense+embedding > 0 {
			b.dense += embedding
			list = append(list, b)
		}
		for l := to - 1; l >= from; l-- {
			b.dense += m.Layer(l) / tensor
			b.experts += m.Routed(l) / experts
			b.last = l
			if l == from {
				b.dense += embedding
			}
			b.first = l
			if b.dense+b.experts >= j.bucketSize() || l == from {
				list = append(list, b)
				b = bucket{chunk: chunk}
			}
		}
	}
	return list
}

// chunksBack are the chunks of a stage, from the model's end to its beginning.
func (j *Job) chunksBack(stage int) (chunks []int) {
	s := j.schedule()
	for chunk := range j.Parallel.Chunks {
		chunks = append(chunks, chunk)
	}
	sorting.Func(chunks, func(a, b int) int { return s.Place(stage, b) - s.Place(stage, a) })
	return chunks
}

// sizes are the bytes of the i-th bucket of every stage, with the given number of bytes for a
// parameter.
func (b *builder) sizes(i int, experts bool, each int64) []units.Bytes {
	list := make([]units.Bytes, len(b.buckets))
	for stage, buckets := range b.buckets {
		if i >= len(buckets) {
			continue
		}
		n := buckets[i].dense
		if experts {
			n = buckets[i].experts
		}
		list[stage] = units.Bytes(n * each)
	}
	return list
}
