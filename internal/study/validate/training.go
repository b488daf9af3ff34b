package validate

import (
	"context"
	"fmt"

	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
)

// trainingCases compare training steps with each other and with published steps.
func trainingCases() []*Case {
	return []*Case{
		{
			ID:        "training/exact",
			Claim:     "A step put together from phases that were simulated once takes as long as the whole step, simulated as it comes.",
			Reference: "The same step with every communication on the network, packet by packet (weft train --whole).",
			Setting:   "A decoder of four layers with the other dimensions of Llama 3 8B, 2,048 tokens a sequence; tensor parallelism with sequence parallelism, two stages, ZeRO 1, two micro-batches for each replica; DGX H100, rail-optimised.",
			Slow:      true,
			Run:       wholeSteps,
		},
		{
			ID:        "training/collisions",
			Claim:     "The same if the pipeline's messages collide on links between switches that hash.",
			Reference: "The same step with every communication on the network, packet by packet (weft train --whole).",
			Setting:   "The decoder of training/exact with four stages, each under other leaves than the next: two nodes to a leaf; 400 Gb/s RoCE v2 with ECMP and DCQCN; one seed.",
			Slow:      true,
			Run:       collidingSteps,
		},
		publishedCase("nvidia", "of NVIDIA's own stacks of 2024 to 2026", func(s *publishedStep) bool { return s.Year >= 2024 && nvidiaStacks[s.Stack] }),
		publishedCase("others", "of other stacks of 2024 to 2026", func(s *publishedStep) bool { return s.Year >= 2024 && !nvidiaStacks[s.Stack] }),
		stacksCase(),
		scalingCase(),
		publishedCase("before-2024", "of stacks before 2024", func(s *publishedStep) bool { return s.Year < 2024 }),
	}
}

// trained simulates the training step of a scenario.
func trained(ctx context.Context, s *scenario.Scenario, whole bool) (*results.Training, error) {
	f, err := scenario.New("training", s)
	if err != nil {
		return nil, err
	}
	r, err := f.Resolve()
	if err != nil {
		return nil, err
	}
	return training.Run(ctx, r, training.Options{Workers: 1, Whole: whole})
}

// decoder is a job of four layers with the other dimensions of Llama 3 8B.
func decoder(tensor, pipeline, batch int) scenario.Training {
	return scenario.Training{
		Model:    scenario.Model{Preset: "llama3-8b", Layers: 4},
		Parallel: scenario.Parallel{Tensor: tensor, Pipeline: pipeline},
		Batch:    scenario.Batch{Global: batch, Micro: 1, Sequence: 2048},
	}
}

// smallStep is a cluster on which the small decoder is trained.
type smallStep struct {
	nodes, tensor int
	note          string
}

func wholeSteps(e *Env) ([]Row, error) {
	const shared = "Two replicas have their GPUs in a node, so that tensor and data parallelism share its NVLink. Phases of different kinds are simulated apart and do not slow each other; with two micro-batches they overlap most of the time, which is most of the difference."
	sizes := []smallStep{{8, 8, ""}, {16, 8, ""}, {8, 4, shared}}
	if e.Short {
		sizes = []smallStep{{4, 8, ""}}
	}
	fabrics := []string{"infiniband-ndr", "roce-v2-400g"}
	rows := make([]Row, len(sizes)*len(fabrics))
	return rows, e.each(len(rows), func(i int) error {
		c, fabric := &sizes[i/len(fabrics)], fabrics[i%len(fabrics)]
		s := clusterOf(c.nodes, scenario.Node{Preset: "dgx-h100"}, "", fabric)
		s.Training = decoder(c.tensor, 2, 8*c.nodes/c.tensor)
		reused, err := trained(e.Ctx, &s, false)
		if err != nil {
			return err
		}
		whole, err := trained(e.Ctx, &s, true)
		if err != nil {
			return err
		}
		rows[i] = Row{
			Name: fmt.Sprintf("%d GPUs, tensor %d, %s", 8*c.nodes, c.tensor, fabric), Unit: Microseconds,
			Reference: []float64{float64(whole.Fabrics[0].StepPs)}, Weft: []float64{float64(reused.Fabrics[0].StepPs)},
			Tolerance: within(0.01), Note: c.note,
		}
		return nil
	})
}

func collidingSteps(e *Env) ([]Row, error) {
	sizes := []int{8, 16}
	if e.Short {
		sizes = sizes[:1]
	}
	var rows []Row
	for _, nodes := range sizes {
		s := clusterOf(nodes, scenario.Node{Preset: "dgx-h100"}, scenario.RailOptimised, "roce-v2-400g")
		s.Topology.NodesPerUnit, s.Training = 2, decoder(8, 4, 2*nodes)
		var step, pipeline, data [2]float64 // the reference's and weft's
		for i, whole := range []bool{true, false} {
			out, err := trained(e.Ctx, &s, whole)
			if err != nil {
				return nil, err
			}
			f := &out.Fabrics[0]
			step[i] = float64(f.StepPs)
			pipeline[i], data[i] = moving(f, "pipeline"), moving(f, "data")
		}
		row := func(name string, v [2]float64, t Tolerance, note string) {
			rows = append(rows, Row{Name: fmt.Sprintf("%d GPUs, %s", 8*nodes, name), Unit: Microseconds, Reference: v[:1], Weft: v[1:], Tolerance: t, Note: note})
		}
		row("step", step, within(0.01), "")
		row("pipeline parallelism, moving", pipeline, shown, "A phase has the messages of all stages at once, which in a step are never all under way: so more of them collide.")
		row("data parallelism, moving", data, shown, "")
	}
	return rows, nil
}

// moving is the mean time for which a rank moves data of a purpose.
func moving(f *results.TrainingFabric, purpose string) (ps float64) {
	for _, p := range f.Purposes {
		if p.Purpose == purpose {
			ps += float64(p.MovingPs)
		}
	}
	return ps
}
