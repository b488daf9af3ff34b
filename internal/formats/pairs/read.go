package pairs

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/internal/formats/source"
)

// Pair is a measurement between two nodes. One of Gbps and Micros is not 0.
type Pair struct {
	File     string  `json:"file"`
	Line     int     `json:"line,omitempty"`
	From     string  `json:"from"`
	To       string  `json:"to"`
	Gbps     float64 `json:"gbps,omitempty"`
	Micros   float64 `json:"micros,omitempty"`
	Ratio    float64 `json:"ratio,omitempty"` // to what its nodes have with others; only of slow pairs
	together bool    // both directions at once
}

// Note is a place in a file with a remark.
type Note struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Set is the pairs of one file or of several.
type Set struct {
	Pairs []Pair `json:"pairs"`
	// Notes are places that are left out, and Unlisted the number of further ones.
	Notes    []Note `json:"notes,omitempty"`
	Unlisted int    `json:"unlisted,omitempty"`
}

// Join adds the pairs of another set.
func (s *Set) Join(other *Set) {
	s.Pairs = append(s.Pairs, other.Pairs[:min(len(other.Pairs), maxPairs-len(s.Pairs))]...)
	for _, n := range other.Notes {
		s.note(n.File, n.Line, "%s", n.Text)
	}
	s.Unlisted += other.Unlisted
}

func (s *Set) note(file string, line int, text string, args ...any) {
	if len(s.Notes) == maxNotes {
		s.Unlisted++
		return
	}
	s.Notes = append(s.Notes, Note{file, line, fmt.Sprintf(text, args...)})
}

// ErrNone says that a file has no pairs: it is of another kind.
var ErrNone = errors.New("there are no pairs of nodes in it: want a matrix of clusterkit (Rank: 0 1 …), a matrix with hosts as rows and columns, or a list with columns such as from, to, bandwidth (Gb/s) or latency (us)")

// reader reads the lines of a file. Each form gets every line.
type reader struct {
	*Set
	name  string
	hosts map[string]string // each name once
	unit  unit              // as lines above say it
}

// Read reads the pairs of a file. The error is ErrNone if it has none, with the place of what was wrong, if something was.
func Read(name string, from io.Reader) (*Set, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxBytes+1))
	switch {
	case err != nil:
		return nil, &source.FileError{Name: name, Line: 0, Err: err}
	case len(text) > maxBytes:
		return nil, &source.FileError{Name: name, Line: 0, Err: fmt.Errorf("the file is longer than %d bytes", maxBytes)}
	case bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text):
		return nil, &source.FileError{Name: name, Line: 0, Err: fmt.Errorf("this is not text: %w", ErrNone)}
	}
	r := &reader{Set: &Set{}, name: name, hosts: map[string]string{}}
	if first := bytes.TrimLeft(text, " \t\r\n"); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		r.json(text)
	} else if err := r.lines(text); err != nil {
		return nil, err
	}
	if len(r.Pairs) == 0 {
		if len(r.Notes) > 0 {
			return nil, &source.FileError{Name: name, Line: r.Notes[0].Line, Err: fmt.Errorf("%s; so %w", r.Notes[0].Text, ErrNone)}
		}
		return nil, &source.FileError{Name: name, Line: 0, Err: ErrNone}
	}
	return r.Set, nil
}

// escape matches a terminal's colour or cursor sequence.
var escape = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// ncclSays is in every message of NCCL: a log has millions of them, and none is a pair.
var ncclSays = []byte(" NCCL INFO ")

// lines reads a file that is no JSON.
func (r *reader) lines(text []byte) error {
	forms := []interface{ line(n int, text string) }{&ranked{r: r}, &squared{r: r}, &listed{r: r}}
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(make([]byte, 0, 1<<16), maxLine)
	n := 0
	for in.Scan() {
		n++
		if bytes.Contains(in.Bytes(), ncclSays) {
			continue
		}
		line := strings.TrimRight(in.Text(), "\r ")
		if strings.Contains(line, "\x1b") {
			line = escape.ReplaceAllString(line, "")
		}
		if u, ok := unitIn(line); ok {
			r.unit = u
		}
		for _, f := range forms {
			f.line(n, line)
		}
	}
	if in.Err() != nil {
		return &source.FileError{Name: r.name, Line: n + 1, Err: fmt.Errorf("the line is longer than %d bytes", maxLine)}
	}
	return nil
}

// add keeps a pair. A value that is no measurement is noted.
func (r *reader) add(line int, from, to string, value float64, of unit, together bool) {
	if from == to || from == "" || to == "" || len(from) > maxName || len(to) > maxName {
		return
	}
	if !(value > 0) || math.IsInf(value, 0) {
		r.note(r.name, line, "%s to %s has no measurement: left out", from, to)
		return
	}
	if len(r.Pairs) == maxPairs {
		return
	}
	p := Pair{File: r.name, Line: line, From: r.host(from), To: r.host(to), together: together}
	if of.latency {
		p.Micros = value * of.scale
	} else {
		p.Gbps = value * of.scale
	}
	r.Pairs = append(r.Pairs, p)
}

// host is a name, which all pairs share.
func (r *reader) host(name string) string {
	if known, ok := r.hosts[name]; ok {
		return known
	}
	r.hosts[name] = strings.Clone(name)
	return r.hosts[name]
}

// unit is what numbers measure: us, or Gb/s, times a scale.
type unit struct {
	latency bool
	scale   float64 // 0: not known
}

// units are the units of bandwidths in Gb/s, and of latencies in us. Those of bytes are powers of ten, as clusterkit's.
var units = map[string]unit{
	"gb/s": {false, 1}, "gbps": {false, 1}, "gbit/s": {false, 1}, "gb/sec": {false, 1}, "gbits/s": {false, 1},
	"GB/s": {false, 8}, "GBps": {false, 8}, "GB/sec": {false, 8}, "GiB/s": {false, 8 * 1.073741824},
	"MB/s": {false, 8e-3}, "MB/sec": {false, 8e-3}, "MBps": {false, 8e-3}, "MiB/s": {false, 8e-3 * 1.048576}, "mb/s": {false, 1e-3}, "mbps": {false, 1e-3}, "mbit/s": {false, 1e-3},
	"us": {true, 1}, "usec": {true, 1}, "µs": {true, 1}, "μs": {true, 1}, "ns": {true, 1e-3}, "ms": {true, 1e3},
}

// unitOf is a unit by its name. A capital B is bytes; the other letters have any size.
func unitOf(name string) (unit, bool) {
	if u, ok := units[name]; ok {
		return u, true
	}
	if strings.Contains(name, "B") {
		return unit{}, false
	}
	u, ok := units[strings.ToLower(name)]
	return u, ok
}

// namedUnit matches a unit in brackets, or after the name of a quantity.
var namedUnit = regexp.MustCompile(`[\[(_ ]([A-Za-zµμ]+(?:/[a-z]+)?)[\])]?$|[\[(]([A-Za-zµμ]+(?:/[a-z]+)?)[\])]`)

// unitIn is the unit that a title or the name of a column says, as in Bandwidth (MB/s), latency_us, or gbps.
func unitIn(text string) (unit, bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxName {
		return unit{}, false
	}
	if u, ok := unitOf(text); ok {
		return u, true
	}
	m := namedUnit.FindStringSubmatch(text)
	if m == nil {
		return unit{}, false
	}
	return unitOf(cmp.Or(m[1], m[2]))
}

// number is the value of a text.
func number(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsNaN(x)
}
