package infiniband

import (
	"github.com/spf13/cobra"

	"weft/internal/face/cli/process"
)

// NewSM is the verb weft sm.
func NewSM(e *process.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sm",
		Short: "Subnet Manager: compute, prove and compare tables, manage a fabric",
		Example: `  weft sm route cluster.topo -o tables
  weft sm check cluster.topo opensm-lfts.dump
  weft sm diff cluster.topo before/ after/
  weft sm bringup example:h100-128 --fabric infiniband-ndr
  weft sm conf example:two-classes -o opensm.conf
  weft sm run --ibsim --socket sim`,
	}
	cmd.AddCommand(newSMRoute(e), newSMCheck(e), newSMDiff(e), newSMRun(e), newSMBringUp(e), newSMConf(e))
	return cmd
}
