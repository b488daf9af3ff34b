package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"weft"
	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/roce/lint"
	"weft/internal/roce/prove"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// maxTrials bounds the trials of a switch: each takes about a second.
const maxTrials = 16

// trial is a finding in the simulator: the switch as configured, and corrected.
type trial struct {
	Rule    string    `json:"rule"`
	At      string    `json:"at"`
	Switch  string    `json:"switch"`
	Port    string    `json:"port,omitempty"`
	Speed   string    `json:"speed,omitempty"`
	Traffic string    `json:"traffic,omitempty"`
	Before  trialSide `json:"as_configured"`
	After   trialSide `json:"mended"`
	Refused string    `json:"not_simulated,omitempty"` // why

	shows []prove.Figure
}

// trialSide is the results of one of the two fabrics.
type trialSide struct {
	DSCP       int    `json:"dscp"`
	CNPDSCP    int    `json:"cnp_dscp"`
	Packets    string `json:"packets,omitempty"`
	Congestion string `json:"congestion_control"` // dcqcn or none
	Room       int64  `json:"room_bytes,omitempty"`
	TimePs     int64  `json:"time_ps"`
	OwnTimePs  int64  `json:"own_time_ps,omitempty"`
	Dropped    int64  `json:"dropped_packets"`
	DroppedMTU int64  `json:"dropped_mtu,omitempty"` // part of them: longer than the switch's MTU
	Resent     int64  `json:"resent_packets"`
	Pauses     int64  `json:"pfc_pauses"`
	Storms     int64  `json:"pfc_storms,omitempty"`
	Marks      int64  `json:"ecn_marks"`
	CNPDelayPs int64  `json:"cnp_delay_ps,omitempty"` // the mean
	Failed     string `json:"failed,omitempty"`
}

// addTrials simulates the findings of a switch, findings of the same rule and DSCP once. Findings
// without a trial are listed with the reason.
func addTrials(ctx context.Context, e *Env, trials []trial, file string, r *lint.Report) ([]trial, error) {
	type kind struct {
		rule string
		lint.Traffic
	}
	seen := map[kind]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		k := kind{f.Rule, f.Traffic}
		if seen[k] {
			continue
		}
		seen[k] = true
		t := &trial{Rule: f.Rule, At: f.At.String(), Switch: file}
		if len(seen) > maxTrials {
			t.Refused = fmt.Sprintf("%d findings are simulated at most", maxTrials)
		} else if err := t.simulate(ctx, e, r, f); err != nil {
			return nil, err
		}
		trials = append(trials, *t)
	}
	return trials, nil
}

// simulate runs the trial of a finding. A configuration that the simulator cannot represent is
// reported, and is not an error of the lint.
func (t *trial) simulate(ctx context.Context, e *Env, r *lint.Report, f *lint.Finding) error {
	before, err := e.readSONiC(t.Switch)
	if err != nil {
		return err
	}
	after, err := e.readSONiC(t.Switch)
	if err != nil {
		return err
	}
	p, err := prove.Of(r, f, before, after)
	var refusal prove.Refusal
	if errors.As(err, &refusal) {
		t.Refused = string(refusal)
		return nil
	}
	if err != nil {
		return err
	}
	t.Port, t.Speed, t.Traffic, t.shows = p.Port.Name, p.Port.Speed.String(), p.Traffic, p.Shows
	t.Before, t.After = sideOf(&p.Before), sideOf(&p.After)
	resolved, err := t.resolve(p)
	if err != nil || t.Refused != "" {
		return err
	}
	return t.run(ctx, e, resolved, p.Class)
}

// sideOf is the description of a side before it runs.
func sideOf(s *prove.Side) trialSide {
	out := trialSide{DSCP: s.DSCP, CNPDSCP: s.CNP, Congestion: s.Congestion, Room: int64(s.Room)}
	switch {
	case s.TCP:
		out.Packets = fmt.Sprintf("TCP's of %d B", s.MTU)
	case s.MTU > 0:
		out.Packets = fmt.Sprintf("RDMA's with %d B of payload", s.MTU)
	}
	return out
}

