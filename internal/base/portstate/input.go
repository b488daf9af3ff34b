package portstate

import (
	"fmt"
	"iter"
	"strings"
	"time"
)

// Reader reads one kind of file.
type Reader struct {
	Name string // "ibqueryerrors"
	What string // for help: what the file is and how it is made
	// Is recognises the kind by the file's content. It gets the whole text and looks at its first part.
	Is   func(text string) bool
	Read func(in *Input)
	// Part says what of the device the file is about, if files of one kind can be about different parts: a port,
	// a table. Nil if every file of the kind is about the same.
	Part func(name, text string) string
	// Dated is whether a text has its time, other than as a line of date. It may be nil.
	Dated func(text string) bool
}

// Input is a file on its way into a Set.
type Input struct {
	Name   string
	Device string // the device that the file is about, if it does not say so itself
	Text   string
	Above  int // lines of the file above the text
	Set    *Set
	Kind   string
	Shell  string // the command of the last prompt, if the file is a terminal's capture
	Time   int64  // µs since 1970 by the last date above the current line; 0 without

	line  int
	notes int

	sought, soughtLine int // the last offset of AtOffset, and its line
}

// Continue goes on with another part of the file, below a number of lines.
func (in *Input) Continue(text string, above int) {
	in.Text, in.Above, in.line, in.soughtLine = text, above, above, 0
}

// At is the current line.
func (in *Input) At() Place { return Place{File: in.Name, Line: in.line} }

// Lines yields the lines of the file without line ends, byte order mark and blanks at the end. A line
// that is a date sets the Time and is not yielded.
func (in *Input) Lines() iter.Seq[string] {
	return func(yield func(string) bool) {
		in.line = in.Above
		for line := range strings.SplitSeq(strings.TrimPrefix(in.Text, "\ufeff"), "\n") {
			in.line++
			if len(line) > maxLine {
				in.Note("the line is longer than %d bytes and is left out: a tool prints shorter ones", maxLine)
				continue
			}
			line = strings.TrimRight(line, " \t\r")
			if at, ok := parseTime(line); ok {
				in.Time = at
				continue
			}
			if !yield(line) {
				return
			}
		}
	}
}

// Outside takes the date from a line that a reader of another syntax passes over. The line may have a carriage return.
func (in *Input) Outside(line string) {
	if at, ok := parseTime(strings.TrimRight(line, " \t\r")); ok {
		in.Time = at
	}
}

// AtOffset makes the line that holds the byte offset the current one.
func (in *Input) AtOffset(offset int64) {
	to := int(min(max(offset, 0), int64(len(in.Text))))
	if to < in.sought || in.soughtLine == 0 {
		in.sought, in.soughtLine = 0, 1
	}
	in.soughtLine += strings.Count(in.Text[in.sought:to], "\n")
	in.sought, in.line = to, in.Above+in.soughtLine
}

// AtLine makes a line the current one.
func (in *Input) AtLine(n int) { in.line = n }

// Note says what was left out at the current line.
func (in *Input) Note(format string, args ...any) {
	in.notes++
	switch {
	case in.notes <= maxNotes:
		in.Set.Notes = append(in.Set.Notes, in.At().String()+": "+fmt.Sprintf(format, args...))
	case in.notes == maxNotes+1:
		in.Set.Notes = append(in.Set.Notes, in.Name+": further notes are left out")
	}
}

// Reading adds a reading of a port at the current line.
func (in *Input) Reading(p Port) *Reading {
	r := &Reading{Port: p, At: in.At(), Reader: in.Kind, Time: in.Time}
	in.Set.Add(r)
	return r
}

// Say is a value with the current line.
func Say[T any](in *Input, value T) Said[T] { return Said[T]{value, in.At()} }

// HasDate reports whether a text has a line that is nothing but a date.
func HasDate(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if _, ok := parseTime(strings.TrimRight(line, " \t\r")); ok {
			return true
		}
	}
	return false
}

// layouts are the forms of a date on a line of its own: date(1) in English and in ISO form, and the
// date of a log.
var layouts = []string{
	"Mon Jan _2 15:04:05 MST 2006",
	"Mon Jan _2 15:04:05 2006",
	"Mon 02 Jan 2006 03:04:05 PM MST",
	"Mon _2 Jan 15:04:05 MST 2006",
	time.RFC3339Nano,
	"2006-01-02 15:04:05.999999",
	"2006-01-02T15:04:05.999999",
	"2006-01-02 15:04:05 MST",
}

// parseTime reads a line that is nothing but a date, perhaps behind a # sign.
func parseTime(line string) (int64, bool) {
	text := strings.TrimSpace(strings.TrimLeft(line, "# \t"))
	if len(text) < 19 || len(text) > 40 || strings.Count(text, ":") < 2 {
		return 0, false
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMicro(), true
		}
	}
	return 0, false
}
