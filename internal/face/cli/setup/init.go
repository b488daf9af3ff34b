package setup

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/sim/catalog"
	"weft/scenario"
)

// questions are the flags that answer the questions.
var questions = []string{"nodes", "node", "shape", "oversubscription", "fabric", "work"}

// NewInit is the verb weft init.
func NewInit(e *process.Env) *cobra.Command {
	o := own{}
	var ratio, out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "write a scenario of your own cluster",
		Long: `Writes a scenario with comments, to compare fabrics on your own cluster. Without a flag
it asks six questions, on standard error; an empty answer takes the value in brackets.
With flags it asks nothing.

A fabric is a family (infiniband, roce, spectrum-x, ultra-ethernet, tcp), at the rate of
the node's NICs, or a name of weft catalog fabric. A leaf-spine has whole nodes on each
leaf; rail has NIC i of every node on the leaf of rail i.`,
		Example: `  weft init -o my.yaml
  weft init --nodes 24 --node dgx-h200 --shape leaf-spine --oversubscription 2:1 -o my.yaml
  weft init --nodes 8 --node dgx-b200 --fabric infiniband,spectrum-x --work llama3-8b > job.yaml`,
		Args: flags.Args(0, 0, "flags only"),
		RunE: func(c *cobra.Command, _ []string) error {
			if out != "" && out != "-" {
				if _, err := os.Lstat(e.Path(out)); err == nil {
					return fmt.Errorf("--out %s exists already: name a new file", out)
				}
			}
			var err error
			if o.oversubscription, err = scenario.ParseRatio(ratio); err != nil {
				return fmt.Errorf("--oversubscription %s: %w", flags.Abridged(ratio), err)
			}
			if !slices.ContainsFunc(questions, c.Flags().Changed) {
				if err := (&interview{in: e.Stdin, out: e.Stderr, echo: !process.IsTerminal(e.Stdin)}).ask(&o); err != nil {
					return err
				}
			}
			return write(e, &o, out, asJSON)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.nodes, "nodes", 16, "number of nodes")
	f.StringVar(&o.node, "node", "dgx-h100", "kind of node, of weft catalog node")
	f.StringVar(&o.shape, "shape", rail, strings.Join(shapeNames, ", "))
	f.StringVar(&ratio, "oversubscription", "1:1", "downlinks of a leaf to its uplinks, such as 2:1")
	f.StringSliceVar(&o.fabrics, "fabric", []string{"infiniband", "roce"}, "fabrics to compare")
	f.StringVar(&o.work, "work", "all-reduce", "what runs: "+strings.Join(works, ", "))
	flags.Out(cmd, &out, "the scenario", "standard output", "yaml")
	f.BoolVar(&asJSON, "json", false, "print as JSON, with the scenario as a text")
	for name, values := range map[string][]string{"node": catalog.Names(catalog.Node), "shape": shapeNames, "fabric": families, "work": works} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// write gives the scenario to a file, or to standard output.
func write(e *process.Env, o *own, out string, asJSON bool) error {
	name := out
	if name == "" || name == "-" {
		name = "my.yaml"
	}
	text, err := o.text(name)
	if err != nil {
		return err
	}
	err = e.Deliver(out, asJSON, map[string]any{}, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil || out == "" || out == "-" {
		return err
	}
	verb := "compare"
	if o.trains() {
		verb = "train"
	}
	e.Note("weft: the scenario is in %s; next: weft %s %[1]s\n", out, verb)
	return nil
}
