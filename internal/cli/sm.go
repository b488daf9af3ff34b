package cli

import (
	"github.com/spf13/cobra"
)

// newSM is the parent of the verbs of the Subnet Manager.
func newSM(e *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sm",
		Short: "InfiniBand's Subnet Manager",
	}
	cmd.AddCommand(newSMRun(e))
	return cmd
}
