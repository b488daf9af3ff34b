package cli

import (
	"github.com/spf13/cobra"

	"weft/internal/report"
	"weft/internal/runstore"
	"weft/scenario"
)

func newCompare(e *Env) *cobra.Command {
	var c choice
	var x execution
	cmd := &cobra.Command{
		Use:   "compare FILE",
		Short: "simulate a scenario on several fabrics and lay them side by side",
		Long: `Simulates the scenario on each of its fabrics, prints time, bandwidth, tail and
what the network did side by side, and says which fabric wins where and why.
With --out it also writes a run folder, with a page for the browser.`,
		Example: `  weft compare examples/h100-128.yaml
  weft compare examples/h100-128.yaml --out run --fabric infiniband-ndr,roce-v2-400g
  weft compare examples/h100-128.yaml --set topology.oversubscription=2 --json`,
		Args:              args(1, 1, "one scenario file"),
		ValidArgsFunction: scenarioArg,
		RunE: func(cmd *cobra.Command, given []string) error {
			r, err := c.loadWorkload(e, given[0])
			if err != nil {
				return err
			}
			return c.placed(x.run(cmd.Context(), e, r, tellTables(e, r)))
		},
	}
	c.register(cmd)
	x.register(cmd)
	return cmd
}

// tellTables prints the tables and the sentences.
func tellTables(e *Env, r *scenario.Resolved) func(*runstore.Results) error {
	return func(results *runstore.Results) error {
		return report.Terminal(e.Stdout, results, r, e.style())
	}
}
