package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"weft/internal/report"
	"weft/internal/runstore"
	"weft/internal/sim"
	"weft/internal/workload"
	"weft/internal/workload/llm"
	"weft/scenario"
)

// trainFlags are what weft train takes.
type trainFlags struct {
	choice
	workers int
	exact   bool
	json    bool
	scale   []int
	strong  bool
	trace   string
	page    string
	drawn   *report.Drawn // the step that the page draws
}

func newTrain(e *Env) *cobra.Command {
	var x trainFlags
	cmd := &cobra.Command{
		Use:   "train FILE",
		Short: "simulate a training step of a large language model on several fabrics",
		Long: `Simulates one step of the scenario's training job (training:) on each of its
fabrics: the computing times from operations and the GPU's rates, every distinct
communication packet by packet with all groups at once, and the schedule that
puts them together. Prints step time, tokens a second, MFU, the communication of
each kind of parallelism, how much of it nothing hides, and why.

With --scale it does so for several cluster sizes, the batch growing with them
unless --strong is given, and prints the scaling efficiency with the terms that
bend it.

A job that does not fit the GPUs' memory is refused with the arithmetic.`,
		Example: `  weft train examples/llama3-8b-64.yaml
  weft train examples/llama3-8b-64.yaml --scale 64,128,256 --page scaling.html
  weft train examples/llama3-8b-64.yaml --trace step
  weft train examples/llama3-8b-64.yaml --fabric infiniband-ndr --exact`,
		Args:              args(1, 1, "one scenario file"),
		ValidArgsFunction: scenarioArg,
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := checkWorkers(x.workers); err != nil {
				return err
			}
			file, err := open(e, given[0])
			if err != nil {
				return err
			}
			return x.run(cmd.Context(), e, file)
		},
	}
	x.register(cmd)
	f := cmd.Flags()
	f.IntVarP(&x.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&x.exact, "exact", false, "simulate every communication of the step as it comes, and reuse nothing")
	f.BoolVar(&x.json, "json", false, "print the results as JSON")
	f.IntSliceVar(&x.scale, "scale", nil, "numbers of GPUs, smallest first: the scaling efficiency over them")
	f.BoolVar(&x.strong, "strong", false, "with --scale: keep the batch of the step, which otherwise grows with the GPUs")
	f.StringVar(&x.trace, "trace", "", "folder for a trace of the step on each fabric, for Perfetto or Chrome")
	f.StringVar(&x.page, "page", "", "file for a page for the browser")
	_ = cmd.MarkFlagDirname("trace")
	for _, flag := range []string{"workers", "scale"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	return cmd
}

func (x *trainFlags) run(ctx context.Context, e *Env, file *scenario.File) error {
	r, err := x.resolve(file)
	if err != nil {
		return err
	}
	if r.Training.Model.Layers == 0 {
		return file.ErrorAt("training", fmt.Errorf("the scenario has no training job: write training: with a model, as in examples/llama3-8b-64.yaml"))
	}
	if len(x.scale) == 0 {
		out, err := x.step(ctx, e, file, r)
		if out == nil {
			return err
		}
		return x.conclude(e, &runstore.TrainingScale{Version: runstore.TrainingVersion, Points: []*runstore.Training{out}}, r, err)
	}
	return x.overSizes(ctx, e, file, r)
}

// overSizes runs the job on each cluster size.
func (x *trainFlags) overSizes(ctx context.Context, e *Env, file *scenario.File, r *scenario.Resolved) error {
	scale := &runstore.TrainingScale{Version: runstore.TrainingVersion, Strong: x.strong}
	per, base := r.Cluster.Node.GPUs, r.Cluster.Ranks()
	last := 0
	for _, gpus := range x.scale {
		if gpus <= last || gpus%per != 0 {
			return fmt.Errorf("--scale %d: want rising numbers of GPUs, each a whole number of nodes of %d", gpus, per)
		}
		last = gpus
		flag := fmt.Sprintf("--scale %d", gpus)
		batch := r.Training.Batch.Global
		if !x.strong {
			if batch*gpus%base != 0 {
				return fmt.Errorf("%s: the batch of %d sequences on %d GPUs cannot grow to a whole number: give --strong or another size", flag, batch, base)
			}
			batch = batch * gpus / base
		}
		own, err := x.resolve(file,
			scenario.Override{Path: "cluster.nodes", Value: strconv.Itoa(gpus / per), Origin: flag},
			scenario.Override{Path: "training.batch.global", Value: strconv.Itoa(batch), Origin: flag})
		if err != nil {
			return err
		}
		out, err := x.step(ctx, e, file, own)
		if out == nil || err != nil {
			return err
		}
		scale.Points = append(scale.Points, out)
		r = own
	}
	return x.conclude(e, scale, r, nil)
}

