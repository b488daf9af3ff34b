package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
)

// Runner simulates a scenario. When ctx ends it returns what was measured until
// then, with Partial set, and a nil or a context error.
type Runner func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*runstore.Results, error)

// Env is the process that the command line runs in.
type Env struct {
	Args   []string // without the program's name
	Getenv func(string) string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	Dir            string // what relative paths start from; "" is the process's own
	StdoutTerminal bool
	StderrTerminal bool
	Width          int // of the terminal in columns; 0 is unknown

	Now     func() time.Time
	Cores   int // that the process may use
	Version Version
	Run     Runner // nil is weft.Run

	// Pulse is how often a line of progress comes where there is no terminal; 0 is ten
	// seconds.
	Pulse time.Duration

	general  *status         // of a verb that does not tell of its work itself
	document []byte          // what --json prints at the end
	begun    bool            // of that the beginning is printed: what follows is the rest
	quiet    bool            // --quiet: no progress, and no word of what was written
	details  bool            // --details: all of a document, also where it is more than a screen
	html     string          // --html: the file for the page
	screen   io.Writer       // standard error as it is, for the line of progress
	done     <-chan struct{} // set by Main: closed once the command is to end
}

// path is a file's path as the process sees it.
func (e *Env) path(p string) string {
	if e.Dir == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(e.Dir, p)
}

// note says on standard error what was done. With --quiet it does not.
func (e *Env) note(format string, args ...any) {
	if !e.quiet {
		fmt.Fprintf(e.Stderr, format, args...)
	}
}

// style is how standard output shows tables. NO_COLOR is the convention of
// no-color.org.
func (e *Env) style() doc.Style {
	s := doc.Style{Details: e.details}
	if e.StdoutTerminal {
		s.Width = max(e.Width, 0)
		s.Colour = e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
	}
	return s
}

// detailsFlag registers the flag for all of a document that is longer than a screen.
func (e *Env) detailsFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&e.details, "details", false, "print everything, also where it is more than a screen of 50 lines")
}

// pageFlag registers the flag for the page of a verb that has no folder for it.
func (e *Env) pageFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.html, "html", "", "write a page for the browser into this file; - is standard output, and then nothing else")
	_ = cmd.MarkFlagFilename("html", "html")
}

// tell prints a document.
func (e *Env) tell(d *doc.Document) error { return d.Terminal(e.Stdout, e.style()) }

// present writes the page that --html asks for, and prints the document, or its result as
// JSON: a value, or the text of one.
func (e *Env) present(d *doc.Document, asJSON bool, result any) error {
	if e.html != "" {
		if err := e.writeFile(e.html, d.HTML); err != nil {
			return err
		}
	}
	if !asJSON {
		return e.tell(d)
	}
	if text, is := result.([]byte); is {
		return e.answer(text)
	}
	return printJSON(e, result)
}
