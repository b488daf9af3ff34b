package cli

import (
	"github.com/spf13/cobra"

	"weft/internal/report"
	"weft/internal/runstore"
	"weft/internal/sim"
	"weft/scenario"
)

// trainFlags are what weft train takes.
type trainFlags struct {
	choice
	workers int
	exact   bool
	json    bool
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

A job that does not fit the GPUs' memory is refused with the arithmetic.`,
		Example: `  weft train examples/llama3-8b-64.yaml
  weft train examples/llama3-8b-64.yaml --set training.parallel.tensor=8 --json
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
			r, err := x.resolve(file)
			if err != nil {
				return err
			}
			return x.run(cmd, e, file, r)
		},
	}
	x.register(cmd)
	f := cmd.Flags()
	f.IntVarP(&x.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&x.exact, "exact", false, "simulate every communication of the step as it comes, and reuse nothing")
	f.BoolVar(&x.json, "json", false, "print the results as JSON")
	_ = cmd.RegisterFlagCompletionFunc("workers", cobra.NoFileCompletions)
	return cmd
}

func (x *trainFlags) run(cmd *cobra.Command, e *Env, file *scenario.File, r *scenario.Resolved) error {
	p := newProgress(e, r)
	out, err := sim.Train(cmd.Context(), r, sim.TrainOptions{Workers: x.workers, Exact: x.exact, Progress: p.callback()})
	p.end()
	switch {
	case out == nil || cmd.Context().Err() == nil && len(out.Fabrics) == 0:
		return file.ErrorAt("training", err)
	case cmd.Context().Err() != nil:
		return fail(Partial, "stopped before the step was simulated")
	}
	if err := x.tell(e, out); err != nil {
		return err
	}
	if err != nil {
		return fail(Failed, "the run failed: %w", err)
	}
	return nil
}

func (x *trainFlags) tell(e *Env, out *runstore.Training) error {
	if !x.json {
		return report.Training(e.Stdout, out, e.style())
	}
	text, err := out.Encode()
	if err == nil {
		_, err = e.Stdout.Write(text)
	}
	return err
}
