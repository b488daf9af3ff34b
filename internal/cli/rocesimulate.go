package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/internal/report"
	"weft/internal/roce/lint"
	"weft/internal/roce/sonic"
	"weft/internal/runstore"
	"weft/internal/sim"
	"weft/scenario"
	"weft/units"
)

// The incast of a trial: enough for a pool of a hundred megabytes, and over in a
// second of work.
const (
	trialSenders = 16
	trialMiB     = 16
)

// showing is how a finding of a rule shows in an incast.
type showing struct {
	before, after string // congestion control of the senders: none leaves it to PFC
	deaf          bool   // before, a host does not stop at pauses: the port sends none
}

// showings are the rules that an incast shows. Without congestion control a class has
// only PFC and its headroom to keep it from losing packets; with it, marks are to come
// before pauses.
var showings = map[string]showing{
	"dscp-lossy":     {before: "none", after: "none"},
	"pfc-headroom":   {before: "none", after: "none"},
	"headroom-small": {before: "none", after: "none"},
	"pfc-one-end":    {before: "none", after: "none", deaf: true},
	"pfc-priority":   {before: "none", after: "none", deaf: true},
	"ecn-missing":    {before: "dcqcn", after: "dcqcn"},
	"ecn-above-pfc":  {before: "dcqcn", after: "dcqcn"},
	"ecn-host":       {before: "none", after: "dcqcn"},
}

// maxTrials bounds the trials of a switch: each takes about a second.
const maxTrials = 16

// trial is a finding in the simulator: the switch as configured, and mended.
type trial struct {
	Rule    string    `json:"rule"`
	At      string    `json:"at"`
	Switch  string    `json:"switch"`
	Port    string    `json:"port,omitempty"`
	Speed   string    `json:"speed,omitempty"`
	Before  trialSide `json:"as_configured"`
	After   trialSide `json:"mended"`
	Refused string    `json:"not_simulated,omitempty"` // why
}

// trialSide is what one incast did.
type trialSide struct {
	DSCP       int    `json:"dscp"`
	Congestion string `json:"congestion_control"` // dcqcn or none
	TimePs     int64  `json:"time_ps"`
	Dropped    int64  `json:"dropped_packets"`
	Resent     int64  `json:"resent_packets"`
	Pauses     int64  `json:"pfc_pauses"`
	Marks      int64  `json:"ecn_marks"`
	Failed     string `json:"failed,omitempty"`
}

// addTrials simulates the findings of a switch, those of one rule and DSCP once. What
// an incast cannot show is listed with the reason.
func addTrials(ctx context.Context, e *Env, trials []trial, file string, r *lint.Report) ([]trial, error) {
	type kind struct {
		rule string
		dscp int
	}
	seen := map[kind]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		k := kind{f.Rule, f.Traffic.DSCP}
		if seen[k] {
			continue
		}
		seen[k] = true
		t := &trial{Rule: f.Rule, At: f.At.String(), Switch: file}
		switch _, shown := showings[f.Rule]; {
		case !shown:
			t.Refused = "an incast on one switch does not show it"
		case len(f.Where) == 0 || f.Traffic.What == "":
			t.Refused = "no DSCP leads there on any port"
		case len(seen) > maxTrials:
			t.Refused = fmt.Sprintf("%d findings are simulated at most", maxTrials)
		default:
			if err := t.simulate(ctx, e, r, f); err != nil {
				return nil, err
			}
		}
		trials = append(trials, *t)
	}
	return trials, nil
}

// simulate runs an incast on the switch before and after its fixes. What the
// simulator cannot be given is said, and is no error of the lint.
func (t *trial) simulate(ctx context.Context, e *Env, r *lint.Report, f *lint.Finding) error {
	before, err := e.readSONiC(t.Switch)
	if err != nil {
		return err
	}
	after, err := e.readSONiC(t.Switch)
	if err != nil {
		return err
	}
	sw, _ := sonic.Examine(before)
	p := showings[f.Rule]
	t.Port = f.Where[0]
	t.Before = trialSide{DSCP: f.Traffic.DSCP, Congestion: p.before}
	t.After = trialSide{DSCP: f.Traffic.Mended, Congestion: p.after}
	port := sw.Ports[slices.IndexFunc(sw.Ports, func(p *sonic.Port) bool { return p.Name == t.Port })]
	t.Speed = port.Speed.String()
	if err := r.Mend(after, sw); err != nil {
		return err
	}
	if p.deaf {
		sonic.Silence(before, port, port.ClassOf(t.Before.DSCP).Group)
	}
	resolved, err := t.resolve(port, f.Traffic.CNP, before, after)
	if err != nil || t.Refused != "" {
		return err
	}
	return t.run(ctx, e, resolved)
}

