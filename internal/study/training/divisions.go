package training

import (
	"cmp"
	"slices"

	"weft/internal/sim/workload/llm"
	"weft/internal/sim/workload/pipeline"
	"weft/scenario"
)

// division is a way to divide a job's work over its GPUs.
type division struct {
	parallel  llm.Parallel
	micro     int
	recompute []scenario.Recompute
	from      *llm.Parallel // the scenario's
}

// Bounds of a search. A job has some hundreds of divisions, one with experts some thousands.
const (
	maxDivisions  = 50_000 // that are judged
	maxTensor     = 64     // as in the largest NVLink domains
	maxContext    = 64
	contextTokens = 4096 // of a GPU, at least, where a search divides sequences
)

// divisions are the divisions that a search judges: of tensor, context, pipeline and expert parallelism, the parts of a
// stage, the schedule, ZeRO and the micro-batch, and the scenario's own. The batch of a step, and what the scenario says of
// everything else, stay.
func divisions(r *scenario.Resolved, job *llm.Job) []division {
	given := division{parallel: job.Parallel, micro: job.Batch.Micro, recompute: r.Training.Recompute, from: &job.Parallel}
	out := []division{given}
	for _, d := range others(r, job) {
		if d.from = given.from; d.parallel != given.parallel || d.micro != given.micro {
			out = append(out, d)
		}
	}
	return out[:min(len(out), maxDivisions)]
}

func others(r *scenario.Resolved, job *llm.Job) (out []division) {
	gpus := r.Training.Nodes * r.Cluster.Node.GPUs
	for tensor := 1; tensor <= min(maxTensor, r.Cluster.Node.GPUs); tensor *= 2 {
		for context := 1; context <= maxContext && (context == 1 || job.Batch.Sequence/context >= contextTokens); context *= 2 {
			for stages := 1; stages <= job.Model.Layers; stages++ {
				replica := tensor * context * stages
				if replica > gpus || gpus%replica != 0 {
					continue
				}
				p := job.Parallel
				p.Tensor, p.Context, p.Pipeline, p.Data = tensor, context, stages, gpus/replica
				p.Sequence = r.Training.Parallel.Sequence && tensor > 1
				out = append(out, withSchedules(r, job, p)...)
				if len(out) > maxDivisions {
					return out
				}
			}
		}
	}
	return out
}

// withSchedules are the divisions with the schedules and ZeRO of a number of stages.
func withSchedules(r *scenario.Resolved, job *llm.Job, p llm.Parallel) (out []division) {
	given := job.Parallel
	if p.Pipeline == 1 {
		p.Schedule, p.Chunks = pipeline.OneFOneB, 1
		for _, p.ZeRO = range distinct(given.ZeRO, 1, 3) {
			out = append(out, withExperts(r, job, p)...)
		}
		return out
	}
	p.ZeRO = min(given.ZeRO, 1)
	each := (job.Model.Layers + p.Pipeline - 1) / p.Pipeline
	for _, p.Chunks = range distinct(1, 2, 4, each) {
		p.Schedule = pipeline.OneFOneB
		out = append(out, withExperts(r, job, p)...)
	}
	for _, p.Schedule = range distinct(given.Schedule, pipeline.ZBH1, pipeline.ZBV) {
		if p.Schedule == pipeline.OneFOneB || p.Schedule != given.Schedule && !splitsBackward(r.Training.Stack) {
			continue
		}
		p.Chunks = p.Schedule.Chunks(1)
		out = append(out, withExperts(r, job, p)...)
	}
	return out
}

// splitsBackward reports whether a stack has schedules that compute the weights' gradients apart: torchtitan has
// (torch.distributed.pipelining); with another one a search takes what the scenario gives.
func splitsBackward(s scenario.Stack) bool { return s == scenario.TorchTitan }

// withExperts are the divisions with the numbers of GPUs that experts are divided over, and of sequences of a micro-batch.
func withExperts(r *scenario.Resolved, job *llm.Job, p llm.Parallel) (out []division) {
	experts := []int{1}
	if n := job.Model.Experts; n > 0 {
		p.WholeExperts = job.Parallel.WholeExperts || p.Tensor > 1 && p.Sequence
		for e := 2; e <= n; e++ {
			if n%e == 0 && (e&(e-1) == 0 || e == job.Parallel.Expert) {
				experts = append(experts, e)
			}
		}
	}
	for _, p.Expert = range experts {
		if job.Kernels && !kernelsReach(r, p) {
			continue
		}
		for micro := 1; micro <= 8; micro *= 2 {
			if job.Batch.Global%(p.Data*micro) == 0 {
				out = append(out, division{parallel: p, micro: micro, recompute: r.Training.Recompute})
			}
		}
	}
	return out
}

// kernelsReach reports whether a library's kernels can exchange tokens with experts in a division: their ranks are whole
// nodes, or an equal part of one.
func kernelsReach(r *scenario.Resolved, p llm.Parallel) bool {
	gpus := r.Cluster.Node.GPUs
	return (p.Expert%gpus == 0 || gpus%p.Expert == 0) && (p.WholeExperts || p.Tensor*p.Context == 1)
}

// distinct are values without repetition, in their order.
func distinct[T cmp.Ordered](values ...T) (out []T) {
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// of is the job with the division.
func (d *division) of(job *llm.Job) *llm.Job {
	own := *job
	own.Parallel, own.Batch.Micro = d.parallel, d.micro
	own.Memory.Recompute = 0
	for _, part := range d.recompute {
		own.Memory.Recompute |= recomputes[part]
	}
	return &own
}

// fitting is the division with the least recomputation with which the job fits the memory. The error is why it does not fit with
// the most: a [llm.MemoryError] if the division is even.
func (d division) fitting(job *llm.Job) (out division, err error) {
	for _, recompute := range [][]scenario.Recompute{d.recompute, {scenario.RecomputeSelective}, {scenario.RecomputeFull}} {
		d.recompute = recompute
		if err = runs(d.of(job)); err == nil {
			break
		}
	}
	return d, err
}

// runs is the reason why a job does not run: its division is uneven, or it does not fit the memory.
func runs(job *llm.Job) error {
	if err := job.Check(); err != nil {
		return err
	}
	return job.Fits()
}

// overrides are the fields of the division. flag is where they come from.
func (d *division) overrides(batch int, flag string) []scenario.Override {
	p := &d.parallel
	set := func(path string, value any) scenario.Override { return scenario.Set("training."+path, value, flag) }
	return []scenario.Override{
		set("parallel.tensor", p.Tensor), set("parallel.context", p.Context), set("parallel.pipeline", p.Pipeline), set("parallel.data", p.Data),
		set("parallel.interleave", p.Chunks), set("parallel.schedule", p.Schedule.String()), set("parallel.expert", p.Expert),
		set("parallel.whole-experts", p.WholeExperts), set("parallel.zero", p.ZeRO), set("batch.micro", d.micro), set("batch.global", batch),
		set("recompute", d.recompute),
	}
}
