package format

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// lines reads a file line by line, without the line ends (LF, or CR and LF). It drops a byte order
// mark at the beginning.
type lines struct {
	name string
	n    int // number of the current line
	log  *log
	r    *bufio.Reader
}

func newLines(name string, r io.Reader, l *log) *lines {
	return &lines{name: name, log: l, r: bufio.NewReaderSize(r, maxLine)}
}

// rest yields the remaining lines, each valid until the next.
func (l *lines) rest() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line, ok := l.next(); ok && yield(line); line, ok = l.next() {
		}
	}
}

// next returns the next line, which is valid until the next call; false at the end. A line that is
// too long is an error and ends the reading: the file is no text, and may be an endless device.
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

// content yields the remaining lines, trimmed, without empty lines and comments.
func (l *lines) content() iter.Seq[string] {
	return func(yield func(string) bool) {
		for raw := range l.rest() {
			if line := string(bytes.TrimSpace(raw)); line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// fail reports an error in the current line.
func (l *lines) fail(format string, args ...any) { l.log.fail(l.name, l.n, format, args...) }

// note reports a remark about the current line.
func (l *lines) note(format string, args ...any) { l.log.note(l.name, l.n, format, args...) }

// skip counts the current line as unknown.
func (l *lines) skip(text string) { l.log.skip(l.name, l.n, text) }
