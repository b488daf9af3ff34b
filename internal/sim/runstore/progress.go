package runstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"weft/internal/base/regular"
)

// A run and those who watch it meet in files, and know nothing else of each other: the run rewrites its
// progress in the staging folder, and a viewer writes beside it, where nothing becomes a part of the run. So a
// viewer that is killed ends no run.
const (
	progressFile = "progress.json"
	requestName  = ".weft-request"
	watchedName  = ".weft-watched" // a viewer writes it now and then, and the run removes it
	soFarName    = ".weft-so-far"  // the series so far, by number, until the folder has the series
)

// Request is what a viewer asks of a run in progress.
type Request string

// The requests. The last one counts.
const (
	Pause    Request = "pause"
	Continue Request = "continue"
	Cancel   Request = "stop" // with the results so far
)

// Progress is how far a run in progress is.
type Progress struct {
	State       string  `json:"state"` // running, paused or stopping
	Done        int     `json:"done"`  // simulations
	Total       int     `json:"total"`
	What        string  `json:"what"` // the fabric of a simulation that runs, or the part of other work
	Bytes       int64   `json:"size_bytes"`
	SimulatedPs int64   `json:"simulated_ps"` // over all simulations, like the next two
	Events      int64   `json:"events"`
	Hops        int64   `json:"packet_hops"`
	Periods     int64   `json:"skipped_periods,omitempty"` // of the ended simulations, which repeat earlier ones exactly
	SkippedPs   int64   `json:"skipped_ps,omitempty"`      // their simulated time
	Seconds     float64 `json:"wall_s"`                    // since the beginning, without pauses
	Left        float64 `json:"left_s,omitempty"`          // estimated; 0 is unknown
	Views       int     `json:"views,omitempty"`           // the number of the latest series so far; 0 is none
}

// The states of a run in progress.
const (
	Running  = "running"
	Paused   = "paused"
	Stopping = "stopping"
)

// Show writes the progress of the run, after Begin.
func (o *Output) Show(p Progress) error {
	return replace(filepath.Join(o.auxiliary(stagingName), progressFile), p)
}

// replace writes a file of JSON, which a reader sees whole.
func replace(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return regular.Replace(path, temporary+"*", func(f *os.File) error { // several may write it at a time
		_, err := f.Write(text)
		return err
	})
}

// Requested is the last request of a viewer; "" if there is none.
func (o *Output) Requested() (r Request) {
	text, err := bounded(o.request)
	if err != nil || json.Unmarshal(text, &r) != nil {
		return ""
	}
	return r
}

// Watched reports whether a viewer has watched the run since the last call.
func (o *Output) Watched() bool {
	return os.Remove(o.watched) == nil
}

// Watch tells the run in progress in a folder that somebody watches it.
func Watch(dir string) {
	_ = tell(dir, watchedName, nil) // without it there are no series so far
}

// tell writes a file for the run that is in progress in a folder, and leaves none if the run ends meanwhile.
func tell(dir, name string, v any) error {
	o, alive := begun(dir)
	if !alive {
		return fmt.Errorf("%s: no run is in progress there", dir)
	}
	err := replace(o.auxiliary(name), v)
	if _, alive := begun(dir); !alive {
		_ = os.Remove(o.auxiliary(name))
	}
	return err
}

// SoFar is the folder with the series so far of a run in progress, by its number in Progress.
func SoFar(dir string, number int) string {
	o, _ := begun(dir)
	if o == nil {
		return "" // the run has ended
	}
	return filepath.Join(o.auxiliary(soFarName), strconv.Itoa(number))
}

// soFarKept is the number of the latest series so far that remain: a slow viewer still reads an earlier one.
const soFarKept = 8

// ShowSoFar makes the folder of the series so far with a number, by a call that fills it.
func (o *Output) ShowSoFar(number int, fill func(dir string) error) error {
	return errors.Join(os.MkdirAll(o.sofar, 0o777), fill(filepath.Join(o.sofar, strconv.Itoa(number))), os.RemoveAll(filepath.Join(o.sofar, strconv.Itoa(number-soFarKept))))
}

// Ask writes a request to the run that is in progress in a folder.
func Ask(dir string, r Request) error {
	return tell(dir, requestName, r)
}

// InProgress is the progress of the run that a process is writing to a folder; nil if there is none.
func InProgress(dir string) *Progress {
	o, alive := begun(dir)
	if !alive {
		return nil
	}
	p := &Progress{State: Running}
	text, err := bounded(filepath.Join(o.auxiliary(stagingName), progressFile))
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil {
		*p = Progress{State: Running} // it has only begun, or it ends now
	}
	return p
}

// RunNamed is the name of the folder to which an entry of the folder around it belongs: its own, or that of the
// run whose staging folder it is.
func RunNamed(entry string) string {
	if name, is := strings.CutSuffix(entry, stagingName); is {
		return strings.TrimPrefix(name, ".")
	}
	return entry
}

// ErrKilled is the error for a run whose process was killed.
var ErrKilled = errors.New("the process of this run was killed, and what it left cannot be shown: run it again")

// unended is the reason why a folder has no run, if one was begun.
func unended(dir string) error {
	switch o, alive := begun(dir); {
	case alive:
		return fmt.Errorf("%s: the run has not ended; weft ui shows it meanwhile", dir)
	case o != nil:
		return fmt.Errorf("%s: %w", dir, ErrKilled)
	}
	return nil
}

// halfMoved reports whether a process was killed that moved the files of a later run into the folder: their
// meta.json, the last of them, is still in the staging folder, and no longer that of Begin.
func halfMoved(dir string) bool {
	var m Meta
	text, err := bounded(filepath.Join(dir, stagingName, MetaFile))
	return err == nil && json.Unmarshal(text, &m) == nil && m.Error != notEnded && !held(filepath.Join(dir, lockName))
}

// begun is the folder of a run that has begun and not ended, as a viewer sees it; nil if there is none. alive is true
// while its process holds it.
func begun(dir string) (o *Output, alive bool) {
	for _, fresh := range []bool{true, false} {
		o := &Output{dir: filepath.Clean(dir), fresh: fresh}
		if _, err := os.Stat(o.auxiliary(stagingName)); err == nil {
			return o, held(o.auxiliary(lockName))
		}
	}
	return nil, false
}

func bounded(path string) ([]byte, error) { return regular.Read(path, mostText) }
