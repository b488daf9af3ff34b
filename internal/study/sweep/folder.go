package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/internal/base/regular"
	"weft/internal/sim/catalog"
	"weft/scenario"
)

// The files of a sweep's folder. Its rows are in the folders of package ledger.
const (
	ScenarioFile = "sweep.yaml" // as it was given
	AboutFile    = "sweep.json"
	TableFile    = "results.parquet" // equal for equal sweeps
	RunsFile     = "runs.parquet"    // host and time of each variant
	ReportFile   = "report.html"
)

// mostFile bounds a file of the folder, and one that its scenario names.
const mostFile = 16 << 20

// aboutVersion is the version of the folder's layout.
const aboutVersion = 1

// About says what a folder holds. Equal sweeps have equal rows.
type About struct {
	Version  int      `json:"weft_sweep"`
	Weft     string   `json:"weft"`
	Catalog  string   `json:"catalog_sha256"`
	Scenario string   `json:"scenario_sha256"` // of the sweep's file
	Set      []string `json:"set,omitempty"`   // of --set
	Variants int      `json:"variants"`
	Seed     uint64   `json:"seed"` // the first
	Seeds    int      `json:"seeds"`
	// Files are the SHA-256 of the files that the scenario names. The folder has copies of those with a relative name.
	Files map[string]string `json:"files,omitempty"`

	Base string `json:"-"` // the folder of these files; of a sweep that was begun, the sweep's
}

// File is a file that the scenario names.
type File struct {
	Name string // as the scenario writes it
	Text []byte
}

// Folder is the folder of a sweep.
type Folder struct {
	Dir   string
	About About
	Space *Space
	Text  []byte // of the sweep's file
	Files []File
}

// ID is a short text, equal for equal sweeps only.
func (a About) ID() string {
	text, _ := json.Marshal(a)
	return digest(text)[:8]
}

// Create makes the folder of a sweep, or continues one of the same sweep. text is the sweep's file.
func Create(dir string, text []byte, about About) (*Folder, error) {
	f, err := Plan(dir, text, about)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, AboutFile)); err == nil {
		return f, nil
	}
	err = f.begin()
	return f, err
}

// Plan is Create without a change of the folder.
func Plan(dir string, text []byte, about About) (*Folder, error) {
	space, err := spaceOf(text, &about)
	if err != nil {
		return nil, err
	}
	files, err := named(space, &about)
	if err != nil {
		return nil, err
	}
	about.Version, about.Catalog, about.Scenario = aboutVersion, catalog.Digest(), digest(text)
	about.Variants, about.Seed, about.Seeds = space.Len(), space.Base.Run.Seed, space.seeds
	f := &Folder{dir, about, space, text, files}
	entries, _ := os.ReadDir(dir) // before AboutFile, which another process may write now
	before, err := readAbout(dir)
	switch {
	case err == nil:
		return f, before.same(dir, &about)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	for _, e := range entries {
		if e.Name() != ScenarioFile && e.Name() != AboutFile && !strings.HasPrefix(e.Name(), part) && !f.copies(e.Name()) {
			return nil, fmt.Errorf("%s holds %s and no sweep (%s): name a new folder, or empty this one", dir, e.Name(), AboutFile)
		}
	}
	return f, nil
}

// named are the files that the scenario names; it notes their digests.
func named(space *Space, about *About) (out []File, err error) {
	about.Files = map[string]string{}
	for _, name := range space.file.Named(space.overrides...) { // no axis names one: its values are numbers and words
		path := name
		if !filepath.IsAbs(name) {
			path = filepath.Join(about.Base, name)
			if !filepath.IsLocal(name) {
				return nil, fmt.Errorf("the scenario names the file %s: a sweep copies the files of the scenario's folder and below; put it there, and name it relative to the scenario", name)
			}
		}
		text, err := regular.Read(path, mostFile)
		if err != nil {
			return nil, err
		}
		out = append(out, File{name, text})
		about.Files[name] = digest(text)
	}
	return out, nil
}

// copies reports whether an entry of the folder is, or holds, the copy of a file.
func (f *Folder) copies(entry string) bool {
	return slices.ContainsFunc(f.Files, func(file File) bool {
		first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(file.Name)), "/")
		return first == entry
	})
}

