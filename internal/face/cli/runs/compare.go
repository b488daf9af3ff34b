package runs

import (
	"context"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/results"
	"weft/scenario"
)

// NewCompare is the verb weft compare.
func NewCompare(e *simulator.Simulator) *cobra.Command {
	var c overrides.Flags
	var x simulator.Execution
	var seeds int
	cmd := &cobra.Command{
		Use:   "compare FILE",
		Short: "simulate a scenario on several fabrics, side by side",
		Long: `Simulates the scenario on each of its fabrics, and says which to choose, which leads
at which sizes, why, and how sure that is; then it prints time and bandwidth side by
side. A reason is a property that takes at least half of the lead away when the slower
fabric takes it from the faster: weft simulates that. It also simulates the other
readings that the catalog has for values that are not known. With --details it prints
these tests, the values that the fabrics do not share, the tails and the counters.
With --out it writes a run folder with a complete page for the browser.

Chance decides differences of a few per cent. So jitter (run.jitter) is on, and each
size is simulated with several seeds, from run.seed on, the same ones on every fabric.
--seeds sets their number; the default is as many as 10,000,000 packet-hops of the
size allow, 3 to 5. Where a seed draws more than jitter (paths of ECMP, marks, losses,
traffic), it is as many as 20,000,000 allow, 10 to 16. If they allow fewer, there is
one run, and the verdict leaves the size out. Times are means with 95 % intervals, and
a lead is claimed only if the interval of the ratio shows one. --seeds 1 is one run of
the unchanged scenario, as weft run makes it: no lead is claimed.`,
		Example: `  weft compare example:h100-128
  weft compare example:h100-128 --out run --fabric infiniband-ndr,roce-v2-400g
  weft compare example:h100-128 --set topology.oversubscription=2 --json`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			r, err := c.LoadWorkload(e.Env, given[0])
			if err != nil {
				return err
			}
			if x.Seeds = seeds; seeds == 0 {
				x.Seeds = weft.AutoSeeds
			}
			r.Run.Jitter = r.Run.Jitter || seeds != 1
			return compare(cmd.Context(), e, r, &c, &x, given[0])
		},
	}
	flags.CountVar(cmd.Flags(), &seeds, "seeds", 0, 1, weft.MaxSeeds, "seeds of each size, with jitter; 1: one run of the unchanged scenario (default: 5, or 16 with random paths, marks, losses or traffic; fewer of long runs)")
	_ = cmd.RegisterFlagCompletionFunc("seeds", cobra.NoFileCompletions)
	c.Register(cmd)
	x.Register(e, cmd)
	e.DetailsFlag(cmd)
	return cmd
}

// compare simulates a scenario, tests the leads, and prints the comparison of its fabrics: weft run is
// weft compare with one seed. The scenario came from the file.
func compare(ctx context.Context, e *simulator.Simulator, r *scenario.Resolved, c *overrides.Flags, x *simulator.Execution, file string) error {
	x.Contest = true
	return c.Placed(x.Run(ctx, e, r, func(outcome *results.Results) error {
		return e.Tell(report.Explained(report.Comparison(outcome, r, nil), explains(c, outcome, x.Out, file)))
	}))
}
