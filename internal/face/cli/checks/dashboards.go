package checks

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/formats/metrics"
)

// NewDashboards is the verb weft dashboards.
func NewDashboards(e *process.Env) *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "dashboards",
		Short: "Grafana dashboards over the metrics of weft and of real clusters",
		Long: `Writes dashboards of Grafana as JSON: the ports of NICs, RoCE's counters, and NCCL's bus
bandwidth. They use the names of the original exporters, so they show a real cluster as well as
a run with --metrics, whose rates are per second of simulated time.`,
		Example: "  weft dashboards --out dashboards",
		Args:    flags.Args(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			all, err := metrics.Dashboards()
			if err != nil {
				return exit.Errorf(exit.Defect, "%w", err)
			}
			if err := os.MkdirAll(e.Path(out), 0o755); err != nil {
				return process.Unwritable(out, err)
			}
			var files []string
			for _, d := range all {
				name := filepath.Join(out, d.Name+".json")
				if err := e.WriteText(name, d.JSON); err != nil {
					return err
				}
				files = append(files, filepath.ToSlash(name))
			}
			if asJSON {
				return process.PrintJSON(e, map[string]any{"files": files})
			}
			e.Note("wrote %s\n", strings.Join(files, ", "))
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "dashboards", "folder for the files")
	_ = cmd.MarkFlagDirname("out")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the names of the files as JSON")
	return cmd
}
