package roce

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/internal/sim/run/control"
	"weft/scenario"
)

func newRoCECheck(e *simulator.Simulator) *cobra.Command {
	var c overrides.Flags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check SCENARIO",
		Short: "find cyclic buffer dependencies and contradictory thresholds without a simulation",
		Long: `Looks at the lossless fabrics of a scenario before anything runs:

  - cyclic buffer dependencies: whether packets on the fabric's routes can wait for
    each other's buffers in a circle, printed as a list of ports. If switches choose
    among minimal ports (ecmp, flowlet, spray, adaptive), all of these count.
  - ECN's kmin and kmax against the thresholds at which PFC pauses.
  - the headroom against the bytes that may arrive after a pause, by weft's own bound
    and by the vendor's formula.

The exit code is 5 if a fabric has a circle or a wrong threshold; notes do not count.
It is 6 if no fabric has PFC, so that nothing was judged.`,
		Example: `  weft roce check example:pfc-ring-deadlock
  weft roce check example:h100-128 --set fabrics[1].ethernet.pfc.headroom=32KiB`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := c.Load(e.Env, given[0])
			if err != nil {
				return err
			}
			return checkLossless(e, r, asJSON)
		},
	}
	c.RegisterFields(cmd)
	flags.Absent(cmd, flags.NoSimulation, "algo", "proto", "error", "seed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	return cmd
}

// checkLossless analyses every fabric, tells the answers, and fails if one is refuted.
func checkLossless(e *simulator.Simulator, r *scenario.Resolved, asJSON bool) error {
	all, err := control.LosslessOf(r)
	if err != nil {
		return err
	}
	var refuted []string
	judged := 0
	for i := range all {
		if all[i].Refuted() {
			refuted = append(refuted, all[i].Fabric)
		}
		if all[i].Unpaused == "" {
			judged++
		}
	}
	err = e.Present(losslessDocument(r.Name, all, refuted), asJSON, map[string]any{"fabrics": all, "judged": judged})
	switch {
	case err != nil:
		return err
	case len(refuted) > 0:
		return exit.Errorf(exit.Refuted, "refuted: %s", strings.Join(refuted, ", "))
	case judged == 0:
		return exit.Errorf(exit.NotJudged, "nothing was judged: no fabric of the scenario has PFC")
	}
	return nil
}

// losslessVerdict is the first line: what is refuted, or how many fabrics are not, and how many were
// not judged.
func losslessVerdict(answers []control.Lossless, refuted []string) string {
	var apart []string
	for i := range answers {
		if answers[i].Unpaused != "" {
			apart = append(apart, answers[i].Fabric)
		}
	}
	judged := len(answers) - len(apart)
	text := fmt.Sprintf("None of %s with PFC is refuted.", numberOf(judged, "fabric"))
	switch {
	case len(refuted) > 0:
		text = "Refuted: " + strings.Join(refuted, ", ") + "."
	case judged == 0:
		text = "Nothing was judged."
	}
	if len(apart) > 0 {
		text += " Not judged, since they have no PFC: " + strings.Join(apart, ", ") + "."
	}
	return text
}

// losslessDocument is the verdict, and a section for each fabric; refuted fabrics are always shown.
func losslessDocument(name string, answers []control.Lossless, refuted []string) *doc.Document {
	d := &doc.Document{Brand: "Lossless fabrics", Title: name, Footer: "Made by weft roce check. The same scenario and version make the same page."}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(losslessVerdict(answers, refuted))})
	for i := range answers {
		a := &answers[i]
		in := doc.Details
		if a.Refuted() {
			in = doc.Everywhere
		}
		if a.Unpaused != "" {
			d.Add(doc.Section{Title: a.Fabric, In: in, Blocks: doc.Paragraphs(a.Unpaused + ".")})
			continue
		}
		d.Add(doc.Section{Title: a.Fabric, In: in, Blocks: []doc.Block{losslessTable(a)}})
		if len(a.Circle) > 0 {
			d.Add(doc.Section{
				Title: "Circle on " + a.Fabric, Caption: "each port waits for the next, the last for the first", In: doc.Details,
				Blocks: []doc.Block{doc.List(a.Circle)},
			})
		}
	}
	return d
}

// losslessTable is the thresholds of a fabric, and their faults.
func losslessTable(a *control.Lossless) *doc.Table {
	v := a.Values
	rows := [][]string{
		{"property", "value"},
		{"circles of buffers", circleText(a)},
		{"XOFF", fmt.Sprintf("%s B of one input alone, %s B of each with all %d ports congested", doc.Integer(v.XoffOne), doc.Integer(v.XoffAll), v.Ports)},
		{"headroom", fmt.Sprintf("%s B; %s B may come after a pause%s", doc.Integer(v.Headroom), doc.Integer(v.Bound), vendorText(v))},
	}
	if v.Kmax > 0 {
		rows = append(rows, []string{"ECN", fmt.Sprintf("kmin %s B, kmax %s B", doc.Integer(v.Kmin), doc.Integer(v.Kmax))})
	}
	for _, x := range a.Findings {
		kind := "note"
		if x.Wrong {
			kind = "wrong"
		}
		rows = append(rows, []string{kind, x.What + ": " + x.Remedy})
	}
	return doc.Grid(rows)
}

func vendorText(v *control.Thresholds) string {
	if v.Vendor == 0 {
		return ""
	}
	return fmt.Sprintf(", and the vendor's formula asks for %s B", doc.Integer(v.Vendor))
}

// circleText says whether there is a circle.
func circleText(a *control.Lossless) string {
	ways := "on the routes"
	if a.Free {
		ways = "over all minimal ports"
	}
	if n := len(a.Circle); n > 0 {
		return fmt.Sprintf("refuted: %d ports may wait for one another %s; take routing.mode up-down, another shape, or a watchdog that ends it", n, ways)
	}
	return "none, " + ways
}
