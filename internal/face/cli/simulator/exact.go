package simulator

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/results"
	"weft/scenario"
)

// ExactFlag registers the flag for skipping. The runner of the environment obeys it.
func (e *Simulator) ExactFlag(cmd *cobra.Command) {
	cmd.Flags().TextVar(&e.Exact, "exact", weft.ExactOn, "`on|off|check`: skip periods of a simulation that repeat an earlier one exactly; results do not depend on it, and check runs each simulation both ways to prove it")
	_ = cmd.RegisterFlagCompletionFunc("exact", cobra.FixedCompletions([]string{"on", "off", "check"}, cobra.ShellCompDirectiveNoFileComp))
}

// StepsExactUsage describes --exact of verbs that can put a workload together from its parts, which skip nothing.
const StepsExactUsage = "`on|off|check`: skip what repeats itself in a workload that is simulated as a whole; check runs it both ways and fails on a difference"

// CheckSteps refuses a check of parts, which skip nothing.
func (e *Simulator) CheckSteps(whole bool) error {
	if e.Exact == weft.ExactCheck && !whole {
		return errors.New("--exact check: the parts of a workload skip nothing, so that there is nothing to compare: add --whole")
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

// SkipFlag registers the flag for estimation. The runner of the environment obeys it.
func (e *Simulator) SkipFlag(cmd *cobra.Command) {
	cmd.Flags().TextVar(&e.Skip, "skip", weft.Skip{}, "`rate=BOUND`: leave out parts of a collective as far as its rates are steady within a bound, such as 1%; results are then estimates, and say of which part")
	_ = cmd.RegisterFlagCompletionFunc("skip", cobra.FixedCompletions([]string{"rate=1%", "rate=5%"}, cobra.ShellCompDirectiveNoFileComp))
}

// CheckSkip refuses what cannot go together with an estimate.
func (e *Simulator) CheckSkip() error {
	switch {
	case !e.Skip.On():
	case e.Exact == weft.ExactCheck:
		return errors.New("--skip with --exact check: an estimate is not equal to the simulation: leave one of them out")
	case e.Sharing != nil:
		return fmt.Errorf("--skip with %s: estimates are not shared: leave one of them out", shareVariable)
	}
	return nil
}

// checkSkip refuses what cannot go together with an estimate.
func (x *Execution) checkSkip(e *Simulator) error {
	if err := e.CheckSkip(); err != nil || !e.Skip.On() {
		return err
	}
	switch {
	case x.Series:
		return errors.New("--skip with --series: an estimate has no course over time: leave one of them out")
	case x.Metrics != "":
		return errors.New("--skip with --metrics: an estimate has no course over time: leave one of them out")
	}
	return nil
}

// inWay is a runner that obeys --exact and --skip.
func (e *Simulator) inWay(run Runner) Runner {
	return func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
		o.Exact = e.Exact
		if e.Skip.On() { // else a sweep's folder may say so
			o.Skip = e.Skip
		}
		return run(ctx, r, o)
	}
}

// skipped says what the run has not simulated, because it repeats itself. It is no part of the results, which
// are the same without it. failed is the run's error.
func (e *Simulator) skipped(results *results.Results, failed error) {
	s := results.Skipped()
	if s.Nodes > 0 {
		e.Note("%s nodes of the ring do what others do at every instant: they were not simulated\n", doc.Integer(s.Nodes))
	}
	e.SkippedPeriods(s, failed)
	if text := report.Estimated(results); text != "" {
		e.Note("%s\n", text)
	}
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
