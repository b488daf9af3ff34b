package simulator

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"weft/internal/face/cli/exit"
	"weft/internal/face/doc"
	"weft/internal/sim/catalog"
	"weft/internal/sim/runstore"
	"weft/results"
)

// Conclusion is the error, with its exit code, of a study that has results: whether it was stopped, or a part of it
// failed.
func Conclusion(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return exit.Errorf(exit.Partial, "stopped: the results are partial")
	case err != nil:
		return exit.Errorf(exit.Failed, "the run failed: %w", err)
	}
	return nil
}

// encoded are results that have a layout in JSON.
type encoded interface{ Encode() ([]byte, error) }

// Concluded is a study that has ended with results: what is kept of it, and printed.
type Concluded struct {
	Document *doc.Document
	Results  encoded
	Err      error // of conclusion
	AsJSON   bool
	// Folder is that of --out, called name; nil without one. It has the resolved scenario and the circumstances.
	Folder   *RunFolder
	Name     string
	Resolved []byte
	Meta     Circumstances
}

// PresentRun stores the results of a study, and prints them.
func (e *Simulator) PresentRun(c *Concluded) error {
	results, err := c.Results.Encode()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	stored := c.store(e, results) // the folder comes first: a closed pipe ends the program during the output
	return cmp.Or(stored, e.Present(c.Document, c.AsJSON, results), c.Err)
}

// store writes the run folder, if there is one.
func (c *Concluded) store(e *Simulator, results []byte) error {
	if c.Folder == nil {
		return nil
	}
	var page bytes.Buffer
	if err := c.Document.HTML(&page); err != nil {
		return exit.Errorf(exit.Failed, "the page cannot be made: %w", err)
	}
	c.Meta.Failed = c.Err
	files := []runstore.File{
		{Name: runstore.ScenarioFile, Text: c.Resolved}, {Name: runstore.ResultsFile, Text: results}, {Name: runstore.ReportFile, Text: page.Bytes()},
	}
	if err := c.Folder.Seal(files, e.Meta(&c.Meta)); err != nil {
		return exit.Errorf(exit.Failed, "the results cannot be written to %s: %w", c.Name, err)
	}
	e.Wrote(c.Name, c.AsJSON, nil, runstore.ScenarioFile, runstore.ResultsFile, runstore.MetaFile, runstore.ReportFile)
	return nil
}

// Circumstances are what may differ between equal runs.
type Circumstances struct {
	Seed    uint64
	Started time.Time
	Wall    time.Duration
	Events  int64
	Skipped results.Skipped
	Workers int // 0 is all cores
	Failed  error
}

// Meta is the folder's description of a run.
func (e *Simulator) Meta(c *Circumstances) runstore.Meta {
	m := e.identity(c.Seed)
	m.Started, m.WallSeconds = c.Started.UTC().Format(time.RFC3339), c.Wall.Round(time.Millisecond).Seconds()
	m.Events, m.Skipped, m.Cores, m.Workers = c.Events, runstore.MetaOf(c.Skipped), e.Cores, cmp.Or(c.Workers, e.Cores)
	m.Partial = exit.CodeOf(c.Failed) == exit.Partial
	if c.Failed != nil {
		m.Error = c.Failed.Error()
	}
	if s := c.Wall.Seconds(); s > 0 {
		m.EventsPerSec = float64(int64(float64(c.Events-c.Skipped.Events) / s))
	}
	return m
}

// identity is what meta.json says of a run before it begins.
func (e *Simulator) identity(seed uint64) runstore.Meta {
	return runstore.Meta{
		Weft: e.Version.Weft, Go: e.Version.Go, Platform: e.Version.Platform, CatalogDigest: catalog.Digest(),
		Command: append([]string{"weft"}, e.Args...), Seed: seed,
	}
}
