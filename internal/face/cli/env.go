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
	"weft/internal/study/sweep"
	"weft/results"
	"weft/scenario"
)

// Runner simulates a scenario. When ctx ends it returns the results so far, with Partial set, and a
// nil or a context error.
type Runner func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error)

// Env is the environment of the command line: the process.
type Env struct {
	Args   []string // without the program's name
	Getenv func(string) string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	Dir            string // base of relative paths; "" is the process's own
	StdoutTerminal bool
	StderrTerminal bool
	Width          int // of the terminal in columns; 0 is unknown

	Now     func() time.Time
	Cores   int // cores that the process may use
	Version Version
	Run     Runner // nil is weft.Run

	// UserCache is the user's cache folder, as os.UserCacheDir gives it; nil: there is none.
	UserCache func() (string, error)

	// Pulse is the period of progress lines without a terminal; 0 is ten seconds.
	Pulse time.Duration

	general  *status         // status of a verb without its own
	document []byte          // output of --json at the end
	begun    bool            // the beginning, with the version, is printed already: a list as long as a capture
	quiet    bool            // --quiet: no progress, and no messages about written files
	details  bool            // --details: the whole document, even if it exceeds a screen
	exact    weft.Exact      // --exact: skipping of repeated periods
	html     string          // --html: the file for the page
	screen   io.Writer       // standard error itself, for the line of progress
	done     <-chan struct{} // set by Main: closed when the command must end
	sharing  *sweep.Sharing  // nil: this process shares no simulations
	known    *knownResults   // set by Main
}

// path is a file's path in the process's view.
func (e *Env) path(p string) string {
	if e.Dir == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(e.Dir, p)
}

// note reports an action on standard error, unless --quiet is set.
func (e *Env) note(format string, args ...any) {
	if !e.quiet {
		fmt.Fprintf(e.Stderr, format, args...)
	}
}

// style is the style of tables on standard output. NO_COLOR is the convention of no-color.org.
func (e *Env) style() doc.Style {
	s := doc.Style{Details: e.details}
	if e.StdoutTerminal {
		s.Width = max(e.Width, 0)
		s.Colour = e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
	}
	return s
}

// detailsFlag registers the flag for the whole of a document that exceeds a screen.
func (e *Env) detailsFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&e.details, "details", false, "print everything, even if it is longer than a screen of 50 lines")
}

// pageFlag registers the flag for the page of a verb without an output folder.
func (e *Env) pageFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.html, "html", "", "write a page for the browser into this file; - is standard output, without other output")
	_ = cmd.MarkFlagFilename("html", "html")
}

// reportFlags registers both flags.
func (e *Env) reportFlags(cmd *cobra.Command) {
	e.detailsFlag(cmd)
	e.pageFlag(cmd)
}

// tell prints a document.
func (e *Env) tell(d *doc.Document) error { return d.Terminal(e.Stdout, e.style()) }

// present writes the page for --html, and prints the document, or its result as JSON: a value, or
// the text of one.
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
