package roce

import (
	"github.com/spf13/cobra"

	"weft/internal/face/cli/simulator"
)

// NewRoCE is the parent of the verbs about the configuration of lossless Ethernet.
func NewRoCE(e *simulator.Simulator) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "roce",
		Short: "lossless Ethernet: size buffers, check, lint and export configurations",
	}
	cmd.AddCommand(newHeadroom(e.Env), newRoCECheck(e), newRoCELint(e), newRoCEExport(e.Env), newRoCECollisions(e))
	return cmd
}
