package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/results"
	"weft/scenario"
)

func newExplain(e *Env) *cobra.Command {
	var asJSON bool
	var svg string
	var c choice
	var x execution
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
		Example: `  weft explain examples/pfc-victim.yaml
  weft run examples/a100-roce-3to1.yaml --out run
  weft explain run`,
		Args:              args(1, 1, "one run folder or scenario file"),
		ValidArgsFunction: scenarioArg,
		RunE: func(cmd *cobra.Command, given []string) error {
			run, again, err := c.resultsOf(cmd, e, &x, given[0])
			if run == nil {
				return err
			}
			if svg != "" {
				drawn := e.writeFile(svg, func(w io.Writer) error { return report.Picture(w, run) })
				if drawn != nil || svg == "-" {
					return drawn
				}
			}
			if told := e.present(report.Explanation(run, again), asJSON, map[string]any{"simulations": explanationOf(run), "partial": run.Partial}); told != nil {
				return told
			}
			return err
		},
	}
	svgFlag(cmd, &svg, "bus bandwidth over message size, and how far each fabric is behind the fastest")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().IntVarP(&x.workers, "workers", "j", 0, "cores to use for a scenario file; results do not depend on it (default: all)")
	_ = cmd.RegisterFlagCompletionFunc("workers", cobra.NoFileCompletions)
	c.register(cmd)
	e.reportFlags(cmd)
	return cmd
}

// resultsOf are the results of a scenario file, which it simulates, or those in a run folder, with the command that
// simulates them again with pauses recorded.
func (c *choice) resultsOf(cmd *cobra.Command, e *Env, x *execution, path string) (*results.Results, string, error) {
	if e.isFile(path) {
		results, err := c.simulated(cmd.Context(), e, x, path)
		return results, "", err
	}
	return e.readRun(cmd, path)
}

// isFile reports whether a path leads to a file, or is standard input.
func (e *Env) isFile(path string) bool {
	info, err := os.Stat(e.path(path))
	return path == "-" || err == nil && !info.IsDir()
}

// readRun is the results in a run folder, and the command that simulates them again with pauses recorded.
func (e *Env) readRun(cmd *cobra.Command, folder string) (*results.Results, string, error) {
	for _, flag := range append(slices.Clone(choices), "workers") {
		if cmd.Flags().Changed(flag) {
			return nil, "", fmt.Errorf("--%s changes a simulation, and %s is a run that has ended: name a scenario file", flag, folder)
		}
	}
	run, err := runstore.Read(e.path(folder))
	if err != nil {
		return nil, "", err
	}
	return run.Results, "weft explain " + shellWord(filepath.Join(folder, runstore.ScenarioFile)), nil
}

// simulated are the results of a scenario, with its pauses recorded.
func (c *choice) simulated(ctx context.Context, e *Env, x *execution, path string) (*results.Results, error) {
	if err := checkWorkers(x.workers); err != nil {
		return nil, err
	}
	r, err := c.loadWorkload(e, path)
	if err != nil {
		return nil, err
	}
	r.Run.Pauses = r.Run.Pauses || slices.ContainsFunc(r.Fabrics, func(f scenario.Fabric) bool { return f.Ethernet.PFC.Enabled })
	p := newProgress(e, r)
	results, err := e.Run(ctx, r, x.options(e, p))
	p.end()
	return results, c.placed(outcome(ctx, results, err))
}

// choices are the flags that change a scenario.
var choices = []string{"fabric", "seed", "algo", "proto", "set", "overlay"}

// explains is the line that names weft explain, if it has more to say of a run; empty if not. The run is in folder, or
// else that of a scenario file with the flags of the command line.
func (c *choice) explains(r *results.Results, folder, file string) string {
	what := report.Explains(r)
	if what == "" {
		return ""
	}
	words := []string{folder}
	if folder == "" {
		words = append([]string{file}, c.given()...)
	}
	for i := range words {
		words[i] = shellWord(words[i])
	}
	return fmt.Sprintf("weft explain %s says %s.", strings.Join(words, " "), what)
}

// given are the flags of the command line that change the scenario.
func (c *choice) given() (words []string) {
	for _, name := range choices {
		f := c.flags.Flags().Lookup(name)
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

// shellWord is a word as a shell takes it: quoted if it has more than letters, digits and a few signs.
func shellWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./=:,+%@", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
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
