package studies

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/study/sweep"
	"weft/scenario"
	"weft/units"
)

// sweeping is the flags of weft sweep.
type sweeping struct {
	set     []string
	out     string
	like    []string
	workers int
	memory  string
	dry     bool
	json    bool
	csv     bool
	array   simulator.ArrayJob
	pods    simulator.IndexedJob
}

// NewSweep is the verb weft sweep.
func NewSweep(e *simulator.Simulator) *cobra.Command {
	s := &sweeping{}
	cmd := &cobra.Command{
		Use:   "sweep FILE",
		Short: "run many variants of a scenario into one table and one page",
		Long: `Runs the variants of a scenario that its section sweep describes: a grid, lists, ranges
or drawn points of its fields, with conditions between them, and seeds. The scenario's
fabrics and sizes are axes too, so a variant is one simulation and one row. Of a
scenario with a serving job and no workload, a variant is the job at its rate.

The folder keeps every row: after Ctrl-C, a crash or kill -9 the same command continues
with the variants that are missing. Several processes may work on the same folder. A
variant that fails has its error in the table. The table does not depend on -j.`,
		Example: `  weft sweep example:sweep --out swept
  weft sweep example:sweep --dry-run
  weft sweep example:sweep-serve --out swept
  weft sweep example:sweep --out /shared/swept --slurm --partition cpu --time 2h --elements 64
  weft sweep example:sweep --kubernetes --storage-class nfs | kubectl apply -f -
  weft sweep show swept --csv`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := cmp.Or(s.array.Check(cmd, s.out), s.pods.CheckFlags(cmd, s.out)); err != nil {
				return err
			}
			return s.do(cmd.Context(), e, given[0])
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&s.set, "set", nil, "change a field of the scenario first, such as sweep.samples=100; may be repeated")
	flags.OutFolder(cmd, &s.out, "the rows, results.parquet and report.html; a folder of the same sweep is continued")
	f.IntVarP(&s.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.StringVar(&s.memory, "memory", "", "most memory of all running simulations, by weft's estimates (default: most of the free memory)")
	f.BoolVar(&s.dry, "dry-run", false, "count the variants, and estimate their time and memory; run nothing")
	f.StringArrayVar(&s.like, "like", nil, "with --dry-run, the folder of a similar run or sweep; may be repeated")
	_ = cmd.MarkFlagDirname("like")
	s.printing(e, cmd)
	for _, flag := range []string{"set", "workers", "memory"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	e.ExactFlag(cmd)
	s.array.Register(cmd)
	s.pods.Register(cmd)
	cmd.AddCommand(newSweepShow(e), newSweepWork(e))
	return cmd
}

// printing registers the forms of the table.
func (s *sweeping) printing(e *simulator.Simulator, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.json, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&s.csv, "csv", false, "print the table as CSV, all rows")
	e.ReportFlags(cmd)
}

func newSweepShow(e *simulator.Simulator) *cobra.Command {
	s := &sweeping{}
	variant := -1
	cmd := &cobra.Command{
		Use:   "show FOLDER",
		Short: "print the table of a sweep, or the command that makes a row again",
		Long: `Reads the rows that the folder has, also while the sweep goes on, writes results.parquet,
runs.parquet and report.html, and prints the table. It says which variants are missing.`,
		Example: `  weft sweep show swept
  weft sweep show swept --csv >swept.csv
  weft sweep show swept --variant 17`,
		Args: flags.Args(1, 1, "the folder of a sweep"),
		RunE: func(cmd *cobra.Command, given []string) error {
			s.out = given[0]
			f, err := sweep.Open(e.Path(s.out), e.Version.Weft)
			switch {
			case err != nil:
				return err
			case cmd.Flags().Changed("variant"):
				return s.again(e, f, variant)
			}
			return s.collect(e, f)
		},
	}
	cmd.Flags().IntVar(&variant, "variant", 0, "only this variant: its row, and the command that makes it again")
	s.printing(e, cmd)
	return cmd
}

func (s *sweeping) do(ctx context.Context, e *simulator.Simulator, path string) error {
	memory, err := s.budget()
	if err := cmp.Or(flags.CheckWorkers(s.workers), err); err != nil {
		return err
	}
	if s.out == "" { // the rows need a place
		if s.out, err = os.MkdirTemp("", "weft-sweep-"); err != nil {
			return exit.Errorf(exit.Failed, "%w", err)
		}
		defer os.RemoveAll(s.out)
	}
	f, err := s.folder(e, path)
	if err != nil {
		return err
	}
	if s.dry {
		return s.estimate(e, f)
	}
	if s.pods.On {
		return s.manifest(e, f)
	}
	if s.array.On {
		return s.submit(ctx, e, f)
	}
	host, _ := os.Hostname()
	release, worker, err := simulator.LocalWorker(f.Dir, host)
	if err != nil {
		return exit.Errorf(exit.Failed, "--out %s: %w", s.out, err)
	}
	defer release()
	line := e.Working("the sweep begins")
	ending, err := f.Work(ctx, sweep.Options{
		Run: e.Study(), Serve: e.Serving, Workers: cmp.Or(s.workers, e.Cores), Memory: memory, Worker: worker, Host: host,
		Progress: func(p sweep.Progress) {
			line.Parts(p.Done, p.Total, "variants", p.Left)
		},
	})
	line.End()
	if err != nil && ctx.Err() == nil {
		return exit.Errorf(exit.Failed, "the sweep stopped with %d of %d variants: %w; when that is mended, the same command continues", ending.Done, f.Space.Len(), err)
	}
	shown := s.collect(e, f)
	switch {
	case shown != nil:
		return shown
	case ctx.Err() != nil:
		return exit.Errorf(exit.Partial, "stopped with %d of %d variants: the same command continues with the others", ending.Done, f.Space.Len())
	}
	return tooLarge(ending.TooLarge, memory)
}

// budget is the memory for all simulations.
func (s *sweeping) budget() (units.Bytes, error) {
	if s.memory == "" {
		return sweep.FreeMemory(), nil
	}
	n, err := units.ParseBytes(s.memory)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("--memory %s: want an amount such as 16GiB", flags.Abridged(s.memory))
	}
	return n, nil
}

