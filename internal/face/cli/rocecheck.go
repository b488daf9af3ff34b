package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/sim/run/control"
	"weft/internal/sim/scenario"
)

func newRoCECheck(e *Env) *cobra.Command {
	var c choice
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check SCENARIO",
		Short: "check for cyclic buffer dependencies and contradictory thresholds, without a simulation",
		Long: `Looks at the lossless fabrics of a scenario before anything runs:

  - cyclic buffer dependencies: whether packets on the fabric's routes can wait for
    each other's buffers in a circle, printed as a list of ports. If switches choose
    among minimal ports (ecmp, flowlet, spray, adaptive), all of these count.
  - ECN's kmin and kmax against the thresholds at which PFC pauses.
  - the headroom against the bytes that may arrive after a pause, by weft's own bound
    and by the vendor's formula.

The exit code is 5 if a fabric has a circle or a wrong threshold; notes do not count.`,
		Example: `  weft roce check examples/pfc-ring-deadlock.yaml
  weft roce check examples/h100-128.yaml --set fabrics[1].ethernet.pfc.headroom=32KiB`,
		Args:              args(1, 1, "one scenario file"),
		ValidArgsFunction: scenarioArg,
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := c.load(e, given[0])
			if err != nil {
				return err
			}
			return checkLossless(e, r, asJSON)
		},
	}
	c.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// checkLossless analyses every fabric, prints the answers, and fails if one is refuted.
func checkLossless(e *Env, r *scenario.Resolved, asJSON bool) error {
	all, err := control.LosslessOf(r)
	if err != nil {
		return err
	}
	var refuted []string
	for i := range all {
		if all[i].Refuted() {
			refuted = append(refuted, all[i].Fabric)
		}
	}
	if asJSON {
		err = printJSON(e, map[string]any{"fabrics": all})
	} else {
		err = tellLossless(e, all)
	}
	if err == nil && len(refuted) > 0 {
		err = fail(Refuted, "refuted: %s", strings.Join(refuted, ", "))
	}
	return err
}

// tellLossless prints the answers.
func tellLossless(e *Env, answers []control.Lossless) error {
	for i := range answers {
		a := &answers[i]
		if i > 0 {
			fmt.Fprintln(e.Stdout)
		}
		fmt.Fprintln(e.Stdout, e.style().Bold(a.Fabric))
		if a.Unpaused != "" {
			fmt.Fprintln(e.Stdout, a.Unpaused)
			continue
		}
		v := a.Values
		rows := [][]string{
			{"circles of buffers", circleText(a)},
			{"XOFF", fmt.Sprintf("%s B of one input alone, %s B of each with all %d ports congested", report.Integer(v.XoffOne), report.Integer(v.XoffAll), v.Ports)},
			{"headroom", fmt.Sprintf("%s B; %s B may come after a pause%s", report.Integer(v.Headroom), report.Integer(v.Bound), vendorText(v))},
		}
		if v.Kmax > 0 {
			rows = append(rows, []string{"ECN", fmt.Sprintf("kmin %s B, kmax %s B", report.Integer(v.Kmin), report.Integer(v.Kmax))})
		}
		for _, x := range a.Findings {
			kind := "note"
			if x.Wrong {
				kind = "wrong"
			}
			rows = append(rows, []string{kind, x.What + ": " + x.Remedy})
		}
		if err := doc.Grid(rows).Write(e.Stdout, e.style()); err != nil {
			return err
		}
		for k, port := range a.Circle {
			then := "which waits for"
			if k == len(a.Circle)-1 {
				then = "which waits for the first"
			}
			fmt.Fprintf(e.Stdout, "  %s, %s\n", port, then)
		}
	}
	return nil
}

func vendorText(v *control.Thresholds) string {
	if v.Vendor == 0 {
		return ""
	}
	return fmt.Sprintf(", and the vendor's formula asks for %s B", report.Integer(v.Vendor))
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
