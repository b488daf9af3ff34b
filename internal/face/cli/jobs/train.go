package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// maxTrainSeeds bounds the seeds of a step: an interval narrows only with their square root.
const maxTrainSeeds = 1000

// trainFlags are the flags of weft train.
type trainFlags struct {
	overrides.Flags
	simulator.StudyFlags
	seeds    int
	whole    bool
	series   bool
	metrics  string
	shown    simulator.RunMetrics
	scale    []int
	strong   bool
	calm     bool
	trace    string
	parallel string
	started  time.Time
	folder   *simulator.RunFolder
	line     *process.Status
	end      func() // of the line, and of following the folder
	recorded *simulator.SeriesOf
	steps    steps // steps of the largest simulated cluster
}

// NewTrain is the verb weft train.
func NewTrain(e *simulator.Simulator) *cobra.Command {
	var x trainFlags
	cmd := &cobra.Command{
		Use:   "train FILE",
		Short: "simulate a training step of a large language model",
		Long: `Simulates one step of the scenario's training job (training:) on each of its
fabrics: the computing times from operations and the GPU's rates, every distinct
communication packet by packet with all groups at once, and the schedule that
puts them together. Prints step time, tokens a second, MFU, the communication of
each kind of parallelism, its exposed part, and the reasons.

With --scale it does so for several cluster sizes, the batch growing with them
unless --strong is given, and prints the scaling efficiency with the terms that
reduce it. GPUs and kernels are uneven as training.noise says, by default as published
measurements have it; --without-noise leaves that out. The column working is the share of
the time that interruptions leave (training.failures).

With --seeds it does so for several seeds, and prints the mean of the step and of the
exposed communication with its 95 % interval: collisions in hashing switches are
random.

A job that does not fit the GPUs' memory, or whose work cannot be divided as asked, is
refused with the arithmetic and with a division that fits.

With --parallel auto it looks for the division with the shortest step: tensor, context,
pipeline, data and expert parallelism, the parts of a stage, the schedule, ZeRO, the
micro-batch and recomputation. Memory and a step by rates alone judge all of them; the
best few are simulated on each fabric. The batch of the step stays. The best by estimate
is told first; --time bounds the search after it, and what was not simulated till then is
shown as an estimate, as after an interruption.`,
		Example: `  weft train example:llama3-8b-64
  weft train example:llama3-8b-64 --scale 64,128,256 --html scaling.html
  weft train example:llama3-8b-64 --seeds 10
  weft train example:llama3-8b-64 --trace step
  weft train example:llama3-8b-64 --parallel auto --time 30s
  weft train example:llama3-8b-64 --fabric infiniband-ndr --whole`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE:              func(cmd *cobra.Command, given []string) error { return x.do(cmd, e, given[0]) },
	}
	x.RegisterFields(cmd)
	x.RegisterSeed(cmd)
	flags.Absent(cmd, "only a collective alone is estimated from a part of it", "error")
	flags.Absent(cmd, "NCCL chooses for each collective of the job; nccl.tuner changes its choice", "algo", "proto")
	f := cmd.Flags()
	x.RegisterStudy(cmd, e, "scenario.yaml, results.json, meta.json, report.html and trace.json")
	f.Lookup("time").Usage = "with --slurm or --parallel auto: time limit of an element, such as 2h (default: the partition's), or of the search, such as 30s"
	flags.CountVar(f, &x.seeds, "seeds", 1, 1, maxTrainSeeds, "number of seeds for the step: run.seed and the next ones")
	f.BoolVar(&x.whole, "whole", false, "simulate every communication of the step in full, and reuse nothing")
	f.Lookup("exact").Usage = simulator.StepsExactUsage
	f.IntSliceVar(&x.scale, "scale", nil, "numbers of GPUs, smallest first: the scaling efficiency over them")
	f.BoolVar(&x.strong, "strong", false, "with --scale: keep the batch of the step, which otherwise grows with the GPUs")
	f.BoolVar(&x.calm, "without-noise", false, "with --scale: all GPUs and kernels are equal")
	f.StringVar(&x.trace, "trace", "", "folder for a trace of the step on each fabric, for Perfetto or Chrome")
	_ = cmd.MarkFlagDirname("trace")
	f.StringVar(&x.parallel, "parallel", "", "auto: look for the division of the work with the shortest step")
	_ = cmd.RegisterFlagCompletionFunc("parallel", cobra.FixedCompletions([]string{autoParallel}, cobra.ShellCompDirectiveNoFileComp))
	simulator.SeriesFlag(cmd, &x.series)
	simulator.MetricsFlag(cmd, &x.metrics)
	e.ReportFlags(cmd)
	for _, flag := range []string{"scale", "seeds"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	return cmd
}

// check refuses flags that do not go together.
func (x *trainFlags) check(e *simulator.Simulator) error {
	switch {
	case x.series && len(x.scale) > 0:
		return fmt.Errorf("--series cannot be used with --scale: record one size of the cluster")
	case x.metrics != "" && len(x.scale) > 0:
		return fmt.Errorf("--metrics cannot be used with --scale: show one size of the cluster")
	case x.IsArray() && (x.series || x.metrics != "" || x.whole):
		return fmt.Errorf("--slurm divides the parts of a step among processes, and --series, --metrics and --whole need them in one: leave them out")
	}
	if err := x.checkParallel(); err != nil {
		return err
	}
	return e.CheckSteps(x.whole)
}

func (x *trainFlags) do(cmd *cobra.Command, e *simulator.Simulator, path string) error {
	if err := x.check(e); err != nil {
		return err
	}
	file, err := overrides.Open(e.Env, path)
	if err == nil {
		file, err = x.Overlaid(e.Env, file)
	}
	if err != nil {
		return x.proposedFor(cmd.Context(), e, path, err)
	}
	memory := func() (units.Bytes, error) {
		r, err := x.Resolve(file)
		if err != nil {
			return 0, x.proposed(cmd.Context(), file, err)
		}
		return r.Estimate().Memory, nil
	}
	return x.Do(cmd, e, memory, func(ctx context.Context) error { return x.run(ctx, e, file) })
}

func (x *trainFlags) run(ctx context.Context, e *simulator.Simulator, file *scenario.File) error {
	r, err := x.Resolve(file)
	if err != nil {
		return x.proposed(ctx, file, err)
	}
	if r.Training.Model.Layers == 0 {
		return file.ErrorAt("training", fmt.Errorf("the scenario has no training job: write training: with a model, as in example:llama3-8b-64"))
	}
	if x.parallel != "" {
		return x.search(ctx, e, file, r)
	}
	folder, err := e.ClaimRun(x.Out, r)
	if err != nil {
		return err
	}
	defer folder.Close()
	x.folder = folder
	if err := x.writable(e); err != nil {
		return err
	}
	if x.recorded, err = e.RecordSeries(x.series, folder, r); err != nil {
		return err
	}
	unshow, err := simulator.ExportMetrics(e.Env, x.metrics, x.shown.Snapshot)
	if err != nil {
		return err
	}
	return cmp.Or(x.simulate(ctx, e, file, r), unshow())
}

// simulate runs the job, on one size of the cluster or several.
func (x *trainFlags) simulate(ctx context.Context, e *simulator.Simulator, file *scenario.File, r *scenario.Resolved) error {
	x.started = e.Now()
	x.line = e.Working("the step begins")
	ctx, unfollow := x.folder.Follow(ctx, x.line)
	x.end = func() { x.line.End(); unfollow() }
	defer x.end()
	if len(x.scale) == 0 {
		out, err := x.step(ctx, e, file, r)
		if out == nil {
			return err
		}
		return x.conclude(e, &results.TrainingScale{Version: results.TrainingVersion, Points: []*results.Training{out}}, r, err)
	}
	return x.overSizes(ctx, e, file, r)
}

// writable checks before the run that the trace can be written.
func (x *trainFlags) writable(e *simulator.Simulator) error {
	if x.trace == "" {
		return nil
	}
	dir := e.Path(x.trace)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("--trace %s: %w", x.trace, regular.Reason(err))
	}
	return process.Writable(dir, "--trace "+x.trace)
}

