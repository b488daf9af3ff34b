package checks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/study/validate"
	"weft/units"
)

// NewValidate is the verb weft validate.
func NewValidate(e *simulator.Simulator) *cobra.Command {
	var v validation
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "compare weft with closed forms, other simulators and measurements",
		Long: `Runs the validation cases: the reference, weft's result, the error and the verdict of
each. Standard error has a line for each case when it is done. Then come the number of passing
rows, and the misses. --details prints every case, and --html writes them to a page, each
with its reference, setting, rows and notes. The exit code is 3 if a scored row misses its
tolerance, and 6 if no row is scored.`,
		Example: `  weft validate
  weft validate --case 'packet'
  weft validate --case 'fct/star100_*' --json`,
		Args: flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			memory := func() (units.Bytes, error) { return caseMemory, nil }
			return v.Do(cmd, e, memory, func(ctx context.Context) error { return v.run(ctx, e) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&v.glob, "case", "*", "only the cases with a matching name or folder: packet, pfc/*, fct/star100_*")
	f.BoolVar(&v.markdown, "markdown", false, "print the summary docs/VALIDATION.md")
	v.RegisterStudy(cmd, e, "validation.json and report.html")
	e.ReportFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("case", cobra.FixedCompletions(validate.IDs(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// validation is the flags of the verb.
type validation struct {
	simulator.StudyFlags
	glob     string
	markdown bool
}

// validationResult is the result in the folder of --out.
const validationResult = "validation.json"

// caseMemory is the memory for a case: the first 58 cases, two at a time, took 172 MB.
const caseMemory = units.GiB

func (v *validation) run(ctx context.Context, e *simulator.Simulator) error {
	if v.JSON && v.markdown {
		return errors.New("--json and --markdown: give one of them")
	}
	cases, err := validate.Select(v.glob)
	if err != nil {
		return err
	}
	folder := process.OwnFolder{Name: v.Out, Mark: validationResult, What: "validation"}
	if err := folder.Open(e.Env); err != nil {
		return err
	}
	defer folder.Close()
	o := validate.Options{Workers: cmp.Or(v.Workers, e.Cores, 1), Exact: e.Exact, Sharing: e.Sharing}
	line := e.Working("cases are simulated")
	done := 0
	o.Done = func(r *validate.Result) {
		if len(cases) > 1 {
			line.Clear()
			pass, miss, shown := validate.Count([]validate.Result{*r})
			e.Note("%s: %d pass, %d miss, %d not scored\n", r.Case.ID, pass, miss, shown)
		}
		done++
		line.Count(done, len(cases), r.Case.ID)
	}
	results, err := validate.Run(ctx, cases, o)
	line.End()
	stopped := err != nil && errors.Is(err, ctx.Err())
	if err != nil && !stopped {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	var written error
	d := report.Validation(results)
	switch {
	case v.markdown:
		written = report.ValidationSummary(results).Markdown(e.Stdout)
	case v.JSON:
		var text bytes.Buffer
		if written = validate.WriteJSON(&text, results); written == nil {
			written = e.Present(d, true, text.Bytes())
		}
	default:
		written = e.Present(d, false, nil)
	}
	if err := cmp.Or(written, v.store(e, &folder, d, results)); err != nil {
		return exit.Errorf(exit.Failed, "the results cannot be written: %w", err)
	}
	return scored(results, stopped)
}

// store writes the folder, if requested.
func (v *validation) store(e *simulator.Simulator, folder *process.OwnFolder, d *doc.Document, results []validate.Result) error {
	if v.Out == "" {
		return nil
	}
	var page, answer bytes.Buffer
	if err := cmp.Or(validate.WriteJSON(&answer, results), d.HTML(&page)); err != nil {
		return err
	}
	return folder.Store(e.Env, []runstore.File{{Name: runstore.ReportFile, Text: page.Bytes()}, {Name: validationResult, Text: answer.Bytes()}}, v.JSON || v.markdown)
}

// scored is the exit code at the end of the run.
func scored(results []validate.Result, stopped bool) error {
	pass, miss, shown := validate.Count(results)
	summary := fmt.Sprintf("%d pass, %d miss, %d not scored", pass, miss, shown)
	switch {
	case stopped:
		return exit.Errorf(exit.Partial, "stopped after %d cases: %s", len(results), summary)
	case miss > 0:
		return exit.Errorf(exit.Missed, "%s", summary)
	case pass == 0:
		return exit.Errorf(exit.NotJudged, "no row of these cases is scored: %s", summary)
	}
	return nil
}
