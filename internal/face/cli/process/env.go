package process

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/doc"
)

// Env is what verbs take from the process around them.
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

	// UserCache is the user's cache folder, as os.UserCacheDir gives it; nil: there is none.
	UserCache func() (string, error)

	// Pulse is the period of progress lines without a terminal; 0 is ten seconds.
	Pulse time.Duration

	general  *Status         // status of a verb without its own
	document []byte          // output of --json at the end
	Begun    bool            // the beginning, with the version, is printed already: a list as long as a capture
	Quiet    bool            // --quiet: no progress, and no messages about written files
	Details  bool            // --details: the whole document, even if it exceeds a screen
	HTML     string          // --html: the file for the page
	out      *printable      // standard output, unless it is discarded
	screen   io.Writer       // standard error itself, for the line of progress
	done     <-chan struct{} // closed when the command must end
}

// Start makes the streams printable. Input ends when the command's context does.
func (e *Env) Start(ctx context.Context) {
	e.out = &printable{w: e.Stdout, colours: e.Style().Colour, fail: func(err error) error {
		return exit.Errorf(exit.Failed, "standard output cannot be written: %w", err) // the output is lost
	}}
	e.Stdout, e.screen = e.out, e.Stderr
	e.Stderr = &printable{w: e.screen, fail: func(err error) error { return err }}
	if e.done = ctx.Done(); e.Stdin != nil {
		e.Stdin = &patient{in: e.Stdin, done: e.done}
	}
}

// End prints the object of --json and the error of the command, and returns the error.
func (e *Env) End(ctx context.Context, err error) error {
	if ctx.Err() != nil && exit.CodeOf(err) == exit.BadInput {
		err = ErrInterrupted // an interrupted input is not the user's mistake
	}
	err = cmp.Or(err, cmp.Or(e.conclude(err), e.out.flush()))
	if err != nil {
		fmt.Fprintf(e.Stderr, "weft: %s\n", strings.TrimRight(err.Error(), "\n"))
	}
	return err
}

// Path is a file's path in the process's view.
func (e *Env) Path(p string) string {
	if e.Dir == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(e.Dir, p)
}

// Note reports an action on standard error, unless --quiet is set.
func (e *Env) Note(format string, args ...any) {
	if !e.Quiet {
		fmt.Fprintf(e.Stderr, format, args...)
	}
}

// pipeWidth is the width of tables that go to a pipe or a file, in columns.
const pipeWidth = 120

// leastWidth is the least number of columns that COLUMNS may ask for.
const leastWidth = 40

// Style is the style of tables on standard output. COLUMNS is their width in characters; without it the terminal's
// width counts, and 120 for a pipe. NO_COLOR is the convention of no-color.org.
func (e *Env) Style() doc.Style {
	s := doc.Style{Details: e.Details, Width: pipeWidth}
	if e.StdoutTerminal {
		s.Width = max(e.Width, 0)
		s.Colour = e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
	}
	if n, err := strconv.Atoi(e.Getenv("COLUMNS")); err == nil && n >= leastWidth {
		s.Width = n
	}
	return s
}

// DetailsFlag registers the flag for the whole of a document that exceeds a screen.
func (e *Env) DetailsFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&e.Details, "details", false, "print everything, also beyond a screen of 50 lines")
}

// PageFlag registers the flag for the page of a verb without an output folder.
func (e *Env) PageFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.HTML, "html", "", "write a page for the browser into this file; - is standard output, without other output")
	_ = cmd.MarkFlagFilename("html", "html")
}

// ReportFlags registers both flags.
func (e *Env) ReportFlags(cmd *cobra.Command) {
	e.DetailsFlag(cmd)
	e.PageFlag(cmd)
}

// Tell prints a document.
func (e *Env) Tell(d *doc.Document) error { return d.Terminal(e.Stdout, e.Style()) }

// Page writes the page for --html, if it is asked for.
func (e *Env) Page(d *doc.Document) error {
	if e.HTML == "" {
		return nil
	}
	return e.WriteFile(e.HTML, d.HTML)
}

// Present writes the page for --html, and prints the document, or its result as JSON: a value, or
// the text of one.
func (e *Env) Present(d *doc.Document, asJSON bool, result any) error {
	if err := e.Page(d); err != nil {
		return err
	}
	if !asJSON {
		return e.Tell(d)
	}
	if text, is := result.([]byte); is {
		return e.Answer(text)
	}
	return PrintJSON(e, result)
}

// Version is the versions that the program was built from.
type Version struct {
	Weft     string // version of the module, or its revision
	Commit   string // the revision, and "+changes" after it if the folder had any; empty if not known
	Date     string // of the commit, as RFC 3339 writes it; empty if not known
	Go       string
	Platform string
}
