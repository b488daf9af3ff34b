package format

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// lines hands out the lines of a file one by one, without their ends (LF, or
// CR and LF). A byte order mark before the first is dropped.
type lines struct {
	name string
	n    int // number of the line that next returned last
	log  *log
	r    *bufio.Reader
}

func newLines(name string, r io.Reader, l *log) *lines {
	return &lines{name: name, log: l, r: bufio.NewReaderSize(r, maxLine)}
}

// next is the next line, which is good until the call after. It is false at
// the end. A line that is too long is an error and ends the reading: the file
// is no text, and may be a device that never ends.
func (l *lines) next() ([]byte, bool) {
	line, err := l.r.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		if !errors.Is(err, io.EOF) {
			l.log.fail(l.name, l.n, "cannot be read further: %v", err)
		}
		return nil, false
	}
	l.n++
	l.log.report.Lines++
	if errors.Is(err, bufio.ErrBufferFull) {
		l.log.fail(l.name, l.n, "the line is longer than %d bytes: expected the text that a tool prints", maxLine)
		return nil, false
	}
	if l.n == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), true
}

// content gives the lines that are left, one by one: without the white space around
// them, and without those that are empty or comments.
func (l *lines) content() iter.Seq[string] {
	return func(yield func(string) bool) {
		for raw, ok := l.next(); ok; raw, ok = l.next() {
			if line := string(bytes.TrimSpace(raw)); line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// fail reports an error in the present line.
func (l *lines) fail(format string, args ...any) { l.log.fail(l.name, l.n, format, args...) }

// note reports a remark about the present line.
func (l *lines) note(format string, args ...any) { l.log.note(l.name, l.n, format, args...) }

// skip counts the present line among the unknown ones.
func (l *lines) skip(text string) { l.log.skip(l.name, l.n, text) }
