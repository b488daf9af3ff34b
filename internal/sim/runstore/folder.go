package runstore

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"weft/internal/base/jsontext"
	"weft/internal/base/regular"
	"weft/results"
)

// The files of a run folder.
const (
	ScenarioFile = "scenario.yaml" // resolved: running it again gives the same results
	ResultsFile  = "results.json"
	MetaFile     = "meta.json"
	ReportFile   = "report.html"
)

// MetaVersion is the version of the layout of meta.json.
const MetaVersion = 1

// temporary is the prefix of the names of files that are being written.
const temporary = ".weft-"

// Meta is the circumstances of a run: everything that may differ between equal runs.
type Meta struct {
	Version       int               `json:"version"`
	Weft          string            `json:"weft"`              // the program's version
	Go            string            `json:"go"`                // of the toolchain
	Platform      string            `json:"platform"`          // linux/amd64
	CatalogDigest string            `json:"catalog_sha256"`    // digest of the hardware facts
	Command       []string          `json:"command"`           // the command line
	Seed          uint64            `json:"seed"`              // as in the scenario
	Started       string            `json:"started"`           // RFC 3339, UTC
	WallSeconds   float64           `json:"wall_seconds"`      // of the simulations
	Events        int64             `json:"events"`            // of all simulations
	EventsPerSec  float64           `json:"events_per_s"`      // of wall time, without those of skipped periods
	Skipped       *SkippedMeta      `json:"skipped,omitempty"` // nil: every event was simulated
	Cores         int               `json:"cores"`             // of the machine
	Workers       int               `json:"workers"`           // the cores that the run could use
	Partial       bool              `json:"partial"`           // stopped before its end
	Files         map[string]string `json:"files_sha256"`      // digests of the other files
	Error         string            `json:"error,omitempty"`   // the reason if the run failed
}

// SkippedMeta is [results.Skipped] in meta.json.
type SkippedMeta struct {
	Periods int64 `json:"periods"`
	TimePs  int64 `json:"simulated_ps"`    // of these periods
	OfPs    int64 `json:"of_simulated_ps"` // of all simulations
	Events  int64 `json:"events"`          // in these periods, and of these nodes
}

// MetaOf is the skipped part of a run for meta.json; nil if nothing was skipped.
func MetaOf(s results.Skipped) *SkippedMeta {
	if s.Periods == 0 {
		return nil
	}
	return &SkippedMeta{s.Periods, int64(s.Time), int64(s.Of), s.Events}
}

// Run is the content of a run folder.
type Run struct {
	Scenario []byte // YAML
	Results  *results.Results
	Meta     Meta
	Report   []byte // HTML; nil if there is none
	Series   []File // files of series; nil if there are none, and after Read
}

// Write writes a run into a folder. meta.json has the digests of the other files.
func (o *Output) Write(run Run) error {
	results, err := run.Results.Encode()
	if err != nil {
		return err
	}
	files := []File{{Name: ScenarioFile, Text: run.Scenario}, {Name: ResultsFile, Text: results}}
	if run.Report != nil {
		files = append(files, File{Name: ReportFile, Text: run.Report})
	}
	files = append(files, run.Series...)
	return o.Seal(files, run.Meta)
}

// Seal is Write for a folder with files of other kinds: meta.json has their digests.
func (o *Output) Seal(files []File, meta Meta) error {
	meta.Version = MetaVersion
	meta.Files = map[string]string{}
	for _, f := range files {
		if !f.Staged {
			meta.Files[f.Name] = digest(f.Text)
			continue
		}
		sum, err := digestOf(filepath.Join(o.auxiliary(stagingName), f.Name))
		if err != nil {
			return err
		}
		meta.Files[f.Name] = sum
	}
	text, err := jsontext.Encode(meta)
	if err != nil {
		return err
	}
	before, _ := ReadMeta(o.dir) // of an earlier run, if there is one
	if err := o.Put(append(files, File{Name: MetaFile, Text: text})); err != nil {
		return err
	}
	return o.removeSeries(&before, &meta)
}

// removeSeries removes the files of an earlier run's series that the new run does not have.
func (o *Output) removeSeries(before, now *Meta) (err error) {
	for name := range before.Files {
		if _, kept := now.Files[name]; !kept && path.Dir(name) == results.SeriesFolder && filepath.IsLocal(name) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(o.dir, name)))
		}
	}
	_ = os.Remove(filepath.Join(o.dir, results.SeriesFolder)) // if it is empty
	return err
}

// File is a file of a folder.
type File struct {
	Name string // may contain a folder: configs/pfc.json
	Text []byte
	Mode fs.FileMode // 0 is 0644
	// Staged is a file that is complete in the folder of Output.Begin; it has no Text.
	Staged bool
}

// Read reads a run folder. It refuses a folder of another version, and a folder whose files were
// not written together.
func Read(dir string) (*Run, error) {
	meta, err := ReadMeta(dir)
	if err != nil {
		return nil, err
	}
	run := &Run{Meta: meta}
	for _, name := range []string{ScenarioFile, ResultsFile, ReportFile} {
		if _, listed := meta.Files[name]; !listed && name == ReportFile {
			continue
		}
		text, err := meta.Read(dir, name)
		if err != nil {
			return nil, err
		}
		switch name {
		case ScenarioFile:
			run.Scenario = text
		case ReportFile:
			run.Report = text
		case ResultsFile:
			if run.Results, err = results.DecodeResults(text); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
			}
		}
	}
	return run, nil
}

// Read reads a file of the run's folder. It refuses a file that was not written with meta.json.
func (m *Meta) Read(dir, name string) ([]byte, error) {
	want, listed := m.Files[name]
	if !listed {
		return nil, fmt.Errorf("%s: %s does not list %s", dir, MetaFile, name)
	}
	text, err := regular.Read(filepath.Join(dir, name), mostFile)
	if err != nil {
		return nil, err
	}
	if digest(text) != want {
		return nil, fmt.Errorf("%s: %s is not the file that was written with %s: it was changed, or the write was cut short", dir, name, MetaFile)
	}
	return text, nil
}

// ReadMeta reads meta.json of a run folder. It refuses a folder of another version.
func ReadMeta(dir string) (Meta, error) {
	var m Meta
	name := filepath.Join(dir, MetaFile)
	text, err := regular.Read(name, mostMeta)
	if err != nil {
		switch at, bad := os.Stat(dir); {
		case errors.Is(bad, fs.ErrNotExist):
			return m, cmp.Or(unended(dir), fmt.Errorf("%s is not a run folder: there is nothing of that name; weft run FILE --out FOLDER writes one", dir))
		case bad == nil && !at.IsDir():
			return m, fmt.Errorf("%s is a file: name the folder that a run was written to", dir)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return m, cmp.Or(unended(dir), fmt.Errorf("%s is not a run folder: it has no %s", dir, MetaFile))
		}
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Weft == "" {
		return m, fmt.Errorf("%s is not the meta data of a run", name)
	}
	if m.Version != MetaVersion {
		return m, fmt.Errorf("%s is of version %d, and this weft reads version %d", name, m.Version, MetaVersion)
	}
	if halfMoved(dir) {
		return m, fmt.Errorf("%s: %w", dir, ErrKilled)
	}
	return m, nil
}

// digestOf is the digest of a file.
func digestOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