// overSizes runs the job on each cluster size. Completed sizes are printed even if a later one
// fails or the run is interrupted.
func (x *trainFlags) overSizes(ctx context.Context, e *simulator.Simulator, file *scenario.File, r *scenario.Resolved) error {
	sizes, err := x.sizes(file, r)
	if err != nil {
		return err
	}
	scale := &results.TrainingScale{Version: results.TrainingVersion, Strong: x.strong}
	for i, own := range sizes {
		var out *results.Training
		before := x.steps
		if out, err = x.step(ctx, e, file, own); err != nil {
			if i == 0 {
				return err
			}
			scale.Partial, x.steps = true, before
			if exit.CodeOf(err) == exit.Partial {
				err = exit.Errorf(exit.Partial, "stopped: the larger cluster sizes are missing")
			}
			break
		}
		scale.Points = append(scale.Points, out)
		r = own
	}
	return x.conclude(e, scale, r, err)
}

// sizes are the scenario on each cluster size.
func (x *trainFlags) sizes(file *scenario.File, r *scenario.Resolved) (out []*scenario.Resolved, err error) {
	per := r.Cluster.Node.GPUs
	base := per * r.Training.Nodes
	last := 0
	for _, gpus := range x.scale {
		if gpus <= last || gpus%per != 0 {
			return nil, fmt.Errorf("--scale %d: want rising numbers of GPUs, each a whole number of nodes of %d", gpus, per)
		}
		last = gpus
		flag := fmt.Sprintf("--scale %d", gpus)
		batch := r.Training.Batch.Global
		if !x.strong {
			if batch*gpus%base != 0 {
				return nil, fmt.Errorf("%s: the batch of %d sequences on %d GPUs cannot grow to a whole number: give --strong or another size", flag, batch, base)
			}
			batch = batch * gpus / base
		}
		draws := r.Training.Noise.Draws
		switch {
		case x.calm:
			draws = 0
		case draws == 0:
			draws = scenario.NoiseDraws
		}
		own, err := x.Resolve(file,
			scenario.Set("cluster.nodes", gpus/per, flag),
			scenario.Set("training.noise.draws", draws, flag),
			scenario.Set("training.batch.global", batch, flag))
		if err != nil {
			return nil, err
		}
		if own.Training.Nodes*per != gpus {
			return nil, file.ErrorAt("training.nodes", fmt.Errorf("%s: the job has a fixed number of nodes, %d: remove training.nodes", flag, own.Training.Nodes))
		}
		out = append(out, own)
	}
	return out, nil
}