// part begins the name of a file that is not complete.
const part = ".part-"

// begin writes the files that say what is swept, the mark of the folder last. Other processes may begin it, too: each
// file gets its name when it is complete, and all write the same.
func (f *Folder) begin() error {
	about, err := json.MarshalIndent(f.About, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.Dir, 0o777); err != nil {
		return err
	}
	for _, file := range append(slices.Clone(f.Files), File{ScenarioFile, f.Text}, File{AboutFile, append(about, '\n')}) {
		if filepath.IsAbs(file.Name) {
			continue
		}
		if err := f.Put(file.Name, file.Text); err != nil {
			return err
		}
	}
	return nil
}

// Put writes a file, which gets its name when it is complete: what had the name before is replaced, and not written to.
func (f *Folder) Put(name string, text []byte) error {
	path := filepath.Join(f.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return regular.Replace(path, part, func(out *os.File) error {
		_, err := out.Write(text)
		return errors.Join(err, out.Sync())
	})
}

// Open opens the folder of a sweep that this version of weft has begun.
func Open(dir, weft string) (*Folder, error) {
	about, err := readAbout(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not the folder of a sweep: it has no %s", dir, AboutFile)
	}
	if err != nil {
		return nil, err
	}
	text, err := regular.Read(filepath.Join(dir, ScenarioFile), mostFile)
	if err != nil {
		return nil, err
	}
	now := *about
	now.Version, now.Weft, now.Catalog, now.Scenario, now.Base = aboutVersion, weft, catalog.Digest(), digest(text), dir
	if err := about.same(dir, &now); err != nil {
		return nil, err
	}
	space, err := spaceOf(text, &now)
	if err != nil {
		return nil, err
	}
	files, err := named(space, &now)
	if err != nil {
		return nil, err
	}
	return &Folder{dir, now, space, text, files}, about.same(dir, &now)
}

// spaceOf is the space of a sweep's file. Errors begin with the name that the file has in the folder, so that rows
// do not depend on the name that it was given under.
func spaceOf(text []byte, about *About) (*Space, error) {
	file, err := scenario.DecodeIn(about.Base, ScenarioFile, text)
	if err != nil {
		return nil, err
	}
	var set []scenario.Override
	for _, s := range about.Set {
		path, value, _ := strings.Cut(s, "=")
		set = append(set, scenario.Override{Path: path, Value: value, Origin: "--set " + s})
	}
	return NewSpace(file, set...)
}

func readAbout(dir string) (*About, error) {
	text, err := regular.Read(filepath.Join(dir, AboutFile), mostFile)
	if err != nil {
		return nil, err
	}
	a := new(About)
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(a); err != nil || a.Version == 0 {
		return nil, fmt.Errorf("%s says nothing of a sweep: name another folder", filepath.Join(dir, AboutFile))
	}
	return a, nil
}

// same refuses to continue a sweep whose rows would differ.
func (a *About) same(dir string, now *About) error {
	switch {
	case a.Version != now.Version:
		return fmt.Errorf("%s has the layout of version %d, and this weft has version %d: run it with weft %s, or name another folder", dir, a.Version, now.Version, a.Weft)
	case a.Weft != now.Weft || a.Catalog != now.Catalog:
		return fmt.Errorf("%s has results of weft %s, and this is weft %s with catalog %.12s, whose results may differ: run it with that version, or name another folder", dir, a.Weft, now.Weft, now.Catalog)
	case a.Scenario != now.Scenario || !slices.Equal(a.Set, now.Set) || !maps.Equal(a.Files, now.Files):
		return fmt.Errorf("%s holds another sweep: the file, a file that it names, or --set has changed since; name another folder", dir)
	}
	return nil
}

// Command is the command line that runs one variant alone.
func (f *Folder) Command(i int, file string) []string {
	return f.Space.command(i, file)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
