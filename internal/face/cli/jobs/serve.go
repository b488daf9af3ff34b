package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/formats"
	"weft/internal/formats/source"
	"weft/internal/study/serve"
	"weft/results"
	"weft/scenario"
)

// serveFlags are the flags of weft serve.
type serveFlags struct {
	overrides.Flags
	rates   []float64
	changes bool
	knee    bool
	trace   string
	hits    bool
	seeds   int
	out     string
	workers int
	json    bool
}

// maxRates bounds the points of a sweep.
const maxRates = 100

// NewServe is the verb weft serve.
func NewServe(e *simulator.Simulator) *cobra.Command {
	x := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "simulate a job that answers requests with a language model",
		Long: `Simulates the scenario's serving job (serving:) on each of its fabrics: requests
arrive at random, instances of prefill compute their prompts, keys and values go to
decode packet by packet, all transfers on the fabric at once, and decode computes the
answers. Prints the time to the first token and the time of each token after it at
P50, P90 and P99, the throughput, the transfers and what of them is exposed, and what
the fabric costs: the same job on a network that takes no time.

--rates and --knee show several rates of requests, up to the one where too few
requests are within the limits (serving.limits). A rate beyond what prefill, decode
or the NICs can do is unstable: it is named, and not simulated.

With --seeds each rate is simulated with several seeds, and the quantiles and the share
of good requests have a mean with its 95 % interval. With --out the results are in a
run folder.

A job that does not fit the GPUs' memory is refused with the arithmetic.`,
		Example: `  weft serve example:serve-llama3-70b
  weft serve example:serve-llama3-70b --knee --html knee.html
  weft serve example:serve-collapse --changes
  weft serve example:serve-llama3-70b --rates 2,4,8 --set serving.kv.send=layers
  weft serve example:serve-routing --seeds 5 --out served
  weft serve example:serve-llama3-70b --trace AzureLLMInferenceTrace_conv.csv`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			return x.Placed(x.do(cmd.Context(), e, given[0]))
		},
	}
	x.RegisterFields(cmd)
	x.RegisterSeed(cmd)
	flags.Absent(cmd, flags.NoCollective, "algo", "proto", "error")
	f := cmd.Flags()
	f.Float64SliceVar(&x.rates, "rates", nil, "requests in a second, a row for each (default: serving.load.rate)")
	f.BoolVar(&x.changes, "changes", false, "simulate the job with single changes, and say which to make first: routing, planes, a class for keys and values, sizes of the pools, shared instances")
	f.BoolVar(&x.knee, "knee", false, "rates from a fifth of saturation to beyond it")
	f.StringVar(&x.trace, "trace", "", "the first serving.load.requests of a trace: Azure's CSV or Mooncake's JSON lines, also gzipped; --rates change its pace")
	f.BoolVar(&x.hits, "trace-hits", false, "with Mooncake's trace: blocks of earlier prompts are not computed again; all of prefill shares one memory without bound")
	f.IntVarP(&x.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&x.json, "json", false, "print as JSON")
	flags.CountVar(f, &x.seeds, "seeds", 1, 1, weft.MaxSeeds, "number of seeds for each rate: run.seed and the next ones")
	flags.OutFolder(cmd, &x.out, "scenario.yaml, results.json, meta.json and report.html")
	for _, flag := range []string{"rates", "seeds", "workers"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	e.ExactFlag(cmd)
	e.ReportFlags(cmd)
	return cmd
}

// check refuses flags that cannot be.
func (x *serveFlags) check() error {
	if x.knee && len(x.rates) > 0 {
		return errors.New("--knee cannot be used with --rates: it chooses the rates")
	}
	if x.changes && (x.knee || len(x.rates) > 1 || x.seeds > 1) {
		return errors.New("--changes is for one rate and one seed: it simulates the job several times")
	}
	if x.hits && x.trace == "" {
		return errors.New("--trace-hits is for --trace: random requests have serving.load.prefix-hits")
	}
	if len(x.rates) > maxRates {
		return fmt.Errorf("--rates has %d rates: want at most %d", len(x.rates), maxRates)
	}
	for _, rate := range x.rates {
		if !(rate > 0 && rate <= scenario.MostRequestRate) {
			return fmt.Errorf("--rates %g: want more than 0 and at most %g requests in a second", rate, scenario.MostRequestRate)
		}
	}
	return flags.CheckWorkers(x.workers)
}