// step simulates a step. Results may come with an error: of single fabrics, or of an interruption.
func (x *trainFlags) step(ctx context.Context, e *simulator.Simulator, file *scenario.File, r *scenario.Resolved) (*results.Training, error) {
	o := training.Options{
		Workers: x.Workers, Whole: x.whole, Exact: e.Exact, Cache: e.Store(), Sharing: e.Sharing,
		Seeds: x.seeds, Series: x.recorded.Add(),
	}
	if x.metrics != "" {
		o.Live = &x.shown.Live
	}
	o.Progress = func(p weft.Progress) {
		simulator.ShowProgress(x.line, p, x.line.Pace.Left(p.Share, x.line.Elapsed()))
	}
	if x.trace != "" || e.HTML != "" || x.Out != "" {
		x.steps = steps{lines: make([]*report.Drawn, len(r.Fabrics)), whole: x.whole}
		o.Timeline = func(fabric int, g *workload.Graph, t *workload.Timeline) {
			x.steps.lines[fabric] = &report.Drawn{Fabric: r.Fabrics[fabric].Name, Graph: g, Line: t}
		}
	}
	var err error
	if o.Stacks, err = x.stacks(file, r); err != nil {
		return nil, err
	}
	out, err := training.Run(ctx, r, o)
	x.line.Clear()
	if failed := x.writeTraces(e, r.Training.Nodes*r.Cluster.Node.GPUs); failed != nil {
		return nil, exit.Errorf(exit.Failed, "%w", failed)
	}
	var refused *network.Refusal // of a fabric: another division has the same
	switch {
	case ctx.Err() != nil && (out == nil || !out.Begun()):
		return nil, exit.Errorf(exit.Partial, "stopped before a step was complete")
	case errors.As(err, &refused) && out == nil:
		return nil, x.Placed(err)
	case out == nil:
		return nil, x.proposed(ctx, file, file.ErrorAt("training", err))
	}
	return out, simulator.Conclusion(ctx, err)
}

// conclude stores and prints the results, in this order: a closed pipe ends the program during the
// output. err is the reason if they are incomplete.
func (x *trainFlags) conclude(e *simulator.Simulator, t *results.TrainingScale, r *scenario.Resolved, err error) error {
	x.end()
	resolved, bad := r.MarshalYAML()
	if bad != nil {
		return exit.Errorf(exit.Failed, "%w", bad)
	}
	results, bad := x.encode(t)
	if bad != nil {
		return bad
	}
	d := report.Training(t, x.steps.drawn(), resolved)
	var stored error
	if x.Out != "" {
		stored = x.store(e, t, d, resolved, results, err)
	}
	printed := e.Present(d, x.JSON, results)
	e.SkippedPeriods(t.Skipped(), err)
	return cmp.Or(stored, printed, err)
}

// encode is the results as JSON: of one step, or over cluster sizes.
func (x *trainFlags) encode(t *results.TrainingScale) ([]byte, error) {
	if len(x.scale) > 0 {
		return t.Encode()
	}
	return t.Points[0].Encode()
}
