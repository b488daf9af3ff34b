package simulator

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/doc"
	"weft/internal/face/page"
	"weft/internal/sim/runstore"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
	"weft/scenario"
)

// SeriesFlag registers the flag for files of links and messages over time.
func SeriesFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "series", false, "with --out: links, messages and steps over time as Parquet files (docs/UI.md)")
}

// SeriesOf is the series of a run folder; nil if none is recorded.
type SeriesOf struct {
	writer *seriesfile.Writer
	dir    string // with the files until the run ends
	name   string // of the scenario
	left   string // what the report has no room for
}

// RecordSeries begins the files of series in a run folder, if they are asked for.
func (e *Simulator) RecordSeries(asked bool, folder *RunFolder, r *scenario.Resolved) (*SeriesOf, error) {
	if !asked {
		return nil, nil
	}
	if folder == nil {
		return nil, fmt.Errorf("--series needs --out: the files go into the run folder")
	}
	w, err := seriesfile.Create(filepath.Join(folder.staging, results.SeriesFolder), folder.about)
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "the series cannot be written: %w", err)
	}
	return &SeriesOf{writer: w, dir: folder.staging, name: r.Name}, nil
}

// Add is the callback of simulations; nil without series.
func (s *SeriesOf) Add() func(*results.Series) {
	if s == nil {
		return nil
	}
	return s.writer.Add
}

// Files completes the files. If they cannot be written the run folder has none.
func (s *SeriesOf) Files() ([]runstore.File, error) {
	if s == nil {
		return nil, nil
	}
	if err := s.writer.Close(); err != nil {
		return nil, exit.Errorf(exit.Failed, "the series cannot be written: %w", err)
	}
	return s.writer.Files(), nil
}

// Embed adds views of the complete files to a report.
func (s *SeriesOf) Embed(d *doc.Document, files []runstore.File) (err error) {
	if s != nil && files != nil {
		s.left, err = page.Embed(d, s.dir, s.name)
	}
	return err
}

// Wrote names the files of a run folder, unless the results are JSON, and says what the report has no room for.
func (e *Simulator) Wrote(dir string, asJSON bool, s *SeriesOf, files ...string) {
	if s != nil {
		files = append(files, results.SeriesFolder+"/")
	}
	if !asJSON {
		e.Note("wrote %s: %s\n", dir, strings.Join(files, ", "))
	}
	if s != nil && s.left != "" {
		e.Note("%s\n", strings.TrimSpace(s.left))
	}
}
