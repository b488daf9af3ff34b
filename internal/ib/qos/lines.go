package qos

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/internal/ib/format"
)

// Line is a line of an opensm.conf that sets a key.
type Line struct {
	Number     int // from 1 on
	Key, Value string
}

// ReadLines reads the lines of an opensm.conf, without comments. The error is an *Errors.
func ReadLines(name string, r io.Reader) (lines []Line, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4096), maxLine)
	number := 0
	for in.Scan() {
		number++
		text, _, _ := strings.Cut(in.Text(), "#")
		text = strings.TrimSpace(text)
		key, value := text, ""
		if i := strings.IndexAny(text, " \t"); i >= 0 {
			key, value = text[:i], strings.TrimSpace(text[i:])
		}
		switch {
		case key == "":
		case len(lines) == maxLines:
			return nil, &Errors{List: []format.Problem{{File: name, Line: number, Text: fmt.Sprintf("more than %d keys: it is no opensm.conf", maxLines)}}}
		default:
			lines = append(lines, Line{number, key, value})
		}
	}
	if err := in.Err(); err != nil {
		return nil, &Errors{List: []format.Problem{{File: name, Line: number + 1, Text: fmt.Sprintf("cannot be read further: %v", err)}}}
	}
	return lines, nil
}
