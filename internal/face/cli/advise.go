package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/study/advise"
	"weft/internal/study/plan"
	"weft/internal/study/serve"
)

func newAdvise(e *Env) *cobra.Command {
	x := advising{}
	cmd := &cobra.Command{
		Use:   "advise PROFILE",
		Short: "recommend InfiniBand or RoCE v2, with reasons and their counterfactuals",
		Long: `Plans a network of each fabric for the profile, simulates both, weighs them by the
profile's weights, and recommends one. It prints the strongest reasons, each with a
run in which one input is changed, the reasons against, and the size, price,
oversubscription or skill at which the choice changes. docs/ADVISE.md has the rule.

For a serving job (design.job.serving) it says up to which rate of requests each fabric
keeps the limits of first token and tokens, and what to change first.`,
		Example: `  weft advise examples/advise.yaml
  weft advise examples/advise-serve.yaml
  weft advise profile.yaml --prices prices.yaml --out advice
  weft advise profile.yaml --set organisation.skills.ethernet=expert --json`,
		Args:              args(1, 1, "one profile"),
		ValidArgsFunction: scenarioArg,
		RunE:              func(cmd *cobra.Command, given []string) error { return x.run(cmd.Context(), e, given[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&x.prices, "prices", "", "file with the prices of pieces and electricity (weft plan --init-prices)")
	outFolder(cmd, &x.out, "the designs' scenarios, advice.json and report.html")
	f.StringArrayVar(&x.set, "set", nil, "change a field of the profile, such as weights.cost=30; may be repeated")
	f.IntVarP(&x.workers, "workers", "j", 0, "cores to use; the advice does not depend on it (default: all)")
	f.BoolVar(&x.asJSON, "json", false, "print as JSON")
	e.exactFlag(cmd)
	e.detailsFlag(cmd)
	return cmd
}

// advising is the flags of weft advise.
type advising struct {
	prices, out string
	set         []string
	workers     int
	asJSON      bool
}

func (x *advising) run(ctx context.Context, e *Env, path string) error {
	if err := checkWorkers(x.workers); err != nil {
		return err
	}
	overrides, err := overridesOf(x.set)
	if err != nil {
		return err
	}
	text, err := readDocument(e, path)
	if err != nil {
		return err
	}
	profile, err := advise.Read(path, text, overrides...)
	if err != nil {
		return err
	}
	prices, err := readPrices(e, x.prices)
	if err != nil {
		return err
	}
	folder := ownFolder{name: x.out, mark: report.AdviceResult, what: "advice"}
	if err := folder.open(e); err != nil {
		return err
	}
	defer folder.Close()
	line := e.working("the advice begins")
	a, err := advise.Make(ctx, profile, prices, advise.Options{
		Simulate: advise.Simulator(e.study()), Train: e.training, Serve: e.limit, Workers: x.workers,
		Tell: func(what string) { line.show(runstore.Progress{}, what) },
	})
	line.end()
	var memory *serve.MemoryError
	switch {
	case ctx.Err() != nil:
		return fail(Partial, "interrupted before there was an advice")
	case errors.Is(err, advise.ErrNothing), errors.Is(err, plan.ErrNoPrices), errors.As(err, &memory):
		return err
	case err != nil:
		return fail(Failed, "%w", err)
	}
	if x.out != "" {
		files, err := report.AdviceFiles(a)
		if err != nil {
			return fail(Failed, "the page cannot be made: %w", err)
		}
		if err := folder.store(e, files, x.asJSON); err != nil {
			return err
		}
	}
	if x.asJSON {
		return printJSON(e, a.Record())
	}
	return e.tell(report.Advice(a))
}
