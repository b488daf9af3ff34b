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

// trial is a finding in the simulator: the switch as configured, and mended.
type trial struct {
	Switch  string    `json:"switch"`
	Port    string    `json:"port"`
	Speed   string    `json:"speed"`
	Before  trialSide `json:"as_configured"`
	After   trialSide `json:"mended"`
	Refused string    `json:"not_simulated,omitempty"` // why
}

// trialSide is what one incast did.
type trialSide struct {
	DSCP    int    `json:"dscp"`
	TimePs  int64  `json:"time_ps"`
	Dropped int64  `json:"dropped_packets"`
	Resent  int64  `json:"resent_packets"`
	Pauses  int64  `json:"pfc_pauses"`
	Marks   int64  `json:"ecn_marks"`
	Failed  string `json:"failed,omitempty"`
}

// addTrial simulates the first finding of a switch that is about a class.
func addTrial(ctx context.Context, e *Env, trials []trial, file string, r *lint.Report) ([]trial, error) {
	i := slices.IndexFunc(r.Findings, func(f lint.Finding) bool { return f.Traffic.What != "" && len(f.Where) > 0 })
	if i < 0 {
		return trials, nil
	}
	t, err := simulateFinding(ctx, e, file, r, &r.Findings[i])
	if err != nil {
		return nil, err
	}
	return append(trials, *t), nil
}

// simulateFinding runs an incast on the switch before and after its fixes. What
// the simulator cannot be given is said, and is no error of the lint.
func simulateFinding(ctx context.Context, e *Env, file string, r *lint.Report, f *lint.Finding) (*trial, error) {
	before, err := e.readSONiC(file)
	if err != nil {
		return nil, err
	}
	after, err := e.readSONiC(file)
	if err != nil {
		return nil, err
	}
	sw, _ := sonic.Examine(before)
	t := &trial{Switch: file, Port: f.Where[0], Before: trialSide{DSCP: f.Traffic.DSCP}, After: trialSide{DSCP: f.Traffic.Mended}}
	port := sw.Ports[slices.IndexFunc(sw.Ports, func(p *sonic.Port) bool { return p.Name == t.Port })]
	t.Speed = port.Speed.String()
	if err := r.Mend(after, sw); err != nil {
		return nil, err
	}
	resolved, err := t.resolve(port, f.Traffic.CNP, before, after)
	if err != nil || t.Refused != "" {
		return t, err
	}
	if err := t.run(ctx, e, resolved); err != nil {
		return nil, err
	}
	return t, nil
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
	side := func(name, file string, dscp int) string {
		return fmt.Sprintf("  - {preset: roce-v2-%dg, name: %s, switch: {sonic: %s, sonic-port: %s}, ethernet: {dscp: %d, cnp-dscp: %d}}\n",
			p.Speed/units.Gbps, name, file, p.Name, dscp, cnp)
	}
	return "name: lint\ncluster: {nodes: 4}\ntopology: {shape: single-switch}\nfabrics:\n" +
		side("before", "before.json", t.Before.DSCP) + side("after", "after.json", t.After.DSCP) +
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
		indented(e, "not simulated: ", t.Refused)
		return nil
	}
	fmt.Fprintf(w, "In the simulator: %d senders of %d MiB each to one receiver, on %s of %s at %s\n\n", trialSenders, trialMiB, t.Port, t.Switch, t.Speed)
	rows := [][]string{{"", "as configured", "mended"}}
	add := func(name string, of func(*trialSide) string) {
		rows = append(rows, []string{name, of(&t.Before), of(&t.After)})
	}
	add("DSCP", func(s *trialSide) string { return fmt.Sprint(s.DSCP) })
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
