package setup

import (
	"io"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/schema"
)

// NewSchema is the verb weft schema.
func NewSchema(e *process.Env) *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "the JSON schema of a scenario, for an editor",
		Long: `Prints the JSON schema of a scenario. An editor with a YAML language server checks and
completes a scenario by it, if the first line of the scenario is
# yaml-language-server: $schema=scenario.schema.json`,
		Example: "  weft schema -o scenario.schema.json",
		Args:    flags.Args(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			return e.Deliver(out, asJSON, map[string]any{}, func(w io.Writer) error {
				_, err := w.Write(schema.Scenario)
				return err
			})
		},
	}
	flags.Out(cmd, &out, "the schema", "standard output", "json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON, with the schema as a text")
	return cmd
}