// folder makes the folder of the sweep, or opens the one that it has.
func (s *sweeping) folder(e *simulator.Simulator, path string) (*sweep.Folder, error) {
	if path == "-" {
		return nil, errors.New("a sweep is continued from its file: name one, not standard input")
	}
	set, err := overrides.Of(s.set)
	if err != nil {
		return nil, err
	}
	file, err := overrides.Open(e.Env, path)
	if err == nil { // errors with the name that the user gave
		_, err = sweep.NewSpace(file, set...)
	}
	if err != nil {
		return nil, err
	}
	in, err := e.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	base, err := filepath.Abs(filepath.Dir(e.Path(path)))
	if err != nil {
		return nil, err
	}
	about := sweep.About{Weft: e.Version.Weft, Set: s.set, Base: base}
	if s.dry || s.pods.On {
		return sweep.Plan(e.Path(s.out), text, about)
	}
	return sweep.Create(e.Path(s.out), text, about)
}

// collect writes the tables and the page, and prints the table.
func (s *sweeping) collect(e *simulator.Simulator, f *sweep.Folder) error {
	t, err := f.Load()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	d, err := report.Sweep(t, s.out)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	var page bytes.Buffer
	if err := d.HTML(&page); err != nil {
		return exit.Errorf(exit.Failed, "the page cannot be made: %w", err)
	}
	if err := cmp.Or(t.WriteParquet(), f.Put(sweep.ReportFile, page.Bytes())); err != nil {
		return exit.Errorf(exit.Failed, "the table cannot be written to %s: %w", s.out, err)
	}
	switch {
	case s.csv:
		return t.WriteCSV(e.Stdout)
	case s.json:
		return cmp.Or(e.Page(d), s.asJSON(e, t))
	}
	return e.Present(d, false, nil)
}

// asJSON prints the table.
func (s *sweeping) asJSON(e *simulator.Simulator, t *sweep.Table) error {
	out := struct {
		About   sweep.About          `json:"sweep"`
		Counts  map[sweep.Status]int `json:"counts"`
		Columns []sweep.Column       `json:"columns"`
		Rows    []map[string]any     `json:"rows"`
	}{About: t.About, Counts: t.Counts, Columns: t.Columns}
	for line, err := range t.Lines() {
		if err != nil {
			return exit.Errorf(exit.Failed, "%w", err)
		}
		out.Rows = append(out.Rows, s.object(t, line))
	}
	return process.PrintJSON(e.Env, out)
}

// object is a row by the names of its columns.
func (s *sweeping) object(t *sweep.Table, line *sweep.Line) map[string]any {
	row := map[string]any{}
	for i := range t.Columns {
		row[t.Columns[i].Name] = t.Columns[i].Value(line)
	}
	return row
}

// again prints a row and the command that makes it again.
func (s *sweeping) again(e *simulator.Simulator, f *sweep.Folder, i int) error {
	if i < 0 || i >= f.Space.Len() {
		return fmt.Errorf("--variant %d: the sweep has the variants 0 to %d", i, f.Space.Len()-1)
	}
	t, err := f.Load()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	line, err := t.Line(i)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	command := report.CommandLine(f.Command(i, filepath.Join(s.out, sweep.ScenarioFile)))
	if s.json {
		row := s.object(t, line)
		row["command"] = command
		return process.PrintJSON(e.Env, row)
	}
	table := doc.NewTable("", "")
	for k, text := range t.Texts(line) {
		table.Add(doc.Text(t.Columns[k].Name), doc.Text(cmp.Or(text, "–")))
	}
	d := &doc.Document{Heading: fmt.Sprintf("Variant %d of %s", i, s.out)}
	d.Add(doc.Section{Blocks: []doc.Block{table}})
	d.Add(doc.Section{Title: "Made again by", Blocks: []doc.Block{doc.Listing(command)}})
	return e.Tell(d)
}

// estimate prints the number of variants, and their expected time and memory.
func (s *sweeping) estimate(e *simulator.Simulator, f *sweep.Folder) error {
	t, err := f.Load()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	past, err := t.Past()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	for _, dir := range s.like {
		more, err := s.similar(e, dir)
		if err != nil {
			return fmt.Errorf("--like %s: %w", dir, err)
		}
		past = append(past, more...)
	}
	x, err := t.Estimate(past)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if s.json {
		return process.PrintJSON(e.Env, x)
	}
	return e.Tell(report.SweepEstimate(t, x, cmp.Or(s.workers, e.Cores)))
}

// similar are the timed simulations of a folder of a sweep or of a run.
func (s *sweeping) similar(e *simulator.Simulator, dir string) ([]sweep.Past, error) {
	if _, err := os.Stat(filepath.Join(e.Path(dir), sweep.AboutFile)); err == nil {
		f, err := sweep.Open(e.Path(dir), e.Version.Weft)
		if err != nil {
			return nil, err
		}
		t, err := f.Load()
		if err != nil {
			return nil, err
		}
		return t.Past()
	}
	run, err := runstore.Read(e.Path(dir))
	if err != nil {
		return nil, err
	}
	file, err := scenario.Decode(dir, run.Scenario)
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	return []sweep.Past{sweep.PastOf(r, run.Meta.WallSeconds*float64(max(1, run.Meta.Workers)))}, nil
}
