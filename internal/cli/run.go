package cli

import (
	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"weft/scenario"
)

func newRun(e *Env) *cobra.Command {
	var c choice
	var x execution
	var show bool
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "simulate a scenario, on one fabric or several",
		Long: `Simulates the scenario on its fabrics and prints what each did. With
--print-scenario it only shows the scenario with every number resolved: what
the file says, what presets say, and what follows from them.`,
		Example: `  weft run examples/h100-128.yaml --fabric roce-v2-400g --out run
  weft run examples/h100-128.yaml --print-scenario`,
		Args:              args(1, 1, "one scenario file"),
		ValidArgsFunction: scenarioArg,
		RunE: func(cmd *cobra.Command, given []string) error {
			r, err := c.load(e, given[0])
			if err != nil {
				return err
			}
			if show {
				return printScenario(e, r, x.json)
			}
			return x.run(cmd.Context(), e, r, tellTables(e, r))
		},
	}
	cmd.Flags().BoolVar(&show, "print-scenario", false, "print the resolved scenario and run nothing")
	c.register(cmd)
	x.register(cmd)
	return cmd
}

func printScenario(e *Env, r *scenario.Resolved, json bool) error {
	text, err := r.MarshalYAML()
	if err == nil && json {
		text, err = yaml.YAMLToJSON(text)
	}
	if err != nil {
		return fail(Defect, "the scenario cannot be printed: %w", err)
	}
	_, err = e.Stdout.Write(text)
	return err
}
