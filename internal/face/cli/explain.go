package cli

import (
	"io"

	"github.com/spf13/cobra"

	"weft/internal/face/report"
	"weft/internal/sim/runstore"
)

func newExplain(e *Env) *cobra.Command {
	var asJSON bool
	var svg string
	cmd := &cobra.Command{
		Use:   "explain RUN",
		Short: "the flows on the busiest links of a run, and the ports that paused each other",
		Long: `Lists for each simulation of a run folder the flows that shared the busiest links. If
the scenario has run.pauses: true, it also lists the PFC pauses: trees from a root
cause (a NIC that receives too slowly, a port with more load than its rate, or ports
that wait for one another in a circle) to the senders that waited in the end, with
the messages that had no part in the cause (victims).`,
		Example: `  weft run examples/pfc-victim.yaml --out run
  weft explain run`,
		Args: args(1, 1, "one run folder"),
		RunE: func(_ *cobra.Command, given []string) error {
			run, err := runstore.Read(e.path(given[0]))
			if err != nil {
				return err
			}
			if svg != "" {
				err := e.writeFile(svg, func(w io.Writer) error { return report.Picture(w, run.Results) })
				if err != nil || svg == "-" {
					return err
				}
			}
			return e.present(report.Explanation(run.Results), asJSON, map[string]any{"simulations": explanationOf(run.Results), "partial": run.Results.Partial})
		},
	}
	svgFlag(cmd, &svg, "bus bandwidth over message size, and how far each fabric is behind the fastest")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.reportFlags(cmd)
	return cmd
}

// explanation is the output for one simulation, as JSON.
type explanation struct {
	Fabric  string             `json:"fabric"`
	Bytes   int64              `json:"bytes"`
	Hottest []runstore.HotLink `json:"hottest_links"`
	Pauses  *runstore.Pauses   `json:"pauses,omitempty"`
	Failure string             `json:"failure,omitempty"`
}

func explanationOf(r *runstore.Results) []explanation {
	out := []explanation{}
	for _, f := range r.Fabrics {
		for _, p := range f.Points {
			out = append(out, explanation{f.Name, p.Bytes, append([]runstore.HotLink{}, p.Hottest...), p.Pauses, p.Failure})
		}
	}
	return out
}
