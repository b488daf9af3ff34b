package page

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"weft/internal/sim/runstore"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
	"weft/scenario"
)

// Folder is a run folder.
type Folder struct {
	Name        string                     `json:"name"`
	Scenario    string                     `json:"scenario"` // its name; empty while the run goes on
	Cluster     string                     `json:"cluster"`  // its machines, in a few words
	Command     string                     `json:"command"`
	Weft        string                     `json:"weft"`
	Seed        uint64                     `json:"seed"`
	Partial     bool                       `json:"partial"`
	Report      bool                       `json:"report"`             // it has report.html
	Compared    bool                       `json:"compared"`           // it has a verdict over fabrics
	Note        string                     `json:"note"`               // why it has no series
	Progress    *runstore.Progress         `json:"progress,omitempty"` // of a run that goes on
	Simulations []results.SeriesSimulation `json:"simulations"`

	dir   string
	sofar string // the folder with the series of a run that goes on; "" if it has none
	meta  runstore.Meta
	child *Child // nil: another process has begun the run

	resolved *scenario.Resolved // nil while the run goes on
	joined   map[int32]int64    // intervals that are joined to one, by simulation; without an entry none are
}

// Open opens the folder of a run that has ended or goes on. One without series has a note.
func Open(dir string) (*Folder, error) {
	dir = filepath.Clean(dir)
	f := &Folder{Name: filepath.Base(dir), dir: dir, Simulations: []results.SeriesSimulation{}}
	if abs, err := filepath.Abs(dir); err == nil {
		f.Name = filepath.Base(abs)
	}
	if f.Progress = runstore.InProgress(dir); f.Progress != nil {
		f.soFar()
		return f, nil
	}
	meta, err := runstore.ReadMeta(dir)
	if err != nil {
		return nil, err
	}
	f.Command, f.Weft, f.Seed, f.Partial, f.meta = strings.Join(meta.Command, " "), meta.Weft, meta.Seed, meta.Partial, meta
	_, f.Report = meta.Files[runstore.ReportFile]
	f.subject()
	series, err := seriesfile.Read[results.SeriesSimulation](f.series(), seriesfile.Simulations)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Note = "The run has no series: weft run, compare, bench and train record them with --series."
	case err != nil:
		return nil, err
	default:
		f.Simulations = append(f.Simulations, series...)
	}
	return f, nil
}

// soFar reads what a run that goes on shows of its running simulations.
func (f *Folder) soFar() {
	f.Note = "The run goes on. Its views come with its end."
	if f.Progress.Views > 0 {
		*f = *f.at(f.Progress.Views)
	}
}

// at is a run that goes on with its series so far of a number, or as it is if they are gone.
func (f *Folder) at(number int) *Folder {
	dir := runstore.SoFar(f.dir, number)
	series, err := seriesfile.Read[results.SeriesSimulation](dir, seriesfile.Simulations)
	if err != nil {
		return f
	}
	own := *f
	own.Note, own.sofar, own.Simulations = "", dir, series
	return &own
}

func (f *Folder) series() string { return cmp.Or(f.sofar, filepath.Join(f.dir, results.SeriesFolder)) }

// simulation is a simulation of the folder by its number.
func (f *Folder) simulation(number int) (*results.SeriesSimulation, error) {
	for i := range f.Simulations {
		if int(f.Simulations[i].Simulation) == number {
			return &f.Simulations[i], nil
		}
	}
	return nil, fmt.Errorf("%w simulation: %d", seriesfile.ErrQuery, number)
}

// Quantity is a value of a link in an interval, over its lanes.
type Quantity struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Unit  string `json:"unit"` // share, bytes or packets

	columns []string // of link_samples, which are added
	most    bool     // of the lanes; otherwise their sum
	time    bool     // the columns are times, and the value their share of the interval
}