// resolve makes the scenario of a trial. Refused says why the simulator does not
// take it.
func (t *trial) resolve(port *sonic.Port, cnp int, before, after *sonic.Config) (*scenario.Resolved, error) {
	dir, err := os.MkdirTemp("", "weft-lint-")
	if err != nil {
		return nil, fail(Failed, "--simulate: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files := map[string]string{"incast.yaml": t.scenario(port, cnp)}
	for name, c := range map[string]*sonic.Config{"before.json": before, "after.json": after} {
		var b strings.Builder
		if err := c.Write(&b); err != nil {
			return nil, err
		}
		files[name] = b.String()
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, fail(Failed, "--simulate: %w", err)
		}
	}
	var resolved *scenario.Resolved
	s, err := scenario.Load(filepath.Join(dir, "incast.yaml"))
	if err == nil {
		resolved, err = s.Resolve()
	}
	if err != nil {
		t.Refused = strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	}
	return resolved, nil
}

// scenario is an incast on one switch, on the port's configuration before and
// after.
func (t *trial) scenario(p *sonic.Port, cnp int) string {
	side := func(name string, s *trialSide) string {
		cc := ""
		if s.Congestion == "none" {
			cc = ", cc: {algorithm: none}"
		}
		return fmt.Sprintf("  - {preset: roce-v2-%dg, name: %s, switch: {sonic: %s.json, sonic-port: %s}, ethernet: {dscp: %d, cnp-dscp: %d}%s}\n",
			p.Speed/units.Gbps, name, name, p.Name, s.DSCP, cnp, cc)
	}
	cables := ""
	if p.Cable > 0 {
		cables = fmt.Sprintf(", cables: {node-leaf: %dmm}", p.Cable/units.Millimetre)
	}
	return "name: lint\ncluster: {nodes: 4}\ntopology: {shape: single-switch" + cables + "}\nfabrics:\n" +
		side("before", &t.Before) + side("after", &t.After) +
		fmt.Sprintf("workload: {pattern: incast, fan-in: %d, sizes: [%dMiB]}\n", trialSenders, trialMiB)
}

func (t *trial) run(ctx context.Context, e *Env, r *scenario.Resolved) error {
	if e.Run == nil {
		return fail(Defect, "this build has no simulator")
	}
	results, err := e.Run(ctx, r, sim.Options{})
	if verdict := outcome(ctx, results, err); verdict != nil && codeOf(verdict) != Failed {
		return verdict
	}
	for _, f := range results.Fabrics {
		side := &t.Before
		if f.Name == "after" {
			side = &t.After
		}
		if len(f.Points) == 1 {
			side.take(&f.Points[0])
		}
	}
	return nil
}

func (s *trialSide) take(p *runstore.Point) {
	s.TimePs, s.Failed = int64(p.Time), p.Failure
	s.Dropped, s.Resent, s.Pauses, s.Marks = p.Counts.Drops(), p.Counts.Retransmissions, p.Counts.Pauses, p.Counts.Marks
}

// tell prints a trial for people.
func (t *trial) tell(e *Env) error {
	w := e.Stdout
	if t.Refused != "" {
		indented(e, "not simulated: ", fmt.Sprintf("%s at %s: %s", t.Rule, t.At, t.Refused))
		return nil
	}
	fmt.Fprintf(w, "In the simulator, %s at %s: %d senders of %d MiB each to one receiver, on %s at %s\n\n",
		t.Rule, t.At, trialSenders, trialMiB, t.Port, t.Speed)
	rows := [][]string{{"", "as configured", "mended"}}
	add := func(name string, of func(*trialSide) string) {
		rows = append(rows, []string{name, of(&t.Before), of(&t.After)})
	}
	add("DSCP", func(s *trialSide) string { return fmt.Sprint(s.DSCP) })
	add("congestion control", func(s *trialSide) string { return s.Congestion })
	add("time", func(s *trialSide) string {
		if s.Failed != "" {
			return "failed: " + s.Failed
		}
		return units.Time(s.TimePs).String()
	})
	add("packets dropped", func(s *trialSide) string { return report.Integer(s.Dropped) })
	add("packets sent again", func(s *trialSide) string { return report.Integer(s.Resent) })
	add("PFC pauses", func(s *trialSide) string { return report.Integer(s.Pauses) })
	add("ECN marks", func(s *trialSide) string { return report.Integer(s.Marks) })
	if err := report.Grid(w, rows, e.style()); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}
