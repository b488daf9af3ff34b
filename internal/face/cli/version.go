package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"weft/internal/sim/catalog"
	"weft/results"
)

// Version is the versions that the program was built from.
type Version struct {
	Weft     string // version of the module, or its revision
	Go       string
	Platform string
}

// release is the version that the linker was given, as Dockerfile does; empty: the module's, or the revision.
var release string

// ReadVersion is the version of the running program.
func ReadVersion() Version {
	v := Version{Weft: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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
func (v Version) line() string {
	return fmt.Sprintf("weft %s (%s, %s), results version %d, catalog %.12s\n",
		v.Weft, v.Go, v.Platform, results.ResultsVersion, catalog.Digest())
}

func newVersion(e *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  args(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			v := e.Version
			if asJSON {
				return printJSON(e, struct {
					Weft          string `json:"weft"`
					Go            string `json:"go"`
					Platform      string `json:"platform"`
					Results       int    `json:"results_version"`
					CatalogDigest string `json:"catalog_sha256"`
				}{v.Weft, v.Go, v.Platform, results.ResultsVersion, catalog.Digest()})
			}
			_, err := fmt.Fprint(e.Stdout, v.line())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
