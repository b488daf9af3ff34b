package validate

import (
	"context"
	"fmt"

	"weft/internal/runstore"
	"weft/internal/training"
	"weft/scenario"
)

// trainingCases hold training steps against themselves and against published ones.
func trainingCases() []*Case {
	return []*Case{
		{
			ID:        "training/exact",
			Claim:     "A step put together from phases that were simulated once takes what the whole step takes, simulated as it comes.",
			Reference: "The same step with every communication on the network, packet by packet (weft train --exact).",
			Setting:   "A decoder of four layers with the other dimensions of Llama 3 8B, 2,048 tokens a sequence; tensor parallelism with sequence parallelism, two stages, ZeRO 1, two micro-batches for each replica; DGX H100, rail-optimised.",
			Slow:      true,
			Run:       exactSteps,
		},
		{
			ID:        "training/published",
			Claim:     "A step beside published ones of the same job, which what weft leaves out makes longer.",
			Reference: "NVIDIA-NeMo/Megatron-Bridge, docs/performance-summary.md, container 25.11, DGX-H100, FP8: model TFLOP a second and GPU.",
			Setting:   "The parallelism, batches and sequences of that table; DGX H100 and InfiniBand NDR, rail-optimised, which the table does not say; gradients in bfloat16 as in NVIDIA's recipes; rates of products and attention from the catalog. With FSDP the table's job is ZeRO 3 here, which gathers a layer ahead.",
			Slow:      true,
			Run:       publishedSteps,
		},
	}
}

// trained simulates the training step of a scenario.
func trained(ctx context.Context, text string, exact bool) (*runstore.Training, error) {
	f, err := scenario.Decode("training", []byte(text))
	if err != nil {
		return nil, err
	}
	r, err := f.Resolve()
	if err != nil {
		return nil, err
	}
	return training.Run(ctx, r, training.Options{Workers: 1, Exact: exact})
}

const smallDecoder = `
cluster: {nodes: %d, node: dgx-h100}
fabrics: [infiniband-ndr, roce-v2-400g]
training:
  model: {preset: llama3-8b, layers: 4}
  parallel: {tensor: %d, pipeline: 2}
  batch: {global: %d, micro: 1, sequence: 2048}
`

// smallStep is a cluster on which the small decoder is trained.
type smallStep struct {
	nodes, tensor int
	note          string
}

func exactSteps(e *Env) ([]Row, error) {
	const shared = "Two replicas have their GPUs in a node, so that tensor and data parallelism share its NVLink. Phases of different kinds are simulated apart and do not slow each other; with two micro-batches they overlap most of the time, which is most of the difference."
	sizes := []smallStep{{8, 8, ""}, {16, 8, ""}, {8, 4, shared}}
	if e.Short {
		sizes = []smallStep{{4, 8, ""}}
	}
	var rows []Row
	for _, c := range sizes {
		text := fmt.Sprintf(smallDecoder, c.nodes, c.tensor, 8*c.nodes/c.tensor)
		reused, err := trained(e.Ctx, text, false)
		if err != nil {
			return nil, err
		}
		whole, err := trained(e.Ctx, text, true)
		if err != nil {
			return nil, err
		}
		for i := range whole.Fabrics {
			rows = append(rows, Row{
				Name: fmt.Sprintf("%d GPUs, tensor %d, %s", 8*c.nodes, c.tensor, whole.Fabrics[i].Name), Unit: Microseconds,
				Reference: []float64{float64(whole.Fabrics[i].StepPs)}, Weft: []float64{float64(reused.Fabrics[i].StepPs)},
				Tolerance: within(0.01), Note: c.note,
			})
		}
	}
	return rows, nil
}

// published is a job of Megatron-Bridge's table.
type published struct {
	name   string
	nodes  int
	tflops float64 // model operations a second and GPU, in 10^12
	job    string
}

var publishedJobs = []published{
	{"Llama 3 8B, 8 GPUs", 1, 744, "model: llama3-8b\n  parallel: {zero: 3}\n  batch: {global: 128}"},
	{"Llama 3 70B, 64 GPUs", 8, 719, "model: llama3-70b\n  parallel: {tensor: 4, pipeline: 8, interleave: 5}\n  batch: {global: 128}"},
	{"Llama 3.1 405B, 1,024 GPUs", 128, 737, "model: llama3-405b\n  parallel: {tensor: 8, pipeline: 8, context: 2, interleave: 8}\n  batch: {global: 512}"},
}

func publishedSteps(e *Env) ([]Row, error) {
	var rows []Row
	for _, p := range publishedJobs {
		if e.Short && p.nodes > 1 {
			break
		}
		text := fmt.Sprintf("cluster: {nodes: %d, node: dgx-h100}\nfabrics: [infiniband-ndr]\ntraining:\n  precision: fp8\n  gradients: bf16\n  recompute: selective\n  %s\n", p.nodes, p.job)
		out, err := trained(e.Ctx, text, false)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		f := &out.Fabrics[0]
		rows = append(rows, Row{
			Name: p.name, Unit: Plain, Reference: []float64{p.tflops}, Weft: []float64{f.MFU * float64(out.Job.Peak) / 1e12}, Tolerance: shown,
			Note: "TFLOP a second and GPU",
		})
	}
	return rows, nil
}
