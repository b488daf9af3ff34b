package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/sim/catalog"
	"weft/results"
)

// What the linker was given, as .ci/release and Dockerfile do; empty: what the build information says.
var release, commit, date string

// readVersion is the version of the running program.
func readVersion() process.Version {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info, process.Version{Weft: release, Commit: commit, Date: date})
}

// versionOf is the version that a build's information states. A field that the linker set stands. Information may be nil.
func versionOf(info *debug.BuildInfo, linked process.Version) process.Version {
	v := process.Version{Weft: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info != nil {
		v.Weft = cmp.Or(info.Main.Version, v.Weft)
		modified := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				v.Commit = s.Value
			case s.Key == "vcs.time":
				v.Date = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = "+changes"
			}
		}
		if v.Weft == "(devel)" {
			v.Weft = "devel"
			if v.Commit != "" {
				v.Weft += "-" + short(v.Commit) + modified
			}
		}
		if v.Commit != "" {
			v.Commit += modified
		}
	}
	v.Weft, v.Commit, v.Date = cmp.Or(linked.Weft, v.Weft), cmp.Or(linked.Commit, v.Commit), cmp.Or(linked.Date, v.Date)
	return v
}

// short is the first 12 digits of a commit, with its note of changes.
func short(commit string) string {
	digits, note, changed := strings.Cut(commit, "+")
	digits = digits[:min(12, len(digits))]
	if changed {
		return digits + "+" + note
	}
	return digits
}

// line is the output of weft version and weft --version.
func line(v process.Version) string {
	from := ""
	if v.Commit != "" {
		from = ", commit " + short(v.Commit)
	}
	if v.Date != "" {
		from += " of " + v.Date
	}
	return fmt.Sprintf("weft %s (%s, %s)%s, results version %d, catalog %.12s\n",
		v.Weft, v.Go, v.Platform, from, results.ResultsVersion, catalog.Digest())
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
					Commit        string `json:"commit,omitempty"`
					Date          string `json:"date,omitempty"`
					Image         string `json:"image"`
					Go            string `json:"go"`
					Platform      string `json:"platform"`
					Results       int    `json:"results_version"`
					CatalogDigest string `json:"catalog_sha256"`
				}{v.Weft, v.Commit, v.Date, v.Image(), v.Go, v.Platform, results.ResultsVersion, catalog.Digest()})
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
