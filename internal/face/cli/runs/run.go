package runs

import (
	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/scenario"
)

// NewRun is the verb weft run.
func NewRun(e *simulator.Simulator) *cobra.Command {
	var c overrides.Flags
	var x simulator.Execution
	var show bool
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "simulate a scenario, on one fabric or several",
		Long: `Simulates the scenario on its fabrics and prints the results of each: what weft
compare prints, without a verdict and its tests. With --print-scenario it only
prints the scenario with every number resolved: from the file, from presets, and
derived.`,
		Example: `  weft run example:h100-128 --fabric roce-v2-400g --out run
  weft run example:h100-128 --print-scenario`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			if show {
				r, err := c.Load(e.Env, given[0])
				if err != nil {
					return err
				}
				return printScenario(e, r, x.JSON)
			}
			r, err := c.LoadWorkload(e.Env, given[0])
			if err != nil {
				return err
			}
			return compare(cmd.Context(), e, r, &c, &x, given[0])
		},
	}
	cmd.Flags().BoolVar(&show, "print-scenario", false, "print the resolved scenario and run nothing")
	c.Register(cmd)
	x.Register(e, cmd)
	e.DetailsFlag(cmd)
	return cmd
}

func printScenario(e *simulator.Simulator, r *scenario.Resolved, json bool) error {
	text, err := r.MarshalYAML()
	if err == nil && json {
		text, err = yamlToJSON(text)
	}
	if err != nil {
		return exit.Errorf(exit.Defect, "the scenario cannot be printed: %w", err)
	}
	_, err = e.Stdout.Write(text)
	return err
}