// checkLoad refuses several rates of requests that come at none.
func (x *serveFlags) checkLoad(l *scenario.ServingLoad) error {
	switch {
	case x.trace != "" || !x.knee && len(x.rates) == 0:
		return nil
	case l.Concurrency > 0:
		return fmt.Errorf("--rates and --knee are for requests at a rate, and %d clients wait for their answers: vary the clients, as weft sweep with serving.load.concurrency does", l.Concurrency)
	case l.Burst > 1 && l.Burst >= l.Requests:
		return fmt.Errorf("--rates and --knee are for requests at a rate, and all %d come at once: take a burst of fewer", l.Requests)
	}
	return nil
}

func (x *serveFlags) do(ctx context.Context, e *simulator.Simulator, path string) error {
	if err := x.check(); err != nil {
		return err
	}
	file, r, err := x.LoadFile(e.Env, path)
	if err != nil {
		return err
	}
	if !r.Serving.Given() {
		return file.ErrorAt("serving", errors.New("the scenario has no serving job: write serving: with a model, as in example:serve-llama3-70b"))
	}
	if err := x.checkLoad(&r.Serving.Load); err != nil {
		return file.ErrorAt("serving.load", err)
	}
	trace, err := x.requests(e, r.Serving.Load.Requests)
	if err != nil {
		return err
	}
	folder, err := e.ClaimRun(x.out, r)
	if err != nil {
		return err
	}
	defer folder.Close()
	return x.simulate(ctx, e, file, r, trace, folder)
}

// simulate runs the job.
func (x *serveFlags) simulate(ctx context.Context, e *simulator.Simulator, file *scenario.File, r *scenario.Resolved, trace *serve.Trace, folder *simulator.RunFolder) error {
	resolved, err := r.MarshalYAML()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	started, line := e.Now(), e.Working("the job begins")
	ctx, unfollow := folder.Follow(ctx, line)
	o := serve.Options{
		Rates: x.rates, Knee: x.knee, Seeds: x.seeds, Trace: trace, Workers: x.workers,
		Progress: line.Shared, Exact: e.Exact,
	}
	if x.knee || len(x.rates) > 1 || x.seeds > 1 || x.changes {
		o.Cache = e.Store() // one run alone is simulated when it is asked for
	}
	simulate := func() (*results.Serving, error) { return serve.Run(ctx, r, o) }
	if x.changes {
		simulate = func() (*results.Serving, error) { return serve.Changes(ctx, x.source(file), o) }
	}
	out, err := simulate()
	line.End()
	verdict, wall := simulator.Conclusion(ctx, err), line.Elapsed()
	unfollow()
	var memory *serve.MemoryError
	switch {
	case errors.As(err, &memory):
		return file.ErrorAt("serving", err)
	case out == nil && exit.CodeOf(verdict) == exit.Partial:
		return exit.Errorf(exit.Partial, "stopped before a rate was simulated")
	case out == nil:
		return err
	}
	e.SkippedPeriods(out.Skipped(), err)
	return e.PresentRun(&simulator.Concluded{
		Document: report.Serving(out, resolved), Results: out, Err: verdict, AsJSON: x.json, Folder: folder, Name: x.out, Resolved: resolved,
		Meta: simulator.Circumstances{Seed: r.Run.Seed, Started: started, Wall: wall, Events: out.Events(), Skipped: out.Skipped(), Workers: x.workers},
	})
}

// source is the scenario for changes, which win over flags.
func (x *serveFlags) source(file *scenario.File) serve.Source {
	return serve.Source{
		Resolve: func(more ...scenario.Override) (*scenario.Resolved, error) { return x.ResolveWith(file, nil, more) },
		At:      func(fabric string) string { return fmt.Sprintf("fabrics[%d]", slices.Index(x.Names, fabric)) },
	}
}

// requests are those of --trace; nil without it.
func (x *serveFlags) requests(e *simulator.Simulator, most int) (*serve.Trace, error) {
	if x.trace == "" {
		return nil, nil
	}
	in, err := e.Open(x.trace)
	if err != nil {
		return nil, fmt.Errorf("--trace %s: %w", x.trace, regular.Reason(err))
	}
	defer in.Close()
	trace, err := formats.ReadRequests(source.File{Name: x.trace, Reader: in}, most)
	if err != nil {
		return nil, err
	}
	return &serve.Trace{Name: x.trace, Requests: trace, Hits: x.hits}, nil
}
