package process

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/sim/runstore"
)

const (
	// clearLine is what a terminal takes to begin the line anew.
	clearLine = "\r\x1b[K"
	// Refresh is the period of a terminal's line of progress: short enough to see movement, long
	// enough to read.
	Refresh = 200 * time.Millisecond
	// pulse is the period of lines without a terminal: in the log of a batch job it shows that the
	// work goes on, and does not fill the log.
	pulse = 10 * time.Second
	// settle is the minimum time of work before the remaining time is estimated, and leastShare the minimum
	// share of it: the first parts are the least like the others.
	settle     = 2 * time.Second
	leastShare = 0.02
)

// Status reports the progress of long work on standard error: on a terminal in a changing line,
// elsewhere in a line every ten seconds, with --quiet not at all.
type Status struct {
	e       *Env
	started time.Time
	drawn   time.Time
	shown   bool
	Pace    pace
	of      string     // the part that the remaining time refers to, if more follows
	mu      sync.Mutex // of what follows
	text    string
	until   time.Duration // of the work, at which it ends by the estimate; 0: unknown
	now     runstore.Progress
	paused  time.Time     // since then; zero while the work goes on
	rested  time.Duration // in earlier pauses
	stop    chan struct{}
	stopped chan struct{}
}

// Begin reports the work of a verb without its own status. Verbs that wait for others have none.
func (e *Env) Begin(c *cobra.Command) {
	path := strings.TrimPrefix(c.CommandPath(), "weft ")
	for _, waits := range []string{"sm run", "ibsim", "perf", "live", "ui", "sniff", "completion", "__complete"} {
		if path == waits || strings.HasPrefix(path, waits+" ") {
			return
		}
	}
	e.general = e.Working(path + " is at work")
}

// Finish ends the report of begin.
func (e *Env) Finish() {
	if e.general != nil {
		e.general.End()
		e.general = nil
	}
}

// ClearLine clears the line of progress for a message.
func (e *Env) ClearLine() {
	if e.StderrTerminal && !e.Quiet {
		fmt.Fprint(e.screen, clearLine)
	}
}

// Working begins a report; end ends it.
func (e *Env) Working(what string) *Status {
	e.Finish()
	s := &Status{e: e, started: e.Now(), text: what}
	if !e.StderrTerminal && !e.Quiet {
		s.stop, s.stopped = make(chan struct{}), make(chan struct{})
		go s.repeat()
	}
	return s
}

// repeat writes a line every ten seconds, until it is stopped.
func (s *Status) repeat() {
	defer close(s.stopped)
	t := time.NewTicker(s.e.every())
	defer t.Stop()
	for n := time.Duration(1); ; n++ {
		select {
		case <-s.stop:
			return
		case <-t.C:
			s.mu.Lock()
			fmt.Fprintf(s.e.Stderr, "weft: after %s: %s\n", (n * pulse).String(), s.line())
			s.mu.Unlock()
		}
	}
}

// every is the period of lines; tests use a shorter one.
func (e *Env) every() time.Duration {
	if e.Pulse > 0 {
		return e.Pulse
	}
	return pulse
}

// Elapsed is the time since the work began, without pauses.
func (s *Status) Elapsed() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.worked()
}

// worked is elapsed. The caller has locked s.
func (s *Status) worked() time.Duration {
	now := s.e.Now()
	if !s.paused.IsZero() {
		now = s.paused
	}
	return now.Sub(s.started) - s.rested
}

// Enter begins or ends a pause, and returns the progress.
func (s *Status) Enter(state string) runstore.Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch now := s.e.Now(); {
	case state == runstore.Paused && s.paused.IsZero():
		s.paused = now
	case state != runstore.Paused && !s.paused.IsZero():
		s.rested, s.paused = s.rested+now.Sub(s.paused), time.Time{}
	}
	s.now.State, s.now.Seconds = state, s.worked().Seconds()
	return s.now
}

