package runs

import (
	"fmt"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/draw"
	"weft/internal/face/report"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// NewTopology is the verb weft topology.
func NewTopology(e *process.Env) *cobra.Command {
	var c overrides.Flags
	var svg string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "topology FILE",
		Short: "count switches, cables and ports of a scenario's fabrics, and draw them",
		Example: `  weft topology example:h100-128
  weft topology example:h100-128 --fabric infiniband-ndr --svg fabric.svg`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := c.Load(e, given[0])
			if err != nil {
				return err
			}
			return c.Placed(showTopology(e, r, svg, asJSON))
		},
	}
	flags.SVG(cmd, &svg, "the (first) fabric")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.RegisterFields(cmd)
	flags.Absent(cmd, flags.NoSimulation, "algo", "proto", "error", "seed")
	e.PageFlag(cmd)
	return cmd
}

func showTopology(e *process.Env, r *scenario.Resolved, svg string, asJSON bool) error {
	var bills []network.Bill
	for i := range r.Fabrics {
		bill, err := network.Count(&r.Fabrics[i], &r.Cluster)
		if err != nil {
			return err
		}
		bills = append(bills, bill)
	}
	if svg != "" {
		if err := writeDrawing(e, r, svg); err != nil || svg == "-" {
			return err
		}
	}
	return e.Present(report.Topology(r, bills), asJSON, map[string]any{"fabrics": bills})
}

// writeDrawing writes the drawing of the first fabric.
func writeDrawing(e *process.Env, r *scenario.Resolved, svg string) error {
	f := &r.Fabrics[0]
	spec, err := network.Shape(&f.Topology, &r.Cluster)
	if err != nil {
		return err
	}
	graph, err := spec.Build()
	if err != nil {
		return fmt.Errorf("the topology of %s cannot be built: %w", f.Name, err)
	}
	return e.WriteText(svg, draw.Graph(graph, r.Name+": "+f.Name))
}
