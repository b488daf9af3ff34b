package serve

import (
	"fmt"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/sim/workload/llm"
	"weft/internal/sim/workload/serving"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// modelOn is a job's model on the GPUs of a pool, for the times and the memory of package llm.
func modelOn(r *scenario.Resolved, p *scenario.Pool) *llm.Job {
	s := &r.Serving
	j := &llm.Job{
		Model: training.ModelOf(&s.Model), GPU: training.GPUOf(&r.Cluster.Node.GPU, s.Precision), Framework: s.Framework.Float(),
		Parallel: llm.Parallel{Tensor: p.Tensor, Context: 1, Data: p.Data, Pipeline: p.Pipeline, Chunks: 1, Expert: 1},
		Memory:   llm.Memory{Weight: width(s.Precision)}, Batch: llm.Batch{Global: p.Data, Micro: 1},
	}
	if j.Model.Experts > 0 { // each GPU of a stage has whole experts of its own
		j.Parallel.Expert, j.Parallel.WholeExperts = p.Tensor*p.Data, true
	}
	return j
}

// memoryOf is the memory of a pool's GPUs: what weights leave of it is for keys and values. The error has the
// arithmetic.
func memoryOf(r *scenario.Resolved, name string, p *scenario.Pool, cache *serving.Cache, longest int64) (results.ServingMemory, error) {
	j := modelOn(r, p)
	gpu := r.Cluster.Node.GPU
	out := results.ServingMemory{
		ServingPool: results.ServingPool{Instances: p.Instances(r.Cluster.Node.GPUs), GPUs: p.GPUs(), Tensor: p.Tensor}, Groups: p.Data, Pipeline: p.Pipeline,
		Memory: int64(float64(gpu.Memory) * p.Memory.Float()),
	}
	for stage := range p.Pipeline {
		out.Weights = max(out.Weights, int64(j.Weights(stage)))
	}
	layers := int64((cache.Layers + p.Pipeline - 1) / p.Pipeline)
	out.Token = cache.RankBytes(p.Tensor) / int64(cache.Layers) * layers
	out.Room = max(0, (out.Memory-out.Weights)/out.Token)
	if out.Room >= longest {
		return out, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "serving.%s: a request of %d tokens does not fit the memory of one %s:\n", name, longest, strings.ToUpper(gpu.Model))
	fmt.Fprintf(&b, "  %10s  of %s: serving.%s.memory %.4g %%\n", units.Bytes(out.Memory), gpu.Memory, name, 100*p.Memory.Float())
	fmt.Fprintf(&b, "  %10s  weights: %.3g billion parameters of %s over %s\n", units.Bytes(out.Weights), float64(j.Model.Parameters())/1e9,
		wording.Counted(int(j.Memory.Weight), "byte", "bytes"), wording.Counted(p.GPUs(), "GPU", "GPUs"))
	fmt.Fprintf(&b, "  %10s  keys and values: %d tokens of %s\n", units.Bytes(longest*out.Token), longest, units.Bytes(out.Token))
	fmt.Fprintf(&b, "  %10s  too much\n", units.Bytes(out.Weights+longest*out.Token-out.Memory))
	fmt.Fprintf(&b, "want more tensor (%d) or pipeline (%d) parallelism, fp8, shorter requests, another GPU or a larger share of its memory", p.Tensor, p.Pipeline)
	return out, &MemoryError{b.String()}
}

// MemoryError is the error for a job that does not fit, with the arithmetic.
type MemoryError struct{ text string }

func (e *MemoryError) Error() string { return e.text }
