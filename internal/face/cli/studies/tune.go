package studies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/study/tune"
	"weft/scenario"
	"weft/units"
)

// tuning is the flags of weft tune.
type tuning struct {
	overrides.Flags
	simulator.StudyFlags
	params    []string
	objective string
	runs      int
	seeds     int
	heldOut   int
}

// NewTune is the verb weft tune.
func NewTune(e *simulator.Simulator) *cobra.Command {
	t := &tuning{}
	cmd := &cobra.Command{
		Use:   "tune FILE",
		Short: "search better parameters of a fabric, proved on held-out seeds",
		Long: `Searches parameters of one fabric of a scenario for a smaller objective: a weighted
sum of the time of the operation, the tail of its messages, PFC pauses and
unfairness. Then it runs the result and the unchanged scenario on seeds that the
search has not seen. It prints the gain with its confidence interval, and the
influence of each parameter.

The scenario's section tune, or flags, give the parameters:

  --param 'fabrics[0].ethernet.ecn.kmin=50KB..5MB'          a range
  --param 'fabrics[0].routing.mode=ecmp,flowlet,spray'      one of several
  --objective time=1,tail=0.5

With --out it writes the tuned scenario, a page for the browser, and for a RoCE v2
fabric the configuration of switches and hosts, as weft roce export does. The folder
keeps every simulation: after Ctrl-C the same command continues, and a larger --runs
or another objective reuses the simulations.`,
		Example: `  weft tune example:tune-dcqcn --out tuned
  weft tune my.yaml --param 'fabrics[0].transport.qps-per-connection=1..8' --objective tail`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			memory := func() (units.Bytes, error) {
				p, err := t.problem(e, given[0])
				if err != nil {
					return 0, err
				}
				return p.Stands.Estimate().Memory, nil
			}
			return t.Do(cmd, e, memory, func(ctx context.Context) error { return t.do(ctx, e, given[0]) })
		},
	}
	t.Register(cmd)
	e.ReportFlags(cmd)
	f := cmd.Flags()
	f.Lookup("fabric").Usage = "the fabric to tune, by name (default: the scenario's tune.fabric, or its only one)"
	f.Lookup("seed").Usage = "first seed of the search; the next seeds follow (default: the scenario's)"
	f.StringArrayVar(&t.params, "param", nil, "a field and its range or values, instead of the scenario's parameters; may be repeated")
	f.StringVar(&t.objective, "objective", "", "time, tail, pauses or fairness, or weights such as time=1,tail=0.5 (default: the scenario's, or time)")
	f.IntVar(&t.runs, "runs", 0, "maximum number of simulations in all (default: the scenario's, or 300)")
	f.IntVar(&t.seeds, "seeds", 0, "number of seeds for each candidate (default: the scenario's, or 3)")
	f.IntVar(&t.heldOut, "held-out", 0, "further seeds for the proof (default: the scenario's, or 10)")
	t.RegisterStudy(cmd, e, "the outcome and all simulations, which are not repeated")
	_ = cmd.RegisterFlagCompletionFunc("objective", cobra.FixedCompletions([]string{"time", "tail", "pauses", "fairness"}, cobra.ShellCompDirectiveNoFileComp))
	for _, flag := range []string{"param", "runs", "seeds", "held-out"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	return cmd
}

func (t *tuning) do(ctx context.Context, e *simulator.Simulator, path string) error {
	p, err := t.problem(e, path)
	if err != nil {
		return err
	}
	folder, err := openTuneFolder(e, t.Out, p)
	if err != nil {
		return err
	}
	defer folder.Close()
	o := tune.Options{Workers: cmp.Or(t.Workers, e.Cores)}
	o.Run = folder.runner(e, o.Workers)
	line := e.Working("the search begins")
	o.Progress = func(s tune.Progress) {
		what := "simulations, " + s.Doing
		if !math.IsInf(s.Best, 0) {
			what += fmt.Sprintf(", best %.4g", s.Best)
		}
		line.Count(s.Done, s.Total, what)
	}
	result, err := tune.Run(ctx, p, o)
	line.End()
	if result == nil {
		return tuneError(ctx, err, t.Out)
	}
	return t.finish(e, p, folder, result)
}

