package infiniband

import (
	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/report"
	"weft/internal/sim/run/control"
)

func newSMBringUp(e *process.Env) *cobra.Command {
	var c overrides.Flags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bringup FILE",
		Short: "the time that a Subnet Manager takes to bring up a scenario's fabrics",
		Long: `bringup simulates weft's Subnet Manager on a fabric at power-on: each datagram goes
over its cables and switches, agents and manager need time for each, and tables need
time to compute. The times are the scenario's (control.sm); weft catalog default shows
their sources.`,
		Example: `  weft sm bringup example:h100-128
  weft sm bringup example:superpod-1su --set control.sm.window=32 --set control.sm.agent=50us`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := c.Load(e, given[0])
			if err != nil {
				return err
			}
			out, err := control.BringUp(r)
			if err != nil {
				return err
			}
			text, err := out.Encode()
			if err != nil {
				return exit.Errorf(exit.Defect, "the times cannot be printed: %w", err)
			}
			return e.Present(report.BringUp(out), asJSON, text)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the times as JSON, in the form of results.json")
	c.RegisterFields(cmd)
	flags.Absent(cmd, flags.NoCollective, "algo", "proto", "error")
	flags.Absent(cmd, "nothing is random there", "seed")
	e.PageFlag(cmd)
	return cmd
}
