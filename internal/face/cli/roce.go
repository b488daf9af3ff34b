package cli

import (
	"github.com/spf13/cobra"
)

// newRoCE is the parent of the verbs about the configuration of lossless Ethernet.
func newRoCE(e *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "roce",
		Short: "lossless Ethernet: size buffers, check, lint and export configurations",
	}
	cmd.AddCommand(newHeadroom(e), newRoCECheck(e), newRoCELint(e), newRoCEExport(e), newRoCECollisions(e))
	return cmd
}
