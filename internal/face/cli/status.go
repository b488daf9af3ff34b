package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

const (
	// refresh is how often a terminal's line of progress changes: often enough to be
	// seen to move, seldom enough to be read.
	refresh = 200 * time.Millisecond
	// pulse is how often a line comes elsewhere: in the log of a batch job it shows that
	// the work goes on, and does not fill the log.
	pulse = 10 * time.Second
	// settle is how long work goes on before the time that is left is estimated.
	settle = 2 * time.Second
)

// status says on standard error what long work is at: on a terminal in a line that
// changes, elsewhere in a line every ten seconds, with --quiet not at all.
type status struct {
	e       *Env
	started time.Time
	drawn   time.Time
	shown   bool
	pace    pace
	of      string     // what the time is left of, where more comes after it
	mu      sync.Mutex // of text
	text    string
	stop    chan struct{}
	stopped chan struct{}
}

// begin tells of the work of a verb that does not tell of it itself. Verbs that wait for
// others have none.
func (e *Env) begin(c *cobra.Command) {
	path := strings.TrimPrefix(c.CommandPath(), "weft ")
	for _, waits := range []string{"sm run", "ibsim", "perf", "live", "ping", "pingpong", "rping", "sniff", "completion", "__complete"} {
		if path == waits || strings.HasPrefix(path, waits+" ") {
			return
		}
	}
	e.general = e.working(path + " is at work")
}

// finish ends what begin began.
func (e *Env) finish() {
	if e.general != nil {
		e.general.end()
		e.general = nil
	}
}

// working begins to tell of work; end ends it.
func (e *Env) working(what string) *status {
	e.finish()
	s := &status{e: e, started: e.Now(), text: what}
	if !e.StderrTerminal && !e.quiet {
		s.stop, s.stopped = make(chan struct{}), make(chan struct{})
		go s.repeat()
	}
	return s
}

// repeat writes a line every ten seconds, until stop.
func (s *status) repeat() {
	defer close(s.stopped)
	t := time.NewTicker(s.e.every())
	defer t.Stop()
	for n := time.Duration(1); ; n++ {
		select {
		case <-s.stop:
			return
		case <-t.C:
			s.mu.Lock()
			fmt.Fprintf(s.e.Stderr, "weft: after %s: %s\n", (n * pulse).String(), s.text)
			s.mu.Unlock()
		}
	}
}

// every is how often a line comes; tests have no ten seconds.
func (e *Env) every() time.Duration {
	if e.Pulse > 0 {
		return e.Pulse
	}
	return pulse
}

// elapsed is how long the work has gone on.
func (s *status) elapsed() time.Duration { return s.e.Now().Sub(s.started) }

// show says what the work is at. left is the time that is left, as far as it is known.
func (s *status) show(parts []string, left time.Duration, known bool) {
	if known {
		parts = append(parts, "about "+durationText(left)+" left"+s.of)
	}
	text := strings.Join(parts, "  ")
	if !s.e.StderrTerminal {
		s.mu.Lock()
		s.text = text
		s.mu.Unlock()
		return
	}
	now := s.e.Now()
	if s.e.quiet || s.shown && now.Sub(s.drawn) < refresh {
		return
	}
	s.drawn, s.shown = now, true
	if w := s.e.Width; w > 1 && len([]rune(text)) >= w {
		text = string([]rune(text)[:w-1])
	}
	fmt.Fprint(s.e.screen, "\r\x1b[K"+strings.Map(visible, text))
}

// visible keeps from a terminal what it would obey.
func visible(r rune) rune {
	if r == '\n' || r == '\t' || !harmless(r) {
		return ' '
	}
	return r
}

// count is show of work that is so many parts of so many.
func (s *status) count(done, total int, what string) {
	left, known := s.pace.left(done, float64(done)/float64(max(1, total)), s.elapsed())
	s.show([]string{fmt.Sprintf("%d of %d", done, total), what}, left, known)
}

// pace is when the last of many parts was done.
type pace struct {
	done int
	at   time.Duration
}

// left estimates the time that is left, where so many parts are done, which are that
// share of all the work. It counts from the end of the last part: while a long one is
// under way the estimate falls as the clock goes, and past its end there is none.
func (p *pace) left(done int, share float64, elapsed time.Duration) (time.Duration, bool) {
	if done != p.done {
		p.done, p.at = done, elapsed
	}
	if elapsed < settle || done == 0 || share <= 0 || share >= 1 {
		return 0, false
	}
	left := time.Duration(float64(p.at)/share) - elapsed
	return left, left > 0
}

// clear takes the line away, until there is another.
func (s *status) clear() {
	if s.shown {
		s.shown = false
		fmt.Fprint(s.e.screen, "\r\x1b[K")
	}
}

// end ends the telling.
func (s *status) end() {
	s.clear()
	if s.stop != nil {
		close(s.stop)
		<-s.stopped
		s.stop = nil
	}
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