// resolve makes the scenario of a trial. Refused is the reason if the simulator does not accept it.
func (t *trial) resolve(p *prove.Proof) (*scenario.Resolved, error) {
	dir, err := os.MkdirTemp("", "weft-lint-")
	if err != nil {
		return nil, fail(Failed, "--simulate: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files := map[string]string{"proof.yaml": p.Scenario()}
	for _, s := range []*prove.Side{&p.Before, &p.After} {
		var b strings.Builder
		if err := s.Config.Write(&b); err != nil {
			return nil, err
		}
		files[s.Name+".json"] = b.String()
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, fail(Failed, "--simulate: %w", err)
		}
	}
	var resolved *scenario.Resolved
	s, err := scenario.Load(filepath.Join(dir, "proof.yaml"))
	if err == nil {
		resolved, err = s.Resolve()
	}
	if err != nil {
		t.Refused = strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	}
	return resolved, nil
}

// run simulates both sides; class is the priority whose messages are timed separately.
func (t *trial) run(ctx context.Context, e *Env, r *scenario.Resolved, class int) error {
	results, err := e.Run(ctx, r, weft.Options{})
	if verdict := outcome(ctx, results, err); verdict != nil && codeOf(verdict) != Failed {
		return verdict
	}
	for _, f := range results.Fabrics {
		side := &t.Before
		if f.Name == "after" {
			side = &t.After
		}
		if len(f.Points) == 1 {
			side.take(&f.Points[0], units.SL(class))
		}
	}
	return nil
}

func (s *trialSide) take(p *runstore.Point, class units.SL) {
	s.TimePs, s.Failed = int64(p.Time), p.Failure
	c := &p.Counts
	s.Dropped, s.Resent, s.Pauses, s.Storms, s.Marks = c.Drops(), c.Retransmissions, c.Pauses, c.PFCStorms, c.Marks
	s.DroppedMTU = c.DroppedMTU
	if c.CNPsTaken > 0 {
		s.CNPDelayPs = c.CNPDelay / c.CNPsTaken
	}
	for _, l := range p.Levels {
		if l.SL == class {
			s.OwnTimePs = int64(l.Flows.Max)
		}
	}
}

// figures are how a side shows each figure.
var figures = map[prove.Figure]func(*trialSide) string{
	prove.DSCP:       func(s *trialSide) string { return fmt.Sprint(s.DSCP) },
	prove.CNPDSCP:    func(s *trialSide) string { return fmt.Sprint(s.CNPDSCP) },
	prove.Packets:    func(s *trialSide) string { return s.Packets },
	prove.Congestion: func(s *trialSide) string { return s.Congestion },
	prove.Room:       func(s *trialSide) string { return report.Integer(s.Room) + " B" },
	prove.Time:       func(s *trialSide) string { return s.timeText(s.TimePs) },
	prove.OwnTime:    func(s *trialSide) string { return s.timeText(s.OwnTimePs) },
	prove.VictimTime: func(s *trialSide) string { return s.timeText(s.OwnTimePs) },
	prove.Dropped:    func(s *trialSide) string { return report.Integer(s.Dropped) },
	prove.Resent:     func(s *trialSide) string { return report.Integer(s.Resent) },
	prove.Pauses:     func(s *trialSide) string { return report.Integer(s.Pauses) },
	prove.Storms:     func(s *trialSide) string { return report.Integer(s.Storms) },
	prove.Marks:      func(s *trialSide) string { return report.Integer(s.Marks) },
	prove.CNPDelay:   func(s *trialSide) string { return s.timeText(s.CNPDelayPs) },
}

// timeText is a time, or the reason why there is none.
func (s *trialSide) timeText(ps int64) string {
	switch {
	case ps > 0:
		return units.Time(ps).String()
	case s.Failed != "":
		reason, _, _ := strings.Cut(s.Failed, ";")
		reason, _, _ = strings.Cut(reason, " (") // --json has the whole text
		return "failed: " + reason
	}
	return "unknown"
}

// section is a trial as a section of the document.
func (t *trial) section() doc.Section {
	out := doc.Section{Title: fmt.Sprintf("Simulated: %s at %s", t.Rule, t.At), In: doc.Details}
	if t.Refused != "" {
		out.Blocks = []doc.Block{doc.Paragraph{Lead: "Not simulated:", Text: t.Refused + "."}}
		return out
	}
	rows := [][]string{{"", "as configured", "mended"}}
	for _, f := range t.shows {
		rows = append(rows, []string{string(f), figures[f](&t.Before), figures[f](&t.After)})
	}
	out.Blocks = append(doc.Paragraphs(fmt.Sprintf("%s, on %s at %s.", upperFirst(t.Traffic), t.Port, t.Speed)), doc.Grid(rows, 1, 2))
	return out
}
