package cli

import (
	"fmt"
	"math"
	"time"

	"weft/internal/collisions"
	"weft/internal/tune"
)

// countProgress is one line on the terminal that says how many simulations of many are done.
// Without a terminal there is none.
type countProgress struct {
	e              *Env
	started, drawn time.Time
	shown          bool
}

func newCountProgress(e *Env) *countProgress { return &countProgress{e: e, started: e.Now()} }

// callback is what the tuning calls, nil without a terminal.
func (p *countProgress) callback() func(tune.Progress) {
	if !p.e.StderrTerminal {
		return nil
	}
	return p.update
}

// count is what collisions call, nil without a terminal.
func (p *countProgress) count() collisions.Progress {
	if !p.e.StderrTerminal {
		return nil
	}
	return func(done, total int) {
		p.draw(fmt.Sprintf("%d of %d simulations", done, total), done, total)
	}
}

func (p *countProgress) update(s tune.Progress) {
	text := fmt.Sprintf("%s: %d of at most %d simulations", s.Doing, s.Done, s.Total)
	if !math.IsInf(s.Best, 0) {
		text += fmt.Sprintf("  best %.4g", s.Best)
	}
	p.draw(text, s.Done, s.Total)
}

// draw shows a line, with what is left of the time.
func (p *countProgress) draw(text string, done, total int) {
	now := p.e.Now()
	if p.shown && now.Sub(p.drawn) < refresh {
		return
	}
	p.drawn, p.shown = now, true
	if elapsed := now.Sub(p.started); elapsed > settle && done > 0 && done < total {
		left := time.Duration(float64(elapsed) * float64(total-done) / float64(done))
		text += "  about " + durationText(left) + " left"
	}
	if w := p.e.Width; w > 1 && len([]rune(text)) >= w {
		text = string([]rune(text)[:w-1])
	}
	fmt.Fprintf(p.e.Stderr, "\r\x1b[K%s", text)
}

// end takes the line away.
func (p *countProgress) end() {
	if p.shown {
		fmt.Fprint(p.e.Stderr, "\r\x1b[K")
	}
}
