package simulator

import (
	"fmt"
	"time"

	"weft"
	"weft/internal/face/cli/process"
	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/units"
)

// Progress reports the progress of a run.
type Progress struct {
	*process.Status
	first int // simulations of the first seed
}

// NewProgress is the progress of a run on standard error.
func NewProgress(e *Simulator) *Progress {
	return &Progress{Status: e.Working("the simulation begins")}
}

// Update is the simulator's callback.
func (p *Progress) Update(s weft.Progress) {
	if p.first == 0 {
		p.first = s.Total
	}
	if s.Total > p.first {
		p.RefersTo("") // the other seeds are part of the work
	}
	ShowProgress(p.Status, s, p.left(s, p.Elapsed()))
}

// testing is the callback of the simulations that test leads; what they vary is no name of a fabric.
func (p *Progress) testing(s weft.Progress) {
	s.Fabric = "tests of leads"
	ShowProgress(p.Status, s, 0)
}

// ShowProgress shows the progress of simulations.
func ShowProgress(s *process.Status, p weft.Progress, left time.Duration) {
	parts := []string{fmt.Sprintf("%d of %d", p.Done, p.Total), p.Fabric + knownOf(p)}
	if p.Bytes > 0 {
		parts = append(parts, units.Bytes(p.Bytes).String())
	}
	if p.Events > 0 {
		parts = append(parts, simulated(p))
		if sec := s.Elapsed().Seconds(); sec > 0.05 {
			parts = append(parts, fmt.Sprintf("%.1f M events/s", float64(p.Events-p.Skipped.Events)/sec/1e6))
		}
	}
	s.Show(runstore.Progress{
		Done: p.Done, Total: p.Total, What: p.Fabric, Bytes: p.Bytes,
		SimulatedPs: int64(p.Simulated), Events: p.Events, Hops: p.Hops,
		Periods: p.Skipped.Periods, SkippedPs: int64(p.Skipped.Time), Left: left.Seconds(),
	}, parts...)
}

// simulated is the simulated time, with the part of it that was skipped in periods.
func simulated(s weft.Progress) string {
	text := "simulated " + s.Simulated.String()
	if skipped := s.Skipped; skipped.Periods > 0 {
		text += fmt.Sprintf(", of which skipped %v (periods: %s)", skipped.Time, doc.Integer(skipped.Periods))
	}
	return text
}

// knownOf says how many simulations were known.
func knownOf(s weft.Progress) string {
	if s.Known == 0 {
		return ""
	}
	return fmt.Sprintf(", %d known", s.Known)
}

// left estimates the remaining time from the share of the work that is done.
func (p *Progress) left(s weft.Progress, elapsed time.Duration) time.Duration {
	return p.Pace.Left(s.Share, elapsed)
}
