package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/sim/catalog"
	"weft/results"
)

// release is the version that the linker was given, as Dockerfile does; empty: the module's, or the revision.
var release string

// readVersion is the version of the running program.
func readVersion() process.Version {
	v := process.Version{Weft: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if release != "" {
		v.Weft = release
		return v
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if m := info.Main.Version; m != "" {
		v.Weft = m
	}
	if v.Weft != "(devel)" {
		return v
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+changes"
		}
	}
	v.Weft = "devel"
	if revision != "" {
		v.Weft += "-" + revision + modified
	}
	return v
}

// line is the output of weft version and weft --version.
func line(v process.Version) string {
	return fmt.Sprintf("weft %s (%s, %s), results version %d, catalog %.12s\n",
		v.Weft, v.Go, v.Platform, results.ResultsVersion, catalog.Digest())
}

func newVersion(e *process.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  flags.Args(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			v := e.Version
			if asJSON {
				return process.PrintJSON(e, struct {
					Weft          string `json:"weft"`
					Go            string `json:"go"`
					Platform      string `json:"platform"`
					Results       int    `json:"results_version"`
					CatalogDigest string `json:"catalog_sha256"`
				}{v.Weft, v.Go, v.Platform, results.ResultsVersion, catalog.Digest()})
			}
			_, err := fmt.Fprint(e.Stdout, line(v))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// newExitCodes prints the table; weft help exit-codes does too.
func newExitCodes(e *process.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "exit-codes",
		Short: "the meaning of each exit code",
		Long:  exit.Text(),
		Args:  flags.Args(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return process.PrintJSON(e, map[string]any{"exit_codes": exit.Codes})
			}
			_, err := fmt.Fprintln(e.Stdout, exit.Text())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
