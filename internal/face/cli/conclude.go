package cli

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"weft/internal/face/doc"
	"weft/internal/sim/catalog"
	"weft/internal/sim/runstore"
	"weft/results"
)

// conclusion is the error, with its exit code, of a study that has results: whether it was stopped, or a part of it
// failed.
func conclusion(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return fail(Partial, "stopped: the results are partial")
	case err != nil:
		return fail(Failed, "the run failed: %w", err)
	}
	return nil
}

// encoded are results that have a layout in JSON.
type encoded interface{ Encode() ([]byte, error) }

// concluded is a study that has ended with results: what is kept of it, and printed.
type concluded struct {
	document *doc.Document
	results  encoded
	err      error // of conclusion
	asJSON   bool
	// folder is that of --out, called name; nil without one. It has the resolved scenario and the circumstances.
	folder   *runFolder
	name     string
	resolved []byte
	meta     circumstances
}

// presentRun stores the results of a study, and prints them.
func (e *Env) presentRun(c *concluded) error {
	results, err := c.results.Encode()
	if err != nil {
		return fail(Failed, "%w", err)
	}
	stored := c.store(e, results) // the folder comes first: a closed pipe ends the program during the output
	return cmp.Or(stored, e.present(c.document, c.asJSON, results), c.err)
}

// store writes the run folder, if there is one.
func (c *concluded) store(e *Env, results []byte) error {
	if c.folder == nil {
		return nil
	}
	var page bytes.Buffer
	if err := c.document.HTML(&page); err != nil {
		return fail(Failed, "the page cannot be made: %w", err)
	}
	c.meta.failed = c.err
	files := []runstore.File{
		{Name: runstore.ScenarioFile, Text: c.resolved}, {Name: runstore.ResultsFile, Text: results}, {Name: runstore.ReportFile, Text: page.Bytes()},
	}
	if err := c.folder.Seal(files, e.meta(&c.meta)); err != nil {
		return fail(Failed, "the results cannot be written to %s: %w", c.name, err)
	}
	e.wrote(c.name, c.asJSON, nil, runstore.ScenarioFile, runstore.ResultsFile, runstore.MetaFile, runstore.ReportFile)
	return nil
}

// circumstances are what may differ between equal runs.
type circumstances struct {
	seed    uint64
	started time.Time
	wall    time.Duration
	events  int64
	skipped results.Skipped
	workers int // 0 is all cores
	failed  error
}

// meta is the folder's description of a run.
func (e *Env) meta(c *circumstances) runstore.Meta {
	m := e.identity(c.seed)
	m.Started, m.WallSeconds = c.started.UTC().Format(time.RFC3339), c.wall.Round(time.Millisecond).Seconds()
	m.Events, m.Skipped, m.Cores, m.Workers = c.events, runstore.MetaOf(c.skipped), e.Cores, cmp.Or(c.workers, e.Cores)
	m.Partial = codeOf(c.failed) == Partial
	if c.failed != nil {
		m.Error = c.failed.Error()
	}
	if s := c.wall.Seconds(); s > 0 {
		m.EventsPerSec = float64(int64(float64(c.events-c.skipped.Events) / s))
	}
	return m
}

// identity is what meta.json says of a run before it begins.
func (e *Env) identity(seed uint64) runstore.Meta {
	return runstore.Meta{
		Weft: e.Version.Weft, Go: e.Version.Go, Platform: e.Version.Platform, CatalogDigest: catalog.Digest(),
		Command: append([]string{"weft"}, e.Args...), Seed: seed,
	}
}
