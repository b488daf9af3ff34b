package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/doc"
	"weft/internal/face/page"
	"weft/internal/sim/runstore"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
	"weft/scenario"
)

func seriesFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "series", false, "with --out: links, messages and steps over time as Parquet files (docs/SERIES.md)")
}

// seriesOf is the series of a run folder; nil if none is recorded.
type seriesOf struct {
	writer *seriesfile.Writer
	dir    string // with the files until the run ends
	name   string // of the scenario
	left   string // what the report has no room for
}

// recordSeries begins the files of series in a run folder, if they are asked for.
func (e *Env) recordSeries(asked bool, folder *runFolder, r *scenario.Resolved) (*seriesOf, error) {
	if !asked {
		return nil, nil
	}
	if folder == nil {
		return nil, fmt.Errorf("--series needs --out: the files go into the run folder")
	}
	w, err := seriesfile.Create(filepath.Join(folder.staging, results.SeriesFolder), folder.about)
	if err != nil {
		return nil, fail(Failed, "the series cannot be written: %w", err)
	}
	return &seriesOf{writer: w, dir: folder.staging, name: r.Name}, nil
}

// add is the callback of simulations; nil without series.
func (s *seriesOf) add() func(*results.Series) {
	if s == nil {
		return nil
	}
	return s.writer.Add
}

// files completes the files. If they cannot be written the run folder has none.
func (s *seriesOf) files() ([]runstore.File, error) {
	if s == nil {
		return nil, nil
	}
	if err := s.writer.Close(); err != nil {
		return nil, fail(Failed, "the series cannot be written: %w", err)
	}
	return s.writer.Files(), nil
}

// embed adds views of the complete files to a report.
func (s *seriesOf) embed(d *doc.Document, files []runstore.File) (err error) {
	if s != nil && files != nil {
		s.left, err = page.Embed(d, s.dir, s.name)
	}
	return err
}

// wrote names the files of a run folder, unless the results are JSON, and says what the report has no room for.
func (e *Env) wrote(dir string, asJSON bool, s *seriesOf, files ...string) {
	if s != nil {
		files = append(files, results.SeriesFolder+"/")
	}
	if !asJSON {
		e.note("wrote %s: %s\n", dir, strings.Join(files, ", "))
	}
	if s != nil && s.left != "" {
		e.note("%s\n", strings.TrimSpace(s.left))
	}
}
