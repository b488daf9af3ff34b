package jobs

import (
	"context"
	"fmt"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
)

// autoParallel is the value of --parallel.
const autoParallel = "auto"

// simulatedDivisions is the number of divisions that a search simulates, without the scenario's own: of a job on more than
// manyGPUs, whose divisions take a minute each, fewSimulated.
const (
	simulatedDivisions = 5
	fewSimulated       = 2
	manyGPUs           = 256
)

// checkParallel refuses values of --parallel, and flags that are about one division.
func (x *trainFlags) checkParallel() error {
	switch {
	case x.parallel == "":
		return nil
	case x.parallel != autoParallel:
		return fmt.Errorf("--parallel %s: want auto; a division is a field of the scenario, such as --set training.parallel.tensor=8", x.parallel)
	case len(x.scale) > 0 || x.seeds > 1 || x.whole || x.series || x.trace != "" || x.metrics != "" || x.Out != "" || x.IsArray():
		return fmt.Errorf("--parallel auto compares steps of one size and one seed: leave out --scale, --seeds, --whole, --series, --trace, --metrics, --out and --slurm, and give them with the division that it finds")
	}
	return nil
}

// search looks for the division with the shortest step, and prints what was judged.
func (x *trainFlags) search(ctx context.Context, e *simulator.Simulator, file *scenario.File, r *scenario.Resolved) error {
	x.started = e.Now()
	x.line = e.Working("divisions are judged")
	defer x.line.End()
	s := x.searchOf(file)
	s.Simulate = simulatedDivisions
	if r.Training.Nodes*r.Cluster.Node.GPUs > manyGPUs {
		s.Simulate = fewSimulated
	}
	s.Estimating = func(done, all int) {
		x.line.Show(runstore.Progress{Done: done, Total: all}, fmt.Sprintf("steps are estimated: %d of %d divisions at most", done, all))
	}
	s.Time = x.TimeBound()
	s.Answer = func(out *results.TrainingDivisions) {
		e.ClearLine()
		e.Note("weft: %s\n", report.BestByEstimate(out))
	}
	s.Options = training.Options{Workers: x.Workers, Exact: e.Exact, Cache: e.Store(), Sharing: e.Sharing}
	s.Progress = func(p weft.Progress) {
		simulator.ShowProgress(x.line, p, x.line.Pace.Left(p.Share, x.line.Elapsed()))
	}
	out, err := s.Run(ctx, r)
	x.line.Clear()
	if (out == nil || len(out.Divisions) == 0) && ctx.Err() != nil {
		return exit.Errorf(exit.Partial, "stopped before the divisions were judged")
	}
	if out == nil || len(out.Divisions) == 0 {
		return file.ErrorAt("training", err)
	}
	encoded, bad := out.Encode()
	if bad != nil {
		return bad
	}
	if bad := e.Present(report.Divisions(out), x.JSON, encoded); bad != nil {
		return bad
	}
	return simulator.Conclusion(ctx, err)
}

func (x *trainFlags) searchOf(file *scenario.File) *training.Search {
	return &training.Search{Flag: "--parallel auto", Resolve: func(fields ...scenario.Override) (*scenario.Resolved, error) { return x.ResolveWith(file, nil, fields) }}
}

// proposedEstimates is the number of divisions that are estimated for a proposal: an error does not wait for long.
const proposedEstimates = 60

// undivided are fields of a job on which no division is asked.
var undivided = map[string]any{
	"parallel.tensor": 1, "parallel.context": 1, "parallel.pipeline": 1, "parallel.data": 0, "parallel.interleave": 1, "parallel.expert": 1,
	"parallel.schedule": string(scenario.OneFOneB), "parallel.whole-experts": false, "batch.micro": 1, "exchange": string(scenario.ExchangeAllToAll),
}

// proposedFor is the error for a file that is not valid, with a division that fits if its division is the reason.
func (x *trainFlags) proposedFor(ctx context.Context, e *simulator.Simulator, path string, why error) error {
	if path == "-" {
		return why
	}
	file, err := overrides.OpenUnchecked(e.Env, path)
	if err != nil || file == nil {
		return why
	}
	return x.proposed(ctx, file, why)
}

// proposed is an error with a division that fits, by estimate, if the scenario is valid but for its division.
func (x *trainFlags) proposed(ctx context.Context, file *scenario.File, why error) error {
	r, err := x.Resolve(file)
	if err != nil {
		var fields []scenario.Override
		for name, value := range undivided {
			fields = append(fields, scenario.Set("training."+name, value, "--parallel auto"))
		}
		r, err = x.ResolveWith(file, nil, fields)
	}
	if err != nil || r.Training.Model.Layers == 0 {
		return why
	}
	s := x.searchOf(file)
	s.Estimate = proposedEstimates
	out, err := s.Run(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			return why
		}
		return fmt.Errorf("%w\n%w", why, err)
	}
	return fmt.Errorf("%w\na division that fits, by estimate the fastest of %d: %s (--parallel auto simulates the best)", why, out.Estimated, out.Divisions[0].Fields)
}
