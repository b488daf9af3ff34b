package runs

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/scenario"
)

func NewRun(e *simulator.Simulator) *cobra.Command {
	var c overrides.Flags
	var x simulator.Execution
	var show bool
	var hpccDir string
	cmd := &cobra.Command{
		Use:   "run FILE | --hpcc DIR",
		Short: "simulate a scenario, on one fabric or several",
		Long: `Simulates the scenario on its fabrics and prints the results of each. With
--print-scenario it only prints the scenario with every number resolved: from the
file, from presets, and derived.

With --hpcc it simulates a folder of the simulator published with HPCC instead:
config.txt with its topology and flow files, and no other file. --out then receives fct.txt and pfc.txt in that simulator's format.`,
		Example: `  weft run examples/h100-128.yaml --fabric roce-v2-400g --out run
  weft run examples/h100-128.yaml --print-scenario
  weft run --hpcc mix --out mix-weft`,
		Args: func(cmd *cobra.Command, given []string) error {
			if hpccDir != "" {
				return flags.Args(0, 0, "--hpcc DIR")(cmd, given)
			}
			return flags.Args(1, 1, "one scenario file")(cmd, given)
		},
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			if hpccDir != "" {
				if err := refuseScenarioFlags(cmd); err != nil {
					return err
				}
				return runHPCC(&x, cmd.Context(), e, hpccDir, max(1, c.Seed))
			}
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
			x.Contest = true
			return c.Placed(x.Run(cmd.Context(), e, r, tellExplained(&c, e, r, x.Out, given[0])))
		},
	}
	cmd.Flags().BoolVar(&show, "print-scenario", false, "print the resolved scenario and run nothing")
	cmd.Flags().StringVar(&hpccDir, "hpcc", "", "a folder with the config, topology and flow files of the HPCC simulator")
	_ = cmd.MarkFlagDirname("hpcc")
	c.Register(cmd)
	x.Register(e, cmd)
	e.DetailsFlag(cmd)
	return cmd
}

// refuseScenarioFlags refuses flags that change or show a scenario together with --hpcc.
func refuseScenarioFlags(cmd *cobra.Command) error {
	if cmd.Flags().Changed("exact") {
		return errors.New("--exact cannot be used with --hpcc: nothing is skipped there")
	}
	for _, flag := range []string{"print-scenario", "fabric", "algo", "proto", "set", "series", "metrics"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s cannot be used with --hpcc: config.txt of the folder has all settings", flag)
		}
	}
	return nil
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