// step simulates a step; nil results come with an error.
func (x *trainFlags) step(ctx context.Context, e *Env, file *scenario.File, r *scenario.Resolved) (*runstore.Training, error) {
	var failed error
	o := sim.TrainOptions{Workers: x.workers, Exact: x.exact}
	if e.StderrTerminal {
		o.Progress = func(p sim.Progress) {
			fmt.Fprintf(e.Stderr, "\r%d of %d simulations, %s \x1b[K", p.Done, p.Total, p.Fabric)
			if p.Done == p.Total {
				fmt.Fprint(e.Stderr, "\r\x1b[K")
			}
		}
	}
	if x.trace != "" || x.page != "" {
		o.Timeline = func(fabric int, g *workload.Graph, t *workload.Timeline) {
			if fabric == 0 && !x.exact {
				x.drawn = &report.Drawn{Fabric: r.Fabrics[0].Name, Graph: g, Line: t}
			}
			if err := x.writeTrace(e, r, fabric, g, t); err != nil {
				failed = err
			}
		}
	}
	out, err := sim.Train(ctx, r, o)
	switch {
	case ctx.Err() != nil:
		return nil, fail(Partial, "stopped before the step was simulated")
	case out == nil:
		return nil, file.ErrorAt("training", err)
	case failed != nil:
		return nil, fail(Failed, "the trace cannot be written: %w", failed)
	}
	return out, err
}

// writeTrace writes the trace of a step on a fabric.
func (x *trainFlags) writeTrace(e *Env, r *scenario.Resolved, fabric int, g *workload.Graph, t *workload.Timeline) error {
	if x.trace == "" {
		return nil
	}
	dir := e.path(x.trace)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%d.json", r.Fabrics[fabric].Name, r.Cluster.Ranks())
	out, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	rank := func(i int) string {
		if len(g.Ranks) == r.Training.Parallel.Pipeline {
			return fmt.Sprintf("stage %d", i)
		}
		return fmt.Sprintf("GPU %d", i)
	}
	if err := report.Trace(out, g, t, rank, llm.StreamName); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// conclude tells and stores the results. err is what went wrong on single fabrics.
func (x *trainFlags) conclude(e *Env, t *runstore.TrainingScale, r *scenario.Resolved, err error) error {
	if told := x.tell(e, t); told != nil {
		return told
	}
	if x.page != "" {
		resolved, err := r.MarshalYAML()
		if err != nil {
			return err
		}
		var page bytes.Buffer
		if err := report.TrainingPage(&page, t, x.drawn, resolved); err != nil {
			return fail(Failed, "the page cannot be made: %w", err)
		}
		if err := os.WriteFile(e.path(x.page), page.Bytes(), 0o666); err != nil {
			return fail(Failed, "the page cannot be written: %w", err)
		}
	}
	if err != nil {
		return fail(Failed, "the run failed: %w", err)
	}
	return nil
}

func (x *trainFlags) tell(e *Env, t *runstore.TrainingScale) error {
	switch {
	case x.json && len(x.scale) > 0:
		return writeEncoded(e, t.Encode)
	case x.json:
		return writeEncoded(e, t.Points[0].Encode)
	case len(x.scale) > 0:
		return report.Scaling(e.Stdout, t, e.style())
	}
	return report.Training(e.Stdout, t.Points[0], e.style())
}

func writeEncoded(e *Env, encode func() ([]byte, error)) error {
	text, err := encode()
	if err == nil {
		_, err = e.Stdout.Write(text)
	}
	return err
}
