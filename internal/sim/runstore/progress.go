package runstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A run and those who watch it meet in its staging folder, and know nothing else of each other: the run
// rewrites its progress, and a viewer writes a request. So a viewer that is killed ends no run.
const (
	progressFile = "progress.json"
	requestFile  = "request"
	watchedFile  = "watched" // a viewer writes it now and then, and the run removes it
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
	Seconds     float64 `json:"wall_s"`           // since the beginning, without pauses
	Left        float64 `json:"left_s,omitempty"` // estimated; 0 is unknown
	Views       int     `json:"views,omitempty"`  // the number of the latest series so far; 0 is none
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
	if err == nil {
		err = os.WriteFile(path+temporary, text, 0o666)
	}
	if err == nil {
		err = os.Rename(path+temporary, path)
	}
	return err
}

// Requested is the last request of a viewer; "" if there is none.
func (o *Output) Requested() (r Request) {
	text, err := bounded(filepath.Join(o.auxiliary(stagingName), requestFile))
	if err != nil || json.Unmarshal(text, &r) != nil {
		return ""
	}
	return r
}

// Watched reports whether a viewer has watched the run since the last call.
func (o *Output) Watched() bool {
	return os.Remove(filepath.Join(o.auxiliary(stagingName), watchedFile)) == nil
}

// Watch tells the run in progress in a folder that somebody watches it.
func Watch(dir string) {
	if staging, alive := begun(dir); alive {
		_ = os.WriteFile(filepath.Join(staging, watchedFile), nil, 0o666) // without it there are no series so far
	}
}

// SoFar is the folder with the series so far of a run in progress, by its number in Progress.
func SoFar(dir string, number int) string {
	staging, _ := begun(dir)
	return soFar(staging, number)
}

func soFar(staging string, number int) string {
	return filepath.Join(staging, fmt.Sprintf("so-far-%d", number))
}

// ShowSoFar makes the folder of the series so far with a number, by a call that fills it. Two remain: a viewer may
// read the one before.
func (o *Output) ShowSoFar(number int, fill func(dir string) error) error {
	staging := o.auxiliary(stagingName)
	return errors.Join(fill(soFar(staging, number)), os.RemoveAll(soFar(staging, number-2)))
}

// Ask writes a request to the run that is in progress in a folder.
func Ask(dir string, r Request) error {
	staging, alive := begun(dir)
	if !alive {
		return fmt.Errorf("%s: no run is in progress there", dir)
	}
	return replace(filepath.Join(staging, requestFile), r)
}

// InProgress is the progress of the run that a process is writing to a folder; nil if there is none.
func InProgress(dir string) *Progress {
	staging, alive := begun(dir)
	if !alive {
		return nil
	}
	p := &Progress{State: Running}
	text, err := bounded(filepath.Join(staging, progressFile))
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
	switch staging, alive := begun(dir); {
	case alive:
		return fmt.Errorf("%s: the run has not ended; weft ui shows it meanwhile", dir)
	case staging != "":
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

// begun is the staging folder of a run that has begun and not ended; "" if there is none. alive is true while its
// process holds it.
func begun(dir string) (staging string, alive bool) {
	for _, o := range []Output{{dir: filepath.Clean(dir), fresh: true}, {dir: filepath.Clean(dir)}} {
		if _, err := os.Stat(o.auxiliary(stagingName)); err == nil {
			return o.auxiliary(stagingName), held(o.auxiliary(lockName))
		}
	}
	return "", false
}

// mostText bounds the files of a viewer and a run, which others may have written.
const mostText = 1 << 16

func bounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostText))
}