// finish stores the outcome, and prints it.
func (t *tuning) finish(e *simulator.Simulator, p *tune.Problem, folder *tuneFolder, result *tune.Result) error {
	var stored, printErr error
	if t.Out != "" {
		stored = folder.store(e, p, result, t.JSON)
	}
	printErr = e.Present(report.Tune(result, nil, nil), t.JSON, result)
	if err := cmp.Or(stored, printErr); err != nil {
		return err
	}
	if result.Partial {
		return exit.Errorf(exit.Partial, "stopped: the outcome is partial%s", goesOn(t.Out))
	}
	return nil
}

// goesOn tells how to continue an interrupted tuning.
func goesOn(out string) string {
	if out == "" {
		return "; with --out, the same command continues from there"
	}
	return "; the same command continues from " + out
}

// tuneError is the error, with its exit code, of a tuning without an outcome.
func tuneError(ctx context.Context, err error, out string) error {
	var stands *tune.StandsError
	switch {
	case ctx.Err() != nil:
		return exit.Errorf(exit.Partial, "stopped before there was an outcome%s", goesOn(out))
	case errors.As(err, &stands):
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return exit.Errorf(exit.Failed, "the tuning failed: %w", err)
}

// problem is the tuning problem of the scenario and the flags.
func (t *tuning) problem(e *simulator.Simulator, path string) (*tune.Problem, error) {
	file, err := overrides.Open(e.Env, path)
	if err != nil {
		return nil, err
	}
	own, err := t.Overrides()
	if err != nil {
		return nil, err
	}
	more, err := t.section()
	if err != nil {
		return nil, err
	}
	return tune.New(file, append(own, more...)...)
}

// section is the flags as fields of the section tune.
func (t *tuning) section() ([]scenario.Override, error) {
	var out []scenario.Override
	add := func(field, value, flag string) {
		out = append(out, scenario.Override{Path: "tune." + field, Value: value, Origin: flags.Abridged(flag)})
	}
	if len(t.Fabrics) > 1 {
		return nil, fmt.Errorf("--fabric %s: one fabric is tuned at a time", strings.Join(t.Fabrics, ","))
	}
	for _, name := range t.Fabrics {
		add("fabric", yamlText(name), "--fabric "+name)
	}
	if t.objective != "" {
		weights, err := objectiveFlag(t.objective)
		if err != nil {
			return nil, err
		}
		add("objective", weights, "--objective "+t.objective)
	}
	for _, n := range []struct {
		field string
		value int
	}{{"runs", t.runs}, {"seeds", t.seeds}, {"held-out", t.heldOut}} {
		if t.Changed(n.field) {
			add(n.field, fmt.Sprint(n.value), fmt.Sprintf("--%s %d", n.field, n.value))
		}
	}
	if len(t.params) > 0 {
		list, err := paramFlags(t.params)
		if err != nil {
			return nil, err
		}
		add("parameters", list, "--param "+strings.Join(t.params, " --param "))
	}
	return out, nil
}

// objectiveFlag is --objective in the scenario's form: a term, or weights.
func objectiveFlag(text string) (string, error) {
	var terms []string
	for term := range strings.SplitSeq(text, ",") {
		name, weight, ok := strings.Cut(strings.TrimSpace(term), "=")
		if !ok {
			weight = "1"
		}
		if name == "" || weight == "" {
			return "", fmt.Errorf("--objective %q: write time, tail, pauses or fairness, or weights such as time=1,tail=0.5", text)
		}
		terms = append(terms, yamlText(name)+": "+yamlText(weight))
	}
	return "{" + strings.Join(terms, ", ") + "}", nil
}

// paramFlags are --param in the scenario's form: path=from..to, or path=value,value.
func paramFlags(params []string) (string, error) {
	var items []string
	for _, p := range params {
		path, value, ok := strings.Cut(p, "=")
		if !ok || path == "" || value == "" {
			return "", fmt.Errorf("--param %q: write a field with its range or its values, such as fabrics[0].ethernet.ecn.kmin=50KB..5MB or fabrics[0].routing.mode=ecmp,spray", p)
		}
		item := "{path: " + yamlText(path)
		if from, to, ok := strings.Cut(value, ".."); ok {
			item += ", from: " + yamlText(from) + ", to: " + yamlText(to)
		} else {
			var values []string
			for v := range strings.SplitSeq(value, ",") {
				values = append(values, yamlText(strings.TrimSpace(v)))
			}
			item += ", values: [" + strings.Join(values, ", ") + "]"
		}
		items = append(items, item+"}")
	}
	return "[" + strings.Join(items, ", ") + "]", nil
}

// yamlText is a text in quotes.
func yamlText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
