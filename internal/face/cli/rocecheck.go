package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/roce"
	"weft/internal/sim/run/control"
	"weft/internal/sim/scenario"
	"weft/units"
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

// losslessAnswer is the answer for a fabric, and its JSON.
type losslessAnswer struct {
	Fabric   string            `json:"fabric"`
	Unpaused string            `json:"unpaused,omitempty"`
	Circle   []string          `json:"circle,omitempty"`
	Findings []losslessFinding `json:"findings,omitempty"`
	Values   *losslessValues   `json:"values,omitempty"`
	free     bool
}

type losslessFinding struct {
	Wrong  bool   `json:"wrong"` // otherwise a note
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}

// losslessValues are the compared numbers, in bytes.
type losslessValues struct {
	XoffOne  int64 `json:"xoff_one_input_bytes"`
	XoffAll  int64 `json:"xoff_all_ports_bytes"`
	Ports    int   `json:"ports"`
	Headroom int64 `json:"headroom_bytes"`
	Bound    int64 `json:"headroom_bound_bytes"`
	Vendor   int64 `json:"headroom_vendor_bytes,omitempty"`
	Kmin     int64 `json:"kmin_bytes,omitempty"`
	Kmax     int64 `json:"kmax_bytes,omitempty"`
}

// checkLossless analyses every fabric, prints the answers, and fails if one is refuted.
func checkLossless(e *Env, r *scenario.Resolved, asJSON bool) error {
	all, err := control.LosslessOf(r)
	if err != nil {
		return err
	}
	answers := []losslessAnswer{}
	var refuted []string
	for i := range all {
		a := answerOf(fabricNamed(r, all[i].Fabric), &all[i])
		if a.refuted() {
			refuted = append(refuted, a.Fabric)
		}
		answers = append(answers, a)
	}
	if asJSON {
		err = printJSON(e, map[string]any{"fabrics": answers})
	} else {
		err = tellLossless(e, answers)
	}
	if err == nil && len(refuted) > 0 {
		err = fail(Refuted, "refuted: %s", strings.Join(refuted, ", "))
	}
	return err
}

func fabricNamed(r *scenario.Resolved, name string) *scenario.Fabric {
	for i := range r.Fabrics {
		if r.Fabrics[i].Name == name {
			return &r.Fabrics[i]
		}
	}
	return nil
}

// answerOf compares a fabric's thresholds.
func answerOf(f *scenario.Fabric, l *control.Lossless) losslessAnswer {
	a := losslessAnswer{Fabric: l.Fabric, Unpaused: l.Unpaused, Circle: l.Circle, free: l.Free}
	if l.Unpaused != "" {
		return a
	}
	pfc, ecn := &f.Ethernet.PFC, &f.Ethernet.ECN
	vendor := vendorHeadroom(f, l.Cable)
	a.Values = &losslessValues{
		XoffOne: int64(l.Buffer.Threshold(1)), XoffAll: int64(l.Buffer.Threshold(l.Ports)), Ports: l.Ports,
		Headroom: int64(pfc.Headroom), Bound: int64(l.Loop.Bound()), Vendor: int64(vendor),
	}
	found := roce.CompareHeadroom(pfc.Headroom, l.Loop.Bound(), vendor)
	for _, s := range pfc.Stops {
		if !slices.Contains(pfc.Priorities, s.Priority) {
			continue // nobody pauses it
		}
		found = append(found, roce.Finding{
			Verdict: roce.Wrong, What: fmt.Sprintf("a pause of priority %d stops %s of a switch", s.Priority, queueText(s.Queue)),
			Remedy: "correct the map of priorities to queues (pfc.stops): a paused class continues and overruns the headroom",
		})
	}
	if ecn.Enabled {
		a.Values.Kmin, a.Values.Kmax = int64(ecn.Kmin), int64(ecn.Kmax)
		found = append(found, roce.CompareMarking(&l.Buffer, roce.Marking{Kmin: ecn.Kmin, Kmax: ecn.Kmax}, l.Ports)...)
	}
	for _, x := range found {
		a.Findings = append(a.Findings, losslessFinding{x.Verdict == roce.Wrong, x.What, x.Remedy})
	}
	return a
}

// queueText is the queue that a pause stops instead of its own.
func queueText(queue int) string {
	if queue < 0 {
		return "no queue"
	}
	return fmt.Sprintf("queue %d", queue)
}

// asicOf is the chip of a switch whose headroom has a public formula.
var asicOf = map[string]string{
	"sn2700": "spectrum-1", "sn3700": "spectrum-2", "sn4700": "spectrum-3",
	"sn5400": "spectrum-4", "sn5600": "spectrum-4", "sn5640": "spectrum-5",
}

// vendorHeadroom is the result of the vendor's formula, with small packets only as in the shipped
// tables; 0 if no formula is public.
func vendorHeadroom(f *scenario.Fabric, cable units.Length) units.Bytes {
	asic, _, err := roce.Lookup(asicOf[f.Switch.Model])
	if err != nil || asic == nil {
		return 0
	}
	h, err := asic.Headroom(roce.Port{Speed: f.Link.Rate(), Cable: cable, MTU: 9216, Lanes: f.Link.Lanes}, roce.Pattern{SmallPercent: 100, MTU: 1024}, false)
	if err != nil {
		return 0
	}
	return h.Xoff
}

// refuted reports whether a check failed.
func (a *losslessAnswer) refuted() bool {
	for _, x := range a.Findings {
		if x.Wrong {
			return true
		}
	}
	return len(a.Circle) > 0
}

// tellLossless prints the answers.
func tellLossless(e *Env, answers []losslessAnswer) error {
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
			{"circles of buffers", a.circleText()},
			{"XOFF", fmt.Sprintf("%s B of one input alone, %s B of each with all %d ports congested", report.Integer(v.XoffOne), report.Integer(v.XoffAll), v.Ports)},
			{"headroom", fmt.Sprintf("%s B; %s B may come after a pause%s", report.Integer(v.Headroom), report.Integer(v.Bound), v.vendorText())},
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

func (v *losslessValues) vendorText() string {
	if v.Vendor == 0 {
		return ""
	}
	return fmt.Sprintf(", and the vendor's formula asks for %s B", report.Integer(v.Vendor))
}

// circleText says whether there is a circle.
func (a *losslessAnswer) circleText() string {
	ways := "on the routes"
	if a.free {
		ways = "over all minimal ports"
	}
	if n := len(a.Circle); n > 0 {
		return fmt.Sprintf("refuted: %d ports may wait for one another %s; take routing.mode up-down, another shape, or a watchdog that ends it", n, ways)
	}
	return "none, " + ways
}
