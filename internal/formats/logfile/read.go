package logfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Error is the place and the reason why a log cannot be used.
type Error struct {
	Name string
	Line int // 0: the whole log
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Name + ": " + e.Text
	}
	return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Text)
}

// format is the reader of one format. It gets every line in order, and then the end.
type format interface {
	line(n int, text string)
	end(cut bool)
}

// builder is the log that the readers build together.
type builder struct {
	Log
	rows    int
	library string // NCCL's release by the latest line of nccl-tests' versions

	run      *run      // the current one
	runs     []*run    // of the tables
	base     []Setting // of the last command line
	exported []Setting // for all command lines to come
}

// note adds a remark on a place.
func (b *builder) note(line int, text string, args ...any) {
	if len(b.Notes) == maxNotes {
		b.Unlisted++
		return
	}
	b.Notes = append(b.Notes, Note{Line: line, Text: fmt.Sprintf(text, args...)})
}

// table begins a table; nil if there are too many.
func (b *builder) table(t Table) *Table {
	if len(b.Tables) == maxTables {
		b.note(t.Line, "the log has more than %d tables: those from here on are not read", maxTables)
		return nil
	}
	b.Tables = append(b.Tables, &t)
	b.runs = append(b.runs, b.run)
	b.run.measured = true
	return &t
}

// Read reads a log. An error says that it contains nothing usable; defects of a usable log are in
// its notes and tables.
func Read(name string, from io.Reader) (*Log, error) {
	b, err := build(name, from)
	if err != nil {
		return nil, err
	}
	return &b.Log, nil
}

// build reads a log. If the error is not nil, the builder has what was read before it, without a table.
func build(name string, from io.Reader) (*builder, error) {
	b := &builder{Log: Log{Name: name}, run: &run{}}
	formats := []format{
		&commands{b: b}, &signs{b: b}, &ncclTests{b: b}, &perftest{b: b}, &perftestReport{b: b}, &clusterKit{b: b}, &deepEP{b: b}, &nixlBench{b: b},
		&osu{b: b}, &ucxPerf{b: b}, &flows{b: b}, &transferEngine{b: b}, &cells{b: b}, &jsonTables{cells: cells{b: b}}, &ncclSaid{b: b},
	}
	lines, err := eachLine(name, from, func(n int, text string) {
		for _, f := range formats {
			f.line(n, text)
		}
	})
	if err != nil && len(b.Tables) == 0 {
		if e := (*Error)(nil); errors.As(err, &e) && e.Text == notText {
			e.Text += ": " + noTable
		}
		return b, err
	}
	if err != nil {
		b.note(lines, "the log cannot be read beyond this line: %v", reason(err))
	}
	for _, f := range formats {
		f.end(err != nil)
	}
	b.settle()
	b.Tables = filled(b.Tables)
	if len(b.Tables) == 0 {
		err := b.empty(lines)
		return b, err
	}
	return b, nil
}

// reason is an error without its place.
func reason(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Text
	}
	return err.Error()
}

// filled are the tables with rows.
func filled(tables []*Table) (out []*Table) {
	for _, t := range tables {
		if len(t.Rows) > 0 {
			t.infer()
			out = append(out, t)
		}
	}
	return out
}

const notText = "this is not text"

// noTable says of a log without rows what is read.
const noTable = "there is no table of measurements in it. Read are nccl-tests, perftest, clusterkit, DeepEP's tests, the OSU Micro-Benchmarks, " +
	"ucx_perftest, nixlbench, transfer_engine_bench, and tables in Markdown, CSV or JSON with the columns size, time_us, algbw, busbw (docs/DIAGNOSE.md)"

// empty is the error of a log without rows.
func (b *builder) empty(lines int) error {
	text := noTable
	switch {
	case lines == 0:
		text = "it is empty: " + noTable
	case len(b.Said.Warnings) > 0:
		w := b.Said.Warnings[0]
		return &Error{b.Name, w.Line, text + "; NCCL ended with: " + w.Text}
	case len(b.Notes) > 0:
		return &Error{b.Name, b.Notes[0].Line, b.Notes[0].Text + "; so " + text}
	}
	return &Error{b.Name, 0, text}
}

// escape matches a terminal's colour or cursor sequence.
var escape = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// eachLine calls call with every line, without terminal sequences, and returns the number of lines.
func eachLine(name string, from io.Reader, call func(n int, text string)) (n int, err error) {
	r := bufio.NewReaderSize(io.LimitReader(from, maxBytes+1), maxLine)
	for read := 0; ; {
		text, err := r.ReadSlice('\n')
		read += len(text)
		switch {
		case len(text) == 0 && errors.Is(err, io.EOF):
			return n, nil
		case read > maxBytes:
			return n, &Error{name, n + 1, fmt.Sprintf("the log is longer than %d bytes", maxBytes)}
		case errors.Is(err, bufio.ErrBufferFull):
			return n, &Error{name, n + 1, fmt.Sprintf("the line is longer than %d bytes: this is no log of a measurement", maxLine)}
		case err != nil && !errors.Is(err, io.EOF):
			return n, err
		}
		n++
		if n == 1 && (strings.HasPrefix(string(text), "\xff\xfe") || strings.HasPrefix(string(text), "\xfe\xff")) {
			return n, &Error{name, n, "this is text in UTF-16, as PowerShell writes it: convert it with iconv -f UTF-16 -t UTF-8"}
		}
		if strings.IndexByte(string(text), 0) >= 0 || !utf8.Valid(text) && n == 1 {
			return n, &Error{name, n, notText}
		}
		line := strings.TrimRight(string(text), "\r\n")
		if strings.Contains(line, "\x1b") {
			line = escape.ReplaceAllString(line, "")
		}
		call(n, line)
	}
}
