package cli

import "fmt"

// statusLine shows on a terminal what a verb of many simulations is at. In a pipe
// there is none.
type statusLine struct {
	e     *Env
	shown bool
}

func (s *statusLine) show(done, total int, what string) {
	if !s.e.StderrTerminal {
		return
	}
	s.shown = true
	fmt.Fprintf(s.e.Stderr, "\r\x1b[K%d of %d  %s", done, total, what)
}

// end takes the line away.
func (s *statusLine) end() {
	if s.shown {
		fmt.Fprint(s.e.Stderr, "\r\x1b[K")
	}
}
