package roce

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/internal/roce/lint"
	"weft/internal/roce/prove"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// maxTrials bounds the trials of a switch: each takes about a second.
const maxTrials = 16

// addTrials simulates the findings of a switch, findings of the same rule and DSCP once. Findings
// without a trial are listed with the reason.
func addTrials(ctx context.Context, e *simulator.Simulator, trials []prove.Trial, file string, r *lint.Report) ([]prove.Trial, error) {
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
		t := &prove.Trial{Rule: f.Rule, At: f.At.String(), Switch: file}
		if len(seen) > maxTrials {
			t.Refused = fmt.Sprintf("%d findings are simulated at most", maxTrials)
		} else if err := simulateFinding(ctx, e, t, r, f); err != nil {
			return nil, err
		}
		trials = append(trials, *t)
	}
	return trials, nil
}

// simulateFinding runs the trial of a finding: mended with all fixes, or with its own alone if the
// simulator refuses the others. A configuration that the simulator cannot represent is reported, and is
// not an error of the lint.
func simulateFinding(ctx context.Context, e *simulator.Simulator, t *prove.Trial, r *lint.Report, f *lint.Finding) error {
	alone := &lint.Report{Name: r.Name, Findings: []lint.Finding{*f}}
	for _, with := range []*lint.Report{r, alone} {
		t.Refused = ""
		resolved, class, err := beginTrial(e, t, with, f)
		if err != nil {
			return err
		}
		if t.Refused == "" {
			return runTrial(ctx, e, t, resolved, class)
		}
	}
	return nil
}

// beginTrial makes the scenario of a trial; class is the priority whose messages are timed separately.
func beginTrial(e *simulator.Simulator, t *prove.Trial, r *lint.Report, f *lint.Finding) (resolved *scenario.Resolved, class int, err error) {
	before, err := readSONiC(e, t.Switch)
	if err != nil {
		return nil, 0, err
	}
	after, err := readSONiC(e, t.Switch)
	if err != nil {
		return nil, 0, err
	}
	p, err := prove.Of(r, f, before, after)
	var refusal prove.Refusal
	if errors.As(err, &refusal) {
		t.Refused = string(refusal)
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	t.Begin(p)
	resolved, err = resolveTrial(t, p)
	return resolved, p.Class, err
}

// resolveTrial makes the scenario of a trial. Refused is the reason if the simulator does not accept it.
func resolveTrial(t *prove.Trial, p *prove.Proof) (*scenario.Resolved, error) {
	dir, err := os.MkdirTemp("", "weft-lint-")
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "--simulate: %w", err)
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
			return nil, exit.Errorf(exit.Failed, "--simulate: %w", err)
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

// runTrial simulates both sides; class is the priority whose messages are timed separately.
func runTrial(ctx context.Context, e *simulator.Simulator, t *prove.Trial, r *scenario.Resolved, class int) error {
	results, err := e.Run(ctx, r, weft.Options{})
	if verdict := simulator.Outcome(ctx, results, err); verdict != nil && exit.CodeOf(verdict) != exit.Failed {
		return verdict
	}
	for _, f := range results.Fabrics {
		side := &t.Before
		if f.Name == "after" {
			side = &t.After
		}
		if len(f.Points) == 1 {
			takeResult(side, &f.Points[0], units.SL(class))
		}
	}
	return nil
}

// takeResult takes the figures of a side that ran.
func takeResult(s *prove.Result, p *results.Point, class units.SL) {
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
var figures = map[prove.Figure]func(*prove.Result) doc.Cell{
	prove.DSCP:       func(s *prove.Result) doc.Cell { return doc.Instead(fmt.Sprint(s.DSCP)) },
	prove.CNPDSCP:    func(s *prove.Result) doc.Cell { return doc.Instead(fmt.Sprint(s.CNPDSCP)) },
	prove.Packets:    func(s *prove.Result) doc.Cell { return doc.Instead(s.Packets) },
	prove.Congestion: func(s *prove.Result) doc.Cell { return doc.Instead(s.Congestion) },
	prove.Room:       func(s *prove.Result) doc.Cell { return doc.ExactBytes(s.Room).As(doc.Integer(s.Room) + " B") },
	prove.Time:       func(s *prove.Result) doc.Cell { return timeCell(s, s.TimePs) },
	prove.OwnTime:    func(s *prove.Result) doc.Cell { return timeCell(s, s.OwnTimePs) },
	prove.VictimTime: func(s *prove.Result) doc.Cell { return timeCell(s, s.OwnTimePs) },
	prove.Dropped:    func(s *prove.Result) doc.Cell { return doc.Count(s.Dropped) },
	prove.Resent:     func(s *prove.Result) doc.Cell { return doc.Count(s.Resent) },
	prove.Pauses:     func(s *prove.Result) doc.Cell { return doc.Count(s.Pauses) },
	prove.Storms:     func(s *prove.Result) doc.Cell { return doc.Count(s.Storms) },
	prove.Marks:      func(s *prove.Result) doc.Cell { return doc.Count(s.Marks) },
	prove.CNPDelay:   func(s *prove.Result) doc.Cell { return timeCell(s, s.CNPDelayPs) },
}

// timeCell is a time, or the reason why there is none.
func timeCell(s *prove.Result, ps int64) doc.Cell {
	switch {
	case ps > 0:
		return doc.Time(units.Time(ps))
	case s.Failed != "":
		reason, _, _ := strings.Cut(s.Failed, ";")
		reason, _, _ = strings.Cut(reason, " (") // --json has the whole text
		return doc.Instead("failed: " + reason)
	}
	return doc.Instead("unknown")
}

// trialSection is a trial as a section of the document.
func trialSection(t *prove.Trial) doc.Section {
	out := doc.Section{Title: fmt.Sprintf("Simulated: %s at %s", t.Rule, t.At), In: doc.Details}
	if t.Refused != "" {
		out.Blocks = []doc.Block{doc.Paragraph{Lead: "Not simulated:", Text: t.Refused + "."}}
		return out
	}
	rows := doc.NewTable("", "as configured", "mended")
	for _, f := range t.Shows {
		rows.Add(doc.Text(string(f)), figures[f](&t.Before), figures[f](&t.After))
	}
	out.Blocks = append(doc.Paragraphs(fmt.Sprintf("%s, on %s at %s.", upperFirst(t.Traffic), t.Port, t.Speed)), rows)
	return out
}
