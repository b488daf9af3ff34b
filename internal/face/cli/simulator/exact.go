package simulator

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/doc"
	"weft/results"
	"weft/scenario"
)

// ExactFlag registers the flag for skipping. The runner of the environment obeys it.
func (e *Simulator) ExactFlag(cmd *cobra.Command) {
	cmd.Flags().TextVar(&e.Exact, "exact", weft.ExactOn, "skip periods that repeat an earlier one exactly (`on|off|check`); results do not depend on it, and check proves it by running both ways")
	_ = cmd.RegisterFlagCompletionFunc("exact", cobra.FixedCompletions([]string{"on", "off", "check"}, cobra.ShellCompDirectiveNoFileComp))
}

// StepsExactUsage describes --exact of verbs that can put a workload together from its parts.
const StepsExactUsage = "skip periods that repeat an earlier one exactly (`on|off|check`); check, with --whole, runs both ways and fails on a difference"

// CheckSteps refuses a check of parts.
func (e *Simulator) CheckSteps(whole bool) error {
	if e.Exact == weft.ExactCheck && !whole {
		return errors.New("--exact check: it compares a workload that is simulated as it comes: add --whole")
	}
	return nil
}

// ExactArgs are the arguments for a process that simulates for this one.
func (e *Simulator) ExactArgs() []string {
	if e.Exact == weft.ExactOn {
		return nil
	}
	text, _ := e.Exact.MarshalText() // a value that the flag has read
	return []string{"--exact", string(text)}
}

// obeyingExact is a runner that obeys --exact.
func (e *Simulator) obeyingExact(run Runner) Runner {
	return func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
		o.Exact = e.Exact
		return run(ctx, r, o)
	}
}

// skipped says what the run has not simulated, because it repeats itself. It is no part of the results, which
// are the same without it. failed is the run's error.
func (e *Simulator) skipped(results *results.Results, failed error) {
	e.SkippedPeriods(results.Skipped(), failed)
}

// SkippedPeriods says which periods were not simulated, and of a check without an error that it has found no difference.
func (e *Simulator) SkippedPeriods(s results.Skipped, failed error) {
	if e.Exact == weft.ExactCheck && failed == nil {
		e.Note("--exact check: every simulation has the same results with and without skipping\n")
	}
	periods := "periods, which repeat earlier ones"
	switch s.Periods {
	case 0:
		return
	case 1:
		periods = "period, which repeats an earlier one"
	}
	e.Note("skipped %s %s exactly: %v of %v of simulated time\n", doc.Integer(s.Periods), periods, s.Time, s.Of)
}
