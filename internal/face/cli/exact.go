package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// exactFlag registers the flag for skipping. The runner of the environment obeys it.
func (e *Env) exactFlag(cmd *cobra.Command) {
	cmd.Flags().TextVar(&e.exact, "exact", weft.ExactOn, "`on|off|check`: skip periods of a simulation that repeat an earlier one exactly; results do not depend on it, and check runs each simulation both ways to prove it")
	_ = cmd.RegisterFlagCompletionFunc("exact", cobra.FixedCompletions([]string{"on", "off", "check"}, cobra.ShellCompDirectiveNoFileComp))
}

// stepsExact describes --exact of verbs that can put a workload together from its parts, which skip nothing.
const stepsExact = "`on|off|check`: skip what repeats itself in a workload that is simulated as a whole; check runs it both ways and fails on a difference"

// stepsExact refuses a check of parts, which skip nothing.
func (e *Env) stepsExact(whole bool) error {
	if e.exact == weft.ExactCheck && !whole {
		return errors.New("--exact check: the parts of a workload skip nothing, so that there is nothing to compare: add --whole")
	}
	return nil
}

// exactArgs are the arguments for a process that simulates for this one.
func (e *Env) exactArgs() []string {
	if e.exact == weft.ExactOn {
		return nil
	}
	text, _ := e.exact.MarshalText() // a value that the flag has read
	return []string{"--exact", string(text)}
}

// inWay is a runner that obeys --exact.
func (e *Env) inWay(run Runner) Runner {
	return func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*runstore.Results, error) {
		o.Exact = e.exact
		return run(ctx, r, o)
	}
}

// aboutExact completes an error about --exact, which once was what --whole is.
func aboutExact(c *cobra.Command, text string) string {
	switch {
	case !strings.Contains(text, "--exact"):
		return ""
	case c.Flags().Lookup("whole") != nil:
		return "\n--exact takes on, off or check; the whole step in one simulation is --whole"
	case strings.HasPrefix(text, "flag needs an argument"):
		return ": on, off or check"
	}
	return ""
}

// skipped says what the run has not simulated, because it repeats itself. It is no part of the results, which
// are the same without it.
func (e *Env) skipped(results *runstore.Results) {
	s := results.Skipped()
	if s.Nodes > 0 {
		e.note("%s nodes of the ring do what others do at every instant: they were not simulated\n", doc.Integer(s.Nodes))
	}
	if s.Periods > 0 {
		e.note("%s\n", skippedText(s, s.Of))
	}
}

// skippedText is the part of a simulated time that was skipped.
func skippedText(s runstore.Skipped, of units.Time) string {
	periods := "periods, which repeat earlier ones"
	if s.Periods == 1 {
		periods = "period, which repeats an earlier one"
	}
	return fmt.Sprintf("skipped %s %s exactly: %v of %v of simulated time", doc.Integer(s.Periods), periods, s.Time, of)
}
