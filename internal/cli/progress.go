package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/internal/sim"
	"weft/scenario"
	"weft/units"
)

// refresh is how often the line of progress changes: often enough to be seen to
// move, seldom enough to be read.
const refresh = 200 * time.Millisecond

// settle is how long a run goes before the time that is left is estimated.
const settle = 2 * time.Second

// progress is one line on the terminal that says how far a run has come.
// Without a terminal there is none.
type progress struct {
	e       *Env
	on      bool
	started time.Time
	drawn   time.Time
	shown   bool
	costs   []float64 // of the simulations, in their order
}

func newProgress(e *Env, r *scenario.Resolved) *progress {
	return &progress{e: e, on: e.StderrTerminal, started: e.Now(), costs: costs(r)}
}

// costs guesses the work of each simulation, in proportion to the bytes and with
// a floor for the steps that every size takes. The simulator starts with the
// smallest.
func costs(r *scenario.Resolved) []float64 {
	var out []float64
	floor := 4096 * float64(max(1, r.Cluster.Ranks()))
	for range r.Fabrics {
		for _, size := range r.Workload.Sizes {
			out = append(out, floor+float64(size))
		}
	}
	slices.Sort(out)
	return out
}

// callback is what the simulator calls, nil without a terminal.
func (p *progress) callback() func(sim.Progress) {
	if !p.on {
		return nil
	}
	return p.update
}

func (p *progress) update(s sim.Progress) {
	now := p.e.Now()
	if p.shown && now.Sub(p.drawn) < refresh {
		return
	}
	p.drawn, p.shown = now, true
	line := p.line(s, now.Sub(p.started))
	if w := p.e.Width; w > 1 && len([]rune(line)) >= w {
		line = string([]rune(line)[:w-1])
	}
	fmt.Fprintf(p.e.Stderr, "\r\x1b[K%s", line)
}

func (p *progress) line(s sim.Progress, elapsed time.Duration) string {
	parts := []string{fmt.Sprintf("%d of %d", s.Done, s.Total), s.Fabric}
	if s.Bytes > 0 {
		parts = append(parts, units.Bytes(s.Bytes).String())
	}
	parts = append(parts, "simulated "+s.Simulated.String())
	if sec := elapsed.Seconds(); sec > 0.05 {
		parts = append(parts, fmt.Sprintf("%.1f M events/s", float64(s.Events)/sec/1e6))
	}
	if left, ok := p.left(s, elapsed); ok {
		parts = append(parts, "about "+durationText(left)+" left")
	}
	return strings.Join(parts, "  ")
}

// left estimates the time that is left from the work that is done.
func (p *progress) left(s sim.Progress, elapsed time.Duration) (time.Duration, bool) {
	if elapsed < settle || s.Done == 0 || s.Done >= s.Total || s.Total != len(p.costs) {
		return 0, false
	}
	done, all := 0.0, 0.0
	for i, c := range p.costs {
		all += c
		if i < s.Done {
			done += c
		}
	}
	return time.Duration(float64(elapsed) * (all - done) / done), true
}

// durationText is a time on the wall clock, in what a person counts in.
func durationText(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// end takes the line away, until there is another.
func (p *progress) end() {
	if p.shown {
		p.shown = false
		fmt.Fprint(p.e.Stderr, "\r\x1b[K")
	}
}
