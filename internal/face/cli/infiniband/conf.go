package infiniband

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/ib/qos"
	"weft/internal/sim/protocol"
	"weft/scenario"
)

func newSMConf(e *process.Env) *cobra.Command {
	var c overrides.Flags
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "conf FILE",
		Short: "write a scenario's lanes and their arbitration as QoS keys of opensm.conf",
		Long: `Writes the virtual lanes of a scenario's first InfiniBand fabric in OpenSM's format
(opensm -F): their number, the lane of each service level, the weights in both
arbitration tables, and the limit of high priority. A scenario reads the file by
ib.opensm-conf.`,
		Example: `  weft sm conf example:two-classes
  weft sm conf example:two-classes -o opensm.conf`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := c.Load(e, given[0])
			if err != nil {
				return err
			}
			config, err := qosOfScenario(r)
			if err != nil {
				return err
			}
			return e.Deliver(out, asJSON, map[string]any{"format": "opensm.conf"}, func(w io.Writer) error { return qos.Write(w, config) })
		},
	}
	flags.Out(cmd, &out, "the keys", "they are printed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "describe the output as JSON")
	c.RegisterFields(cmd)
	flags.Absent(cmd, flags.NoSimulation, "algo", "proto", "error", "seed")
	return cmd
}

// qosOfScenario is the quality of service of a scenario's first InfiniBand fabric.
func qosOfScenario(r *scenario.Resolved) (*qos.Config, error) {
	for i := range r.Fabrics {
		if f := &r.Fabrics[i]; protocol.Of(f.Kind).SubnetManager {
			return scenario.QoSConf(f), nil
		}
	}
	return nil, fmt.Errorf("the scenario has no InfiniBand fabric, so there is no opensm.conf")
}
