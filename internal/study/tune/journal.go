package tune

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// journalVersion is the version of the journal's lines.
const journalVersion = 1

// header is the first line of a journal.
type header struct {
	Version int    `json:"weft_tune"`
	Weft    string `json:"weft"`
	Digest  string `json:"digest_sha256"`
}

// line is one simulation.
type line struct {
	Values  Candidate `json:"values"` // null: the scenario as it stands
	Seed    uint64    `json:"seed"`
	Outcome Outcome   `json:"outcome"`
}

// run identifies a simulation.
type run struct {
	key  string
	set  bool // false for the scenario as it stands
	seed uint64
}

func runOf(c Candidate, seed uint64) run { return run{c.key(), c != nil, seed} }

// Journal holds the simulations made, in a file or only in memory.
type Journal struct {
	mu    sync.Mutex
	known map[run]Outcome
	file  *os.File // nil: only in memory
	err   error    // the first write error

	// Earlier is the number of simulations that the file had.
	Earlier int
}

// NewJournal returns a journal in memory.
func NewJournal() *Journal { return &Journal{known: make(map[run]Outcome)} }

// OpenJournal reads the simulations of a file, and will append to it; it creates a missing file. A
// journal of another scenario or program is an error.
func OpenJournal(path string, p *Problem, version string) (*Journal, error) {
	digest, err := p.digest(version)
	if err != nil {
		return nil, err
	}
	j := NewJournal()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	kept, err := j.read(path, f, header{journalVersion, version, digest}, len(p.Axes))
	if err == nil {
		err = f.Truncate(kept) // a line truncated while it was written
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	j.file = f
	if kept == 0 {
		j.append(header{journalVersion, version, digest})
	}
	return j, j.err
}

// read reads the lines of a file and returns the length of the complete ones.
func (j *Journal) read(path string, f io.Reader, want header, axes int) (kept int64, err error) {
	in := bufio.NewReaderSize(io.LimitReader(f, maxJournal), 1<<16)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return kept, nil // the rest was truncated while it was written
		}
		if err != nil {
			return 0, err
		}
		if len(text) > maxLine {
			return 0, fmt.Errorf("%s:%d: a line of %d bytes is not from a tuning", path, n, len(text))
		}
		if n == 1 {
			err = want.check(text)
		} else {
			err = j.take(text, axes)
		}
		if err != nil {
			return 0, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		kept += int64(len(text))
	}
}

// check compares a journal's first line with the line of this tuning.
func (h header) check(text []byte) error {
	var got header
	if strictly(text, &got) != nil || got.Version == 0 {
		return errors.New("this is not the journal of a tuning: name another folder")
	}
	switch {
	case got.Version != h.Version:
		return fmt.Errorf("the journal is of version %d, and this weft reads version %d: name another folder", got.Version, h.Version)
	case got.Weft != h.Weft:
		return fmt.Errorf("the journal was written by weft %s, and this is %s, whose results may differ: name another folder", got.Weft, h.Weft)
	case got.Digest != h.Digest:
		return errors.New("the journal is of another scenario, fabric or list of parameters: name another folder (objective, ranges, runs and seeds may change)")
	}
	return nil
}

// take reads a line with a simulation.
func (j *Journal) take(text []byte, axes int) error {
	var l line
	if err := strictly(text, &l); err != nil {
		return fmt.Errorf("this is not a simulation of a tuning: %w", err)
	}
	if l.Values != nil && len(l.Values) != axes {
		return fmt.Errorf("%d values are given, and there are %d parameters", len(l.Values), axes)
	}
	if l.Outcome.Failed == "" && len(l.Outcome.Sizes) == 0 {
		return errors.New("the simulation has neither figures nor a reason")
	}
	j.known[runOf(l.Values, l.Seed)] = l.Outcome
	j.Earlier++
	return nil
}

// strictly reads a JSON value without unknown fields.
func strictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// find is the stored outcome of a simulation.
func (j *Journal) find(c Candidate, seed uint64) (Outcome, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	o, ok := j.known[runOf(c, seed)]
	return o, ok
}

// add remembers a simulation.
func (j *Journal) add(c Candidate, seed uint64, o Outcome) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.known[runOf(c, seed)] = o
	j.append(line{c, seed, o})
	return j.err
}

func (j *Journal) append(v any) {
	if j.file == nil || j.err != nil {
		return
	}
	text, err := json.Marshal(v)
	if err == nil {
		_, err = j.file.Write(append(text, '\n'))
	}
	j.err = err
}

// Close ends the file.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
