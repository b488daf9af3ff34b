package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/study/contest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// execution is the flags and the steps of a verb that simulates: the output folder first, then the
// run, then the output.
type execution struct {
	out     string
	workers int
	json    bool
	series  bool
	metrics string
	seeds   int                 // as in weft.Options
	contest bool                // leads are tested
	each    func(weft.Finished) // called with each simulation that has ended; may be nil
}

func (x *execution) register(e *Env, cmd *cobra.Command) {
	f := cmd.Flags()
	outFolder(cmd, &x.out, "scenario.yaml, results.json, meta.json and report.html")
	f.IntVarP(&x.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&x.json, "json", false, "print the results as JSON, the same as results.json")
	e.exactFlag(cmd)
	seriesFlag(cmd, &x.series)
	metricsFlag(cmd, &x.metrics)
	_ = cmd.RegisterFlagCompletionFunc("workers", cobra.NoFileCompletions)
}

// run simulates, prints and stores. Available results are printErr and stored even if the run failed
// or was interrupted; the error has the exit code.
func (x *execution) run(ctx context.Context, e *Env, r *scenario.Resolved, tell func(*results.Results) error) error {
	if err := checkWorkers(x.workers); err != nil {
		return err
	}
	resolved, err := r.MarshalYAML()
	if err != nil {
		return err
	}
	folder, err := e.claimRun(x.out, r)
	if err != nil {
		return err
	}
	defer folder.Close()
	series, err := e.recordSeries(x.series, folder, r)
	if err != nil {
		return err
	}
	started := e.Now()
	shown := &runMetrics{scenario: r}
	unshow, err := e.export(x.metrics, shown.snapshot)
	if err != nil {
		return err
	}
	p := newProgress(e, r)
	o := x.options(e, p)
	o.Series = series.add()
	if x.metrics != "" {
		shown.watch(&o)
	}
	if x.series {
		shown.live.SeriesOnly = x.metrics == ""
		o.Live, folder.live = &shown.live, &shown.live
	}
	ctx, unfollow := folder.follow(ctx, p.status)
	results, err := e.Run(ctx, r, o)
	verdict := outcome(ctx, results, err)
	if x.contest && verdict == nil { // a run that is stopped during the tests is complete
		o.Progress = p.testing
		results.Contest = contest.Test(ctx, contest.Simulator(e.Run), r, results, o)
	}
	p.end()
	wall := p.elapsed()
	unfollow()
	unseen := unshow()
	recorded, unrecorded := series.files()
	if results == nil {
		return verdict
	}
	if codeOf(verdict) == Partial {
		results.Partial, err = true, verdict // "context canceled" is not a useful reason
	}
	// The folder comes first: a closed pipe ends the program during the output.
	stored := cmp.Or(x.store(folder, r, resolved, results, series, recorded, x.meta(e, r, results, started, wall, err)), unrecorded, unseen)
	printErr := x.tell(e, results, tell)
	e.skipped(results, verdict)
	switch {
	case stored != nil:
		return stored
	case printErr != nil:
		return printErr
	case x.out != "":
		e.wrote(x.out, x.json, series, runstore.ScenarioFile, runstore.ResultsFile, runstore.MetaFile, runstore.ReportFile)
	}
	return verdict
}

// maxWorkers bounds -j: more cores than any machine has. Each worker is a thread, and a simulation
// partition of a pattern's network.
const maxWorkers = 128

// checkWorkers refuses a -j that is not a number of cores.
func checkWorkers(n int) error {
	if n < 0 || n > maxWorkers {
		return fmt.Errorf("-j %d: want 1 to %d, or 0 for all cores; results do not depend on it", n, maxWorkers)
	}
	return nil
}

// options are the run's; output about a simulation replaces the line of progress.
func (x *execution) options(e *Env, p *progress) weft.Options {
	o := weft.Options{Workers: x.workers, Seeds: x.seeds, Progress: p.update}
	if x.seeds != 0 && x.seeds != 1 {
		p.of = " of the first seed"
		o.Cache = e.store() // one run alone is simulated when it is asked for
	}
	if x.each != nil {
		o.Finished = func(f weft.Finished) {
			p.clear()
			x.each(f)
		}
	}
	return o
}

func (x *execution) tell(e *Env, results *results.Results, tell func(*results.Results) error) error {
	if !x.json {
		return tell(results)
	}
	text, err := results.Encode()
	if err != nil {
		return err
	}
	return e.answer(text)
}

// store writes the run folder, if requested.
func (x *execution) store(folder *runFolder, r *scenario.Resolved, resolved []byte, results *results.Results, series *seriesOf, recorded []runstore.File, meta runstore.Meta) error {
	if folder == nil {
		return nil
	}
	var page bytes.Buffer
	d := report.Comparison(results, r, resolved)
	if err := cmp.Or(series.embed(d, recorded), d.HTML(&page)); err != nil {
		return fail(Failed, "the page cannot be made: %w", err)
	}
	run := runstore.Run{Scenario: resolved, Results: results, Meta: meta, Report: page.Bytes(), Series: recorded}
	if err := folder.Write(run); err != nil {
		return fail(Failed, "the results cannot be written to %s: %w", x.out, err)
	}
	return nil
}

// meta is the folder's description of the run; failed is the reason if it is incomplete.
func (x *execution) meta(e *Env, r *scenario.Resolved, results *results.Results, started time.Time, wall time.Duration, failed error) runstore.Meta {
	m := e.meta(&circumstances{
		seed: r.Run.Seed, started: started, wall: wall, events: results.Events(), skipped: results.Skipped(), workers: x.workers, failed: failed,
	})
	m.Partial = results.Partial
	return m
}

// outcome is the error at the end of a run, with its exit code.
func outcome(ctx context.Context, results *results.Results, err error) error {
	stopped := ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	switch {
	case stopped && results == nil:
		return fail(Partial, "stopped before there was a result")
	case stopped:
		return fail(Partial, "stopped: the results are partial")
	case err != nil && results == nil:
		return err // the scenario cannot be built: nothing ran
	case results == nil:
		return fail(Defect, "the run gave neither results nor a reason")
	}
	if failed := failures(results); len(failed) > 0 { // the report has the reasons
		return fail(Failed, "the run failed at %s", strings.Join(failed, "; "))
	}
	switch {
	case err != nil:
		return fail(Failed, "the run failed: %w", err)
	case results.Partial:
		return fail(Partial, "the results are partial")
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

// Cores is the number of cores that this process may use.
func Cores() int { return runtime.GOMAXPROCS(0) }

// Terminal reports whether a file is a terminal, and its width.
func Terminal(f *os.File) (is bool, width int) { return terminal(f) }