// quantities are the quantities that the views colour links by.
var quantities = []Quantity{
	{ID: "utilisation", Label: "utilisation", Unit: "share", columns: []string{"utilisation"}},
	{ID: "queue", Label: "longest queue", Unit: "bytes", columns: []string{"queue_max_bytes"}, most: true},
	{ID: "stopped", Label: "pauses and credit waits", Unit: "share", columns: []string{"paused_ps", "credit_wait_ps"}, most: true, time: true},
	{ID: "marks", Label: "ECN and FECN marks", Unit: "packets", columns: []string{"marks"}},
	{ID: "drops", Label: "drops", Unit: "packets", columns: []string{"drops", "receive_drops"}},
}

// mostCells bounds a matrix. A run records at most 2,097,152 lanes of links in intervals (docs/UI.md), and
// more only on networks with so many links that 16 intervals exceed it.
const mostCells = 1 << 24

// Matrix is a quantity of all links of a simulation over time.
type Matrix struct {
	Links, Intervals int
	Cells            []float32 // by link, then interval
}

// matrix reads a quantity of a simulation.
func (f *Folder) matrix(simulation int, quantity string) (*Matrix, error) {
	s, err := f.simulation(simulation)
	if err != nil {
		return nil, err
	}
	for _, q := range quantities {
		if q.ID == quantity {
			return f.read(s, q)
		}
	}
	return nil, fmt.Errorf("%w quantity: %.80q", seriesfile.ErrQuery, quantity)
}

func (f *Folder) read(s *results.SeriesSimulation, q Quantity) (*Matrix, error) {
	c, err := seriesfile.Select(f.series(), seriesfile.LinkSamples, seriesfile.Query{
		Columns: append([]string{"link", "time_ps", "lane"}, q.columns...), Where: where(s),
	})
	if err != nil {
		return nil, err
	}
	links, times := list[int64](c.Values[0]), list[int64](c.Values[1])
	interval := s.IntervalPs
	if interval <= 0 { // an entry without samples, such as the operations of a training step
		interval = max(1, s.DurationPs)
	}
	m := &Matrix{Intervals: int(min(mostCells, max(0, s.DurationPs-1)/interval+1))}
	for i, link := range links {
		if link < 0 || times[i] < 0 || link >= mostCells || times[i]/interval >= mostCells {
			return nil, fmt.Errorf("%s: link %d at %d ps: a matrix has at most %d cells", seriesfile.LinkSamples, link, times[i], mostCells)
		}
		m.Links = max(m.Links, int(link)+1)
		m.Intervals = max(m.Intervals, int(times[i]/interval)+1)
	}
	if m.Links == 0 {
		m.Intervals = 1
	}
	if m.Links*m.Intervals > mostCells {
		return nil, fmt.Errorf("%s: %d links in %d intervals: a matrix has at most %d cells", seriesfile.LinkSamples, m.Links, m.Intervals, mostCells)
	}
	m.Cells = make([]float32, m.Links*m.Intervals)
	m.fill(c, q, interval, float32(max(1, f.joined[s.Simulation])))
	return m, nil
}

// fill sets the cells from rows in the order of links, lanes and times. A cell is the join of a number of intervals.
func (m *Matrix) fill(c *seriesfile.Columns, q Quantity, interval int64, joined float32) {
	links, times, lanes := list[int64](c.Values[0]), list[int64](c.Values[1]), list[int64](c.Values[2])
	before, sum := [3]int64{-1}, float32(0) // the row before, and the time that its lane has in its cell so far
	for i, link := range links {
		v := float32(0)
		for _, column := range c.Values[3:] {
			v += valueAt(column, i)
		}
		at := [3]int64{link, lanes[i], times[i] / interval}
		switch {
		case q.time:
			if at != before {
				before, sum = at, 0
			}
			sum += v
			v = min(1, sum/float32(interval))
		case q.Unit == "share":
			v /= joined
		}
		if cell := &m.Cells[int(link)*m.Intervals+int(at[2])]; q.most {
			*cell = max(*cell, v)
		} else {
			*cell += v
		}
	}
}

// where are the rows of a simulation.
func where(s *results.SeriesSimulation) map[string][]string {
	return map[string][]string{"simulation": {fmt.Sprint(s.Simulation)}}
}

func valueAt(column any, i int) float32 {
	switch l := column.(type) {
	case []int64:
		return float32(l[i])
	case []float32:
		return l[i]
	}
	return float32(math.NaN())
}
