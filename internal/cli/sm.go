package cli

import "github.com/spf13/cobra"

func newSM(e *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sm",
		Short: "InfiniBand's Subnet Manager: prove and compare forwarding tables",
		Example: `  weft sm check cluster.topo opensm-lfts.dump
  weft sm diff cluster.topo before/ after/`,
	}
	cmd.AddCommand(newSMCheck(e), newSMDiff(e))
	return cmd
}
