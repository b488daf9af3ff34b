package runs

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/results"
	"weft/scenario"
)

// NewExplain is the verb weft explain.
func NewExplain(e *simulator.Simulator) *cobra.Command {
	var asJSON bool
	var svg string
	var c overrides.Flags
	var x simulator.Execution
	cmd := &cobra.Command{
		Use:   "explain RUN | FILE",
		Short: "who used the busiest links of a run, and who paused whom",
		Long: `Says for each simulation of a run folder whose data the busiest links carried: the
flows of a pattern, or the ranks of a collective. If the scenario has
run.pauses: true, it also says who paused whom by PFC: trees from a root cause (a NIC
that receives too slowly, a port with more load than its rate, or ports that wait for
one another in a circle) to the senders that waited in the end, with the messages
that had no part in the cause (victims).

Of a scenario file it simulates the run with its pauses recorded, as weft run does.`,
		Example: `  weft explain example:pfc-victim
  weft run example:a100-roce-3to1 --out run
  weft explain run`,
		Args:              flags.Args(1, 1, "one run folder or scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			run, again, err := resultsOf(&c, cmd, e, &x, given[0])
			if run == nil {
				return err
			}
			if svg != "" {
				drawn := e.WriteFile(svg, func(w io.Writer) error { return report.Picture(w, run) })
				if drawn != nil || svg == "-" {
					return drawn
				}
			}
			if told := e.Present(report.Explanation(run, again), asJSON, map[string]any{"simulations": explanationOf(run), "partial": run.Partial}); told != nil {
				return told
			}
			return err
		},
	}
	flags.SVG(cmd, &svg, "bus bandwidth over message size, and how far each fabric is behind the fastest")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().IntVarP(&x.Workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	_ = cmd.RegisterFlagCompletionFunc("workers", cobra.NoFileCompletions)
	c.Register(cmd)
	e.ReportFlags(cmd)
	return cmd
}

// resultsOf are the results of a scenario file, which it simulates, or those in a run folder, with the command that
// simulates them again with pauses recorded.
func resultsOf(c *overrides.Flags, cmd *cobra.Command, e *simulator.Simulator, x *simulator.Execution, path string) (*results.Results, string, error) {
	if isFile(e, path) {
		results, err := simulated(cmd.Context(), e, c, x, path)
		return results, "", err
	}
	return readRun(e, cmd, path)
}

// isFile reports whether a path leads to a file, or is standard input.
func isFile(e *simulator.Simulator, path string) bool {
	info, err := os.Stat(e.Path(path))
	return path == "-" || err == nil && !info.IsDir()
}

// readRun is the results in a run folder, and the command that simulates them again with pauses recorded.
func readRun(e *simulator.Simulator, cmd *cobra.Command, folder string) (*results.Results, string, error) {
	for _, flag := range append(slices.Clone(choices), "workers") {
		if cmd.Flags().Changed(flag) {
			return nil, "", fmt.Errorf("--%s changes a simulation, and %s is a run that has ended: name a scenario file", flag, folder)
		}
	}
	run, err := runstore.Read(e.Path(folder))
	if err != nil {
		return nil, "", err
	}
	return run.Results, "weft explain " + report.ShellWord(filepath.Join(folder, runstore.ScenarioFile)), nil
}

// simulated are the results of a scenario, with its pauses recorded.
func simulated(ctx context.Context, e *simulator.Simulator, c *overrides.Flags, x *simulator.Execution, path string) (*results.Results, error) {
	if err := flags.CheckWorkers(x.Workers); err != nil {
		return nil, err
	}
	r, err := c.LoadWorkload(e.Env, path)
	if err != nil {
		return nil, err
	}
	r.Run.Pauses = r.Run.Pauses || slices.ContainsFunc(r.Fabrics, func(f scenario.Fabric) bool { return f.Ethernet.PFC.Enabled })
	p := simulator.NewProgress(e)
	results, err := e.Run(ctx, r, x.Options(e, p))
	p.End()
	return results, c.Placed(simulator.Outcome(ctx, results, err))
}

// choices are the flags that change a scenario.
var choices = []string{"fabric", "seed", "algo", "proto", "error", "set", "overlay"}

// explains is the line that names weft explain, if it has more to say of a run; empty if not. The run is in folder, or
// else that of a scenario file with the flags of the command line.
func explains(c *overrides.Flags, r *results.Results, folder, file string) string {
	what := report.Explains(r)
	if what == "" {
		return ""
	}
	words := []string{folder}
	if folder == "" {
		words = append([]string{file}, givenWords(c)...)
	}
	return fmt.Sprintf("weft explain %s says %s.", report.CommandLine(words), what)
}

// givenWords are the flags of the command line that change the scenario.
func givenWords(c *overrides.Flags) (words []string) {
	for _, name := range choices {
		f := c.Given.Lookup(name)
		if !f.Changed {
			continue
		}
		values := []string{f.Value.String()}
		if s, is := f.Value.(pflag.SliceValue); is {
			values = s.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+name, v)
		}
	}
	return words
}

// explanation is the output for one simulation, as JSON.
type explanation struct {
	Fabric  string            `json:"fabric"`
	Bytes   int64             `json:"bytes"`
	Hottest []results.HotLink `json:"hottest_links"`
	Pauses  *results.Pauses   `json:"pauses,omitempty"`
	Failure string            `json:"failure,omitempty"`
}

func explanationOf(r *results.Results) []explanation {
	out := []explanation{}
	for _, f := range r.Fabrics {
		for _, p := range f.Points {
			out = append(out, explanation{f.Name, p.Bytes, append([]results.HotLink{}, p.Hottest...), p.Pauses, p.Failure})
		}
	}
	return out
}
