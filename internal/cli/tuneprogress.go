package cli

import (
	"fmt"
	"math"
	"time"

	"weft/internal/tune"
)

// tuneProgress is one line on the terminal that says how far a tuning has come.
// Without a terminal there is none.
type tuneProgress struct {
	e              *Env
	started, drawn time.Time
	shown          bool
}

func newTuneProgress(e *Env) *tuneProgress { return &tuneProgress{e: e, started: e.Now()} }

// callback is what the tuning calls, nil without a terminal.
func (p *tuneProgress) callback() func(tune.Progress) {
	if !p.e.StderrTerminal {
		return nil
	}
	return p.update
}

func (p *tuneProgress) update(s tune.Progress) {
	now := p.e.Now()
	if p.shown && now.Sub(p.drawn) < refresh {
		return
	}
	p.drawn, p.shown = now, true
	text := fmt.Sprintf("%s: %d of at most %d simulations", s.Doing, s.Done, s.Total)
	if !math.IsInf(s.Best, 0) {
		text += fmt.Sprintf("  best %.4g", s.Best)
	}
	if elapsed := now.Sub(p.started); elapsed > settle && s.Done > 0 && s.Done < s.Total {
		left := time.Duration(float64(elapsed) * float64(s.Total-s.Done) / float64(s.Done))
		text += "  about " + durationText(left) + " left"
	}
	if w := p.e.Width; w > 1 && len([]rune(text)) >= w {
		text = string([]rune(text)[:w-1])
	}
	fmt.Fprintf(p.e.Stderr, "\r\x1b[K%s", text)
}

// end takes the line away.
func (p *tuneProgress) end() {
	if p.shown {
		fmt.Fprint(p.e.Stderr, "\r\x1b[K")
	}
}
