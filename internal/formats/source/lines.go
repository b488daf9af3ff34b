package source

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxLine bounds a line in bytes: the records of all formats are shorter than a
// kilobyte.
const MaxLine = 1 << 20

// Lines reads a text line by line and counts the lines.
type Lines struct {
	File   string
	Number int // of the last line returned by Next, from 1
	Text   string
	r      *bufio.Reader
	ended  bool
}

// NewLines reads a text; file is its display name.
func NewLines(file string, r io.Reader) *Lines {
	return &Lines{File: file, r: bufio.NewReaderSize(r, MaxLine)}
}

// Next reads the next line, without its end; false at the end of the text.
func (l *Lines) Next() (bool, *Problem) {
	if l.ended {
		return false, nil
	}
	text, err := l.r.ReadSlice('\n')
	l.Number++
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return false, l.Problem(string(text[:64]), fmt.Sprintf("a line of at most %d bytes", MaxLine))
	case errors.Is(err, io.EOF):
		l.ended = true
		if len(text) == 0 {
			l.Number--
			return false, nil
		}
	case err != nil:
		return false, l.Problem("", "a file that can be read to its end: "+err.Error())
	}
	l.Text = strings.TrimRight(string(text), "\r\n")
	return true, nil
}

// Problem is a problem at the last line returned by Next.
func (l *Lines) Problem(value, want string) *Problem {
	return &Problem{File: l.File, Line: l.Number, Value: value, Want: want}
}
