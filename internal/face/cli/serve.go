package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/internal/face/report"
	"weft/internal/formats"
	"weft/internal/formats/source"
	"weft/internal/sim/scenario"
	"weft/internal/study/serve"
)

// serveFlags are the flags of weft serve.
type serveFlags struct {
	choice
	rates   []float64
	knee    bool
	trace   string
	hits    bool
	workers int
	json    bool
}

// maxRates bounds the points of a sweep.
const maxRates = 100

func newServe(e *Env) *cobra.Command {
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

A job that does not fit the GPUs' memory is refused with the arithmetic.`,
		Example: `  weft serve examples/serve-llama3-70b.yaml
  weft serve examples/serve-llama3-70b.yaml --knee --html knee.html
  weft serve examples/serve-llama3-70b.yaml --rates 2,4,8 --set serving.kv.send=layers
  weft serve examples/serve-llama3-70b.yaml --trace AzureLLMInferenceTrace_conv.csv`,
		Args:              args(1, 1, "one scenario file"),
		ValidArgsFunction: scenarioArg,
		RunE: func(cmd *cobra.Command, given []string) error {
			return x.placed(x.do(cmd.Context(), e, given[0]))
		},
	}
	x.register(cmd)
	f := cmd.Flags()
	f.Float64SliceVar(&x.rates, "rates", nil, "requests in a second, a row for each (default: serving.load.rate)")
	f.BoolVar(&x.knee, "knee", false, "rates from a fifth of saturation to beyond it")
	f.StringVar(&x.trace, "trace", "", "requests of a trace instead of random ones, the first serving.load.requests of them: Azure's CSV, or Mooncake's JSON lines, also gzipped; --rates change its pace")
	f.BoolVar(&x.hits, "trace-hits", false, "with a trace of Mooncake: blocks of a prompt that an earlier request began with are not computed again, in a memory without bound that all of prefill shares")
	f.IntVarP(&x.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&x.json, "json", false, "print the results as JSON")
	for _, flag := range []string{"rates", "workers"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	e.reportFlags(cmd)
	return cmd
}

// check refuses flags that cannot be.
func (x *serveFlags) check() error {
	if x.knee && len(x.rates) > 0 {
		return errors.New("--knee cannot be used with --rates: it chooses the rates")
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
	return checkWorkers(x.workers)
}

func (x *serveFlags) do(ctx context.Context, e *Env, path string) error {
	if err := x.check(); err != nil {
		return err
	}
	file, r, err := x.loadFile(e, path)
	if err != nil {
		return err
	}
	if !r.Serving.Given() {
		return file.ErrorAt("serving", errors.New("the scenario has no serving job: write serving: with a model, as in examples/serve-llama3-70b.yaml"))
	}
	trace, err := x.requests(e, r.Serving.Load.Requests)
	if err != nil {
		return err
	}
	line := e.working("the job begins")
	o := serve.Options{Rates: x.rates, Knee: x.knee, Trace: trace, Workers: x.workers, Progress: func(done, total int, fabric string) { line.count(done, total, fabric) }}
	out, err := serve.Run(ctx, r, o)
	line.end()
	var memory *serve.MemoryError
	switch {
	case errors.As(err, &memory):
		return file.ErrorAt("serving", err)
	case out == nil && ctx.Err() != nil:
		return fail(Partial, "stopped before a rate was simulated")
	case out == nil:
		return err
	case ctx.Err() != nil:
		err = fail(Partial, "stopped: the results are partial")
	case err != nil:
		err = fail(Failed, "the run failed: %w", err)
	}
	text, bad := out.Encode()
	if bad != nil {
		return fail(Failed, "%w", bad)
	}
	resolved, bad := r.MarshalYAML()
	if bad != nil {
		return fail(Failed, "%w", bad)
	}
	return cmp.Or(e.present(report.Serving(out, resolved), x.json, text), err)
}

// requests are those of --trace; nil without it.
func (x *serveFlags) requests(e *Env, most int) (*serve.Trace, error) {
	if x.trace == "" {
		return nil, nil
	}
	in, err := e.open(x.trace)
	if err != nil {
		return nil, fmt.Errorf("--trace %s: %w", x.trace, reason(err))
	}
	defer in.Close()
	trace, err := formats.ReadRequests(source.File{Name: x.trace, Reader: in}, most)
	if err != nil {
		return nil, err
	}
	return &serve.Trace{Name: x.trace, Requests: trace, Hits: x.hits}, nil
}
