package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/doc"
	"weft/results"
	"weft/scenario"
)

// exactFlag registers the flag for skipping. The runner of the environment obeys it.
func (e *Env) exactFlag(cmd *cobra.Command) {
	cmd.Flags().TextVar(&e.exact, "exact", weft.ExactOn, "`on|off|check`: skip periods of a simulation that repeat an earlier one exactly; results do not depend on it, and check runs each simulation both ways to prove it")
	_ = cmd.RegisterFlagCompletionFunc("exact", cobra.FixedCompletions([]string{"on", "off", "check"}, cobra.ShellCompDirectiveNoFileComp))
}

// stepsExact describes --exact of verbs that can put a workload together from its parts.
const stepsExact = "`on|off|check`: skip periods of a simulation that repeat an earlier one exactly; check, with --whole, runs the workload both ways and fails on a difference"

// stepsExact refuses a check of parts.
func (e *Env) stepsExact(whole bool) error {
	if e.exact == weft.ExactCheck && !whole {
		return errors.New("--exact check: it compares a workload that is simulated as it comes: add --whole")
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

// obeyingExact is a runner that obeys --exact.
func (e *Env) obeyingExact(run Runner) Runner {
	return func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
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

// noCollective, noSimulation and ncclChooses are why a verb has no flag for a collective or for randomness.
const (
	noCollective = "no collective runs there"
	noSimulation = "nothing is simulated there"
	ncclChooses  = "NCCL chooses for each collective of the job; nccl.tuner changes its choice"
)

// absent says of verbs why they have no such flag, which similar verbs have.
var absent = map[string]map[string]string{
	"train":    {"algo": ncclChooses, "proto": ncclChooses},
	"replay":   {"algo": ncclChooses, "proto": ncclChooses},
	"serve":    {"algo": noCollective, "proto": noCollective},
	"emulate":  {"algo": noCollective, "proto": noCollective},
	"bringup":  {"algo": noCollective, "proto": noCollective, "seed": "nothing is random there"},
	"conf":     {"algo": noSimulation, "proto": noSimulation, "seed": noSimulation},
	"topology": {"algo": noSimulation, "proto": noSimulation, "seed": noSimulation},
	"check":    {"algo": noSimulation, "proto": noSimulation, "seed": noSimulation},
	"export":   {"algo": noSimulation, "proto": noSimulation, "seed": noSimulation},
}

// aboutAbsent completes an error about a flag that a verb does not have.
func aboutAbsent(c *cobra.Command, text string) string {
	flag, _ := strings.CutPrefix(text, "unknown flag: --")
	if why := absent[c.Name()][flag]; why != "" {
		return ": " + why
	}
	return ""
}

// skipped says what the run has not simulated, because it repeats itself. It is no part of the results, which
// are the same without it. failed is the run's error.
func (e *Env) skipped(results *results.Results, failed error) {
	e.skippedPeriods(results.Skipped(), failed)
}

// skippedPeriods says which periods were not simulated, and of a check without an error that it has found no difference.
func (e *Env) skippedPeriods(s results.Skipped, failed error) {
	if e.exact == weft.ExactCheck && failed == nil {
		e.note("--exact check: every simulation has the same results with and without skipping\n")
	}
	periods := "periods, which repeat earlier ones"
	switch s.Periods {
	case 0:
		return
	case 1:
		periods = "period, which repeats an earlier one"
	}
	e.note("skipped %s %s exactly: %v of %v of simulated time\n", doc.Integer(s.Periods), periods, s.Time, s.Of)
}
