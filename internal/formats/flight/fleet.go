package flight

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"weft/internal/formats/source"
)

// Event is one collective at one rank.
type Event struct {
	Who  Member
	Call Call
	// Bytes is the size of the rank's input, 0 if it is not known.
	Bytes int64
	// Created is when the host enqueued it, in us of the host's clock; 0 if it is not known.
	Created int64
	// Micros is how long its kernel ran, 0 if it is not known.
	Micros float64
	// Done says that it has ended at this rank.
	Done bool
}

// Member is a rank of a group of ranks.
type Member struct {
	Rank int    `json:"rank"`
	Host string `json:"host,omitempty"` // "" if it is not known
	PID  int    `json:"pid,omitempty"`  // 0 if it is not known
}

func (m Member) String() string {
	if m.Host == "" {
		return fmt.Sprintf("rank %d", m.Rank)
	}
	return fmt.Sprintf("rank %d on %s", m.Rank, m.Host)
}

// Call is a collective of a group: the same at all of its ranks.
type Call struct {
	Group string // its name, with its ranks if they are known
	Seq   int64  // its number in the group
	Op    string // as the recorder names it
	Part  int    // of several operations with one number
}

// Note is a place in a file with a remark.
type Note struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

// Fleet is the events of a job's ranks, of all files that were read.
type Fleet struct {
	Events []Event
	// Files is the number of files that were read.
	Files int
	// Notes are places that are left out, and Unlisted the number of further ones.
	Notes    []Note
	Unlisted int
}

func (f *Fleet) note(file string, line int, text string, args ...any) {
	if len(f.Notes) == maxNotes {
		f.Unlisted++
		return
	}
	f.Notes = append(f.Notes, Note{file, line, fmt.Sprintf(text, args...)})
}

// add keeps an event.
func (f *Fleet) add(e *Event) bool {
	if len(f.Events) == maxEvents {
		return false
	}
	f.Events = append(f.Events, *e)
	return true
}

// ErrNone says that a file is no record of collectives.
var ErrNone = errors.New("it is no record of a job's collectives: want a dump of PyTorch's flight recorder as JSON (entries, pg_config), or the JSON of NCCL Inspector (header, coll_perf)")

// ErrPickle says that a file is a pickle.
var ErrPickle = errors.New("this is a pickle, which is a program and is not run here: make JSON of it with python3 -c 'import json,pickle,sys; json.dump(pickle.load(open(sys.argv[1],\"rb\")), sys.stdout)' FILE > FILE.json")

// Read adds the events of a file. The error is ErrNone if the file is of another kind, and ErrPickle if it must be converted
// first.
func (f *Fleet) Read(name string, from io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(from, maxBytes+1))
	start := bytes.TrimLeft(text[:min(len(text), 4096)], " \t\r\n")
	switch {
	case err != nil:
		return &source.FileError{Name: name, Line: 0, Err: err}
	case len(text) > maxBytes:
		return &source.FileError{Name: name, Line: 0, Err: fmt.Errorf("the file is longer than %d bytes", maxBytes)}
	case len(text) > 1 && text[0] == 0x80 && text[1] >= 2 && text[1] <= 5: // the opcode PROTO
		return &source.FileError{Name: name, Line: 0, Err: ErrPickle}
	case len(start) == 0 || start[0] != '{':
		return &source.FileError{Name: name, Line: 0, Err: ErrNone}
	case bytes.Contains(text, []byte(`"coll_perf"`)):
		err = f.inspector(name, text)
	case bytes.Contains(text, []byte(`"entries"`)) && (bytes.Contains(text, []byte(`"pg_config"`)) || bytes.Contains(text, []byte(`"profiling_name"`))):
		err = f.torch(name, text)
	default:
		err = &source.FileError{Name: name, Line: 0, Err: ErrNone}
	}
	if err == nil {
		f.Files++
	}
	return err
}

// lineAt is the line of an offset, from 1.
func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(int(offset), len(text))], []byte{'\n'})
}

// cut is a name of bounded length, of memory of its own.
func cut(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	return strings.Clone(strings.ToValidUTF8(text, "?"))
}