// Show shows the current work, in a run folder as p, elsewhere as text.
func (s *Status) Show(p runstore.Progress, parts ...string) {
	s.mu.Lock()
	s.text, s.now, s.until = strings.Join(parts, "  "), p, 0
	if p.Left > 0 {
		s.until = s.worked() + time.Duration(p.Left*float64(time.Second))
	}
	text := s.line()
	s.mu.Unlock()
	if !s.e.StderrTerminal {
		return
	}
	now := s.e.Now()
	if s.e.Quiet || s.shown && now.Sub(s.drawn) < Refresh {
		return
	}
	s.drawn, s.shown = now, true
	if w := s.e.Width; w > 1 && len([]rune(text)) >= w {
		text = string([]rune(text)[:w-1])
	}
	fmt.Fprint(s.e.screen, clearLine+strings.Map(visible, text))
}

// RefersTo sets the part of the work that the remaining time refers to, such as " of the first seed"; empty
// for all of it.
func (s *Status) RefersTo(part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of = part
}

// line is the current work with the time that is left of it now. The caller has locked s.
func (s *Status) line() string {
	text := s.text
	if left := s.until - s.worked(); s.until > 0 && left > 0 {
		text += "  about " + durationText(left) + " left" + s.of
	}
	if !s.paused.IsZero() {
		text += "  paused in weft ui"
	}
	return text
}

// visible removes control characters, which a terminal would obey.
func visible(r rune) rune {
	if r == '\n' || r == '\t' || !harmless(r) {
		return ' '
	}
	return r
}

// Count is show for work that consists of a number of parts.
func (s *Status) Count(done, total int, what string) {
	s.Parts(done, total, what, s.left(done, total))
}

// Parts is Count with the time that the other parts will take, where it is known better.
func (s *Status) Parts(done, total int, what string, left time.Duration) {
	s.Show(runstore.Progress{Done: done, Total: total, What: what, Left: left.Seconds()}, fmt.Sprintf("%d of %d", done, total), what)
}

// Pieces shows the progress of pieces of work.
func (s *Status) Pieces(p weft.Progress) { s.Count(p.Done, p.Total, p.Fabric) }

// Shared shows the progress of pieces that say, while they run, which share of the work is done.
func (s *Status) Shared(p weft.Progress) {
	s.Parts(p.Done, p.Total, p.Fabric, s.Pace.Left(p.Share, s.Elapsed()))
}

// left is the time that the other parts of the work will take, if all take the same.
func (s *Status) left(done, total int) time.Duration {
	return s.Pace.Left(float64(done)/float64(max(1, total)), s.Elapsed())
}

// pace is the progress of work from its first report on.
type pace struct {
	began   time.Duration // at the first report; 0: with the work
	since   float64       // share of the work that was done then
	changed time.Duration // at the last report with another share
	share   float64       // that one
}

// Left estimates the remaining time from the share of the work that is done: the work goes on at the pace that it has
// had so far. A small share says that the work begins, maybe anew. While the share stays, the estimate decreases with
// the clock, and past its end there is none, which is 0.
func (p *pace) Left(share float64, elapsed time.Duration) time.Duration {
	if share < leastShare && (p.began == 0 || share < p.share) {
		p.began, p.since = elapsed, share
	}
	if share != p.share {
		p.share, p.changed = share, elapsed
	}
	if elapsed-p.began < settle || share-p.since < leastShare || share >= 1 {
		return 0
	}
	all := float64(p.changed-p.began) * (1 - p.since) / (share - p.since)
	return max(0, time.Duration(all)-(elapsed-p.began))
}

// Clear removes the line until the next one.
func (s *Status) Clear() {
	if s.shown {
		s.shown = false
		fmt.Fprint(s.e.screen, clearLine)
	}
}

// End ends the reports.
func (s *Status) End() {
	s.Clear()
	if s.stop != nil {
		close(s.stop)
		<-s.stopped
		s.stop = nil
	}
}

// durationText is a wall-clock time in suitable units.
func durationText(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
