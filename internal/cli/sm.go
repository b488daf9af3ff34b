package cli

import "github.com/spf13/cobra"

func newSM(e *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sm",
		Short: "InfiniBand's Subnet Manager: compute, prove and compare forwarding tables",
		Example: `  weft sm route cluster.topo -o tables
  weft sm check cluster.topo opensm-lfts.dump
  weft sm diff cluster.topo before/ after/`,
	}
	cmd.AddCommand(newSMRoute(e), newSMCheck(e), newSMDiff(e))
	return cmd
}
