package studies

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/study/advise"
	"weft/internal/study/serve"
)

// NewAdvise is the verb weft advise.
func NewAdvise(e *simulator.Simulator) *cobra.Command {
	x := advising{}
	cmd := &cobra.Command{
		Use:   "advise PROFILE",
		Short: "recommend InfiniBand or RoCE v2, with reasons and their counterfactuals",
		Long: `Plans a network of each fabric for the profile, simulates both, weighs them by the
profile's weights, and recommends one. It prints the strongest reasons, each with a
run in which one input is changed, the reasons against, and the size, price,
oversubscription or skill at which the choice changes. docs/PLAN.md has the rule.

For a serving job (design.job.serving) it says up to which rate of requests each fabric
keeps the limits of first token and tokens, and what to change first.`,
		Example: `  weft advise example:advise
  weft advise example:advise-serve
  weft advise profile.yaml --prices prices.yaml --out advice
  weft advise profile.yaml --set organisation.skills.ethernet=expert --json`,
		Args:              flags.Args(1, 1, "one profile"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE:              func(cmd *cobra.Command, given []string) error { return x.run(cmd.Context(), e, given[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&x.prices, "prices", "", "file with the prices of pieces and electricity (weft plan --init-prices)")
	devicesFlag(cmd, &x.devices)
	flags.OutFolder(cmd, &x.out, "the designs' scenarios, advice.json and report.html")
	f.StringArrayVar(&x.set, "set", nil, "change a field of the profile, such as weights.cost=30; may be repeated")
	f.IntVarP(&x.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&x.asJSON, "json", false, "print as JSON")
	e.ExactFlag(cmd)
	e.ReportFlags(cmd)
	return cmd
}

// advising is the flags of weft advise.
type advising struct {
	prices, out string
	devices     string
	set         []string
	workers     int
	asJSON      bool
}

func (x *advising) run(ctx context.Context, e *simulator.Simulator, path string) error {
	if err := flags.CheckWorkers(x.workers); err != nil {
		return err
	}
	overrides, err := overrides.Of(x.set)
	if err != nil {
		return err
	}
	undo, err := addDevices(e.Env, x.devices)
	if err != nil {
		return err
	}
	defer undo()
	text, err := readDocument(e.Env, path)
	if err != nil {
		return err
	}
	profile, err := advise.Read(path, text, overrides...)
	if err != nil {
		return err
	}
	prices, err := readPrices(e.Env, x.prices)
	if err != nil {
		return err
	}
	folder := process.OwnFolder{Name: x.out, Mark: report.AdviceResult, What: "advice"}
	if err := folder.Open(e.Env); err != nil {
		return err
	}
	defer folder.Close()
	line := e.Working("the advice begins")
	a, err := advise.Make(ctx, profile, prices, advise.Options{
		Simulate: e.Study(), Train: e.Training, Serve: e.Limit, Workers: x.workers,
		Progress: func(p advise.Progress) {
			line.Parts(p.Done, p.Total, "simulations, "+p.What, p.Left)
		},
		First: func(a *advise.Advice) {
			e.ClearLine()
			e.Note("weft: first answer: %s What would change it is simulated now.\n", report.FirstAnswer(a))
		},
	})
	line.End()
	var memory *serve.MemoryError
	switch {
	case ctx.Err() != nil && err != nil:
		return exit.Errorf(exit.Partial, "interrupted before there was an advice")
	case errors.Is(err, advise.ErrNothing), errors.As(err, &memory):
		return err
	case err != nil:
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return x.finish(e, a, &folder)
}

// finish stores the advice, and prints it.
func (x *advising) finish(e *simulator.Simulator, a *advise.Advice, folder *process.OwnFolder) error {
	if x.out != "" {
		files, err := report.AdviceFiles(a)
		if err != nil {
			return exit.Errorf(exit.Failed, "the page cannot be made: %w", err)
		}
		if err := folder.Store(e.Env, files, x.asJSON); err != nil {
			return err
		}
	}
	err := e.Present(report.Advice(a), x.asJSON, a.Record())
	if err == nil && a.Partial {
		return exit.Errorf(exit.Partial, "interrupted: the advice has no counterfactuals and no turning points")
	}
	return err
}
