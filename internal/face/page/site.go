package page

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"weft/internal/sim/runstore"
	"weft/results"
)

// Site is what a server shows, and what users with its token may do.
type Site struct {
	Host  string // the address and port that it answers to
	Token string // that every request but for the empty page must have

	// Check finds what is wrong with the scenario of a new run; nil without a folder for new runs.
	Check func(name string, text []byte) []Fault
	// Start begins a run in a process of its own, with a scenario that passed Check, in the folder dir.
	Start func(name string, text []byte) (dir string, run *Child, err error)

	// Roots are folders whose runs are shown, also those that come later.
	Roots []string

	mu      sync.Mutex
	folders []*Folder // it only grows: the number of a run stays
	sought  time.Time // when the roots were last read
}

// Fault is something wrong with a scenario. Line and Column are from 1, or 0 if it has no place.
type Fault struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"` // as the command line prints it, with file, line and column
}

// Child is the process of a run that the server began. Nothing of the run depends on the server.
type Child struct {
	Alive func() bool
	Said  func() string // its messages, which say why it failed
}

// MostRuns bounds the runs of a page: more cannot be told apart. mostBegun bounds those that it runs at a time.
const (
	MostRuns  = 32
	mostBegun = 4
)

// NewSite is a site with folders and a new token.
func NewSite(host string, folders []*Folder) *Site {
	return &Site{Host: host, Token: rand.Text(), folders: folders}
}

// seekEvery is the period in which the roots are read for new runs.
const seekEvery = time.Second

// RunsIn opens the runs in a folder that are not known by their paths, at most a number. A run that cannot be opened
// hides no others: its error goes to bad, if that is not nil.
func RunsIn(root string, known func(dir string) bool, most int, bad func(error)) (runs []*Folder, err error) {
	entries, err := os.ReadDir(root)
	for _, entry := range entries {
		dir := filepath.Join(root, runstore.RunNamed(entry.Name())) // a run that goes on may have no folder of its own yet
		if len(runs) == most {
			break
		}
		if known(dir) || slices.ContainsFunc(runs, func(f *Folder) bool { return f.dir == dir }) {
			continue
		}
		f, err := Open(dir)
		if err == nil {
			runs = append(runs, f)
		} else if _, is := os.Lstat(filepath.Join(dir, runstore.MetaFile)); is == nil && bad != nil {
			bad(err)
		}
	}
	return runs, err
}

// seek adds the runs that have come into the roots, and finds folders in which a run has begun again.
func (s *Site) seek() {
	if time.Since(s.sought) < seekEvery {
		return
	}
	s.sought = time.Now()
	for i, f := range s.folders {
		if f.Progress == nil && runstore.InProgress(f.dir) != nil {
			s.folders[i] = f.again()
		}
	}
	known := func(dir string) bool {
		return slices.ContainsFunc(s.folders, func(f *Folder) bool { return f.dir == dir })
	}
	for _, root := range s.Roots {
		runs, _ := RunsIn(root, known, max(0, MostRuns-len(s.folders)), nil) // a root that is gone has no new runs
		s.folders = append(s.folders, runs...)
	}
}

// look opens runs again that have ended, and gives all runs as they are now.
func (s *Site) look() []*Folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seek()
	out := make([]*Folder, len(s.folders))
	for i, f := range s.folders {
		if f.Progress != nil {
			s.folders[i] = f.again()
		}
		out[i] = s.folders[i]
	}
	return out
}

// again is a run that went on, as it is now.
func (f *Folder) again() *Folder {
	beginning := f.child != nil && f.child.Alive() // asked first: a run that ends meanwhile has its folder
	now, err := Open(f.dir)
	if err == nil {
		now.child = f.child
		return now
	}
	own := *f
	if !beginning {
		own.Progress, own.Note = nil, err.Error()
		if f.child != nil {
			own.Note = f.child.Said()
		}
	}
	return &own
}

// add adds a run that has just begun, and gives its number.
func (s *Site) add(dir string, run *Child) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := (&Folder{Name: filepath.Base(dir), dir: filepath.Clean(dir), child: run, Progress: &runstore.Progress{State: runstore.Running}, Simulations: []results.SeriesSimulation{}}).again()
	if i := slices.IndexFunc(s.folders, func(g *Folder) bool { return g.dir == f.dir }); i >= 0 { // it was found meanwhile
		s.folders[i] = f
		return i
	}
	s.folders = append(s.folders, f)
	return len(s.folders) - 1
}

// full says why no further run can begin; "" if one can.
func (s *Site) full() string {
	runs := s.look()
	begun := 0
	for _, f := range runs {
		if f.child != nil && f.Progress != nil {
			begun++
		}
	}
	switch {
	case len(runs) >= MostRuns:
		return "the page has as many runs as it shows: start weft ui again"
	case begun >= mostBegun:
		return "as many runs go on as the page begins: wait for one of them"
	}
	return ""
}
