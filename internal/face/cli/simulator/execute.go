package simulator

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/study/contest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Execution is the flags and the steps of a verb that simulates: the output folder first, then the
// run, then the output.
type Execution struct {
	Out     string
	Workers int
	JSON    bool
	Series  bool
	Metrics string
	Seeds   int                 // as in weft.Options
	Contest bool                // leads are tested
	Each    func(weft.Finished) // called with each simulation that has ended; may be nil
}

// Register registers the flags of an execution.
func (x *Execution) Register(e *Simulator, cmd *cobra.Command) {
	f := cmd.Flags()
	flags.OutFolder(cmd, &x.Out, "scenario.yaml, results.json, meta.json and report.html")
	f.IntVarP(&x.Workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&x.JSON, "json", false, "print as JSON")
	e.ExactFlag(cmd)
	SeriesFlag(cmd, &x.Series)
	MetricsFlag(cmd, &x.Metrics)
	e.PageFlag(cmd)
	flags.Absent(cmd, "one seed is simulated; weft compare FILE --seeds repeats each size", "seeds")
	_ = cmd.RegisterFlagCompletionFunc("workers", cobra.NoFileCompletions)
}

// Run simulates, prints and stores. Available results are printErr and stored even if the run failed
// or was interrupted; the error has the exit code.
func (x *Execution) Run(ctx context.Context, e *Simulator, r *scenario.Resolved, tell func(*results.Results) error) error {
	if err := flags.CheckWorkers(x.Workers); err != nil {
		return err
	}
	resolved, err := r.MarshalYAML()
	if err != nil {
		return err
	}
	folder, err := e.ClaimRun(x.Out, r)
	if err != nil {
		return err
	}
	defer folder.Close()
	series, err := e.RecordSeries(x.Series, folder, r)
	if err != nil {
		return err
	}
	started := e.Now()
	shown := &RunMetrics{scenario: r}
	unshow, err := ExportMetrics(e.Env, x.Metrics, shown.Snapshot)
	if err != nil {
		return err
	}
	p := NewProgress(e)
	o := x.Options(e, p)
	o.Series = series.Add()
	if x.Metrics != "" {
		shown.watch(&o)
	}
	if x.Series {
		shown.Live.SeriesOnly = x.Metrics == ""
		o.Live, folder.live = &shown.Live, &shown.Live
	}
	ctx, unfollow := folder.Follow(ctx, p.Status)
	results, err := e.Run(ctx, r, o)
	verdict := Outcome(ctx, results, err)
	if x.Contest && verdict == nil { // a run that is stopped during the tests is complete
		o.Progress = p.testing
		results.Contest = contest.Test(ctx, e.Run, r, results, o)
	}
	p.End()
	wall := p.Elapsed()
	unfollow()
	unseen := unshow()
	recorded, unrecorded := series.Files()
	if results == nil {
		return verdict
	}
	if exit.CodeOf(verdict) == exit.Partial {
		results.Partial, err = true, verdict // "context canceled" is not a useful reason
	}
	// The folder comes first: a closed pipe ends the program during the output.
	stored := cmp.Or(x.store(e, folder, r, resolved, results, series, recorded, x.meta(e, r, results, started, wall, err)), unrecorded, unseen)
	printErr := x.tell(e, results, tell)
	e.skipped(results, verdict)
	switch {
	case stored != nil:
		return stored
	case printErr != nil:
		return printErr
	case x.Out != "":
		e.Wrote(x.Out, x.JSON, series, runstore.ScenarioFile, runstore.ResultsFile, runstore.MetaFile, runstore.ReportFile)
	}
	return verdict
}

// Options are the run's; output about a simulation replaces the line of progress.
func (x *Execution) Options(e *Simulator, p *Progress) weft.Options {
	o := weft.Options{Workers: x.Workers, Seeds: x.Seeds, Progress: p.Update}
	if x.Seeds != 0 && x.Seeds != 1 {
		p.RefersTo(" of the first seed")
		o.Cache = e.Store() // one run alone is simulated when it is asked for
	}
	if x.Each != nil {
		o.Finished = func(f weft.Finished) {
			p.Clear()
			x.Each(f)
		}
	}
	return o
}

func (x *Execution) tell(e *Simulator, results *results.Results, tell func(*results.Results) error) error {
	if !x.JSON {
		return tell(results)
	}
	text, err := results.Encode()
	if err != nil {
		return err
	}
	return e.Answer(text)
}

// store writes the run folder and the page, if requested.
func (x *Execution) store(e *Simulator, folder *RunFolder, r *scenario.Resolved, resolved []byte, results *results.Results, series *SeriesOf, recorded []runstore.File, meta runstore.Meta) error {
	if folder == nil && e.HTML == "" {
		return nil
	}
	var page bytes.Buffer
	d := report.Comparison(results, r, resolved)
	if err := cmp.Or(series.Embed(d, recorded), d.HTML(&page)); err != nil {
		return exit.Errorf(exit.Failed, "the page cannot be made: %w", err)
	}
	if err := e.Page(d); err != nil || folder == nil {
		return err
	}
	run := runstore.Run{Scenario: resolved, Results: results, Meta: meta, Report: page.Bytes(), Series: recorded}
	if err := folder.Write(run); err != nil {
		return exit.Errorf(exit.Failed, "the results cannot be written to %s: %w", x.Out, err)
	}
	return nil
}

// meta is the folder's description of the run; failed is the reason if it is incomplete.
func (x *Execution) meta(e *Simulator, r *scenario.Resolved, results *results.Results, started time.Time, wall time.Duration, failed error) runstore.Meta {
	m := e.Meta(&Circumstances{
		Seed: r.Run.Seed, Started: started, Wall: wall, Events: results.Events(), Skipped: results.Skipped(), Workers: x.Workers, Failed: failed,
	})
	m.Partial = results.Partial
	return m
}

// Outcome is the error at the end of a run, with its exit code.
func Outcome(ctx context.Context, results *results.Results, err error) error {
	stopped := ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	switch {
	case stopped && results == nil:
		return exit.Errorf(exit.Partial, "stopped before there was a result")
	case stopped:
		return exit.Errorf(exit.Partial, "stopped: the results are partial")
	case err != nil && results == nil:
		return err // the scenario cannot be built: nothing ran
	case results == nil:
		return exit.Errorf(exit.Defect, "the run gave neither results nor a reason")
	}
	if failed := failures(results); len(failed) > 0 { // the report has the reasons
		return exit.Errorf(exit.Failed, "the run failed at %s", strings.Join(failed, "; "))
	}
	switch {
	case err != nil:
		return exit.Errorf(exit.Failed, "the run failed: %w", err)
	case results.Partial:
		return exit.Errorf(exit.Partial, "the results are partial")
	}
	return nil
}

// failures are the points without a result, without the reasons, which the report has given.
func failures(results *results.Results) []string {
	var out []string
	for _, f := range results.Fabrics {
		for _, p := range f.Points {
			if p.Failure != "" {
				out = append(out, fmt.Sprintf("%s, %s", f.Name, units.Bytes(p.Bytes)))
			}
		}
	}
	return out
}
