package seriesfile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"weft/internal/sim/runstore"
	"weft/results"
)

// The files of series.
const (
	Simulations = "simulations.parquet"
	Nodes       = "nodes.parquet"
	Links       = "links.parquet"
	LinkSamples = "link_samples.parquet"
	LinkDetails = "link_details.parquet"
	Flows       = "flows.parquet"
	FlowHops    = "flow_hops.parquet"
	Pauses      = "pauses.parquet"
	Steps       = "steps.parquet"
)

// The keys of a file's metadata.
const (
	keyVersion     = "weft.series_version"
	keyWeft        = "weft.version"
	keyScenario    = "weft.scenario"
	keySeed        = "weft.seed"
	keySimulations = "weft.simulations" // JSON: the rows of simulations.parquet
)

// About is the run that a file belongs to.
type About struct {
	Weft     string // version
	Scenario string // name
	Seed     uint64
}

// Writer writes the files of a run into a folder.
type Writer struct {
	about       About
	simulations *file[results.SeriesSimulation]
	nodes       *file[results.SeriesNode]
	links       *file[results.SeriesLink]
	samples     *file[results.SeriesSample]
	details     *file[results.SeriesSample]
	flows       *file[results.SeriesFlow]
	hops        *file[results.SeriesHop]
	pauses      *file[results.SeriesPause]
	steps       *file[results.SeriesStep]
	known       map[string]bool // fabrics whose topology is written
	all         []results.SeriesSimulation
	err         error // the first
}

// Create makes the files in a new folder.
func Create(dir string, about About) (*Writer, error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	w := &Writer{about: about, known: map[string]bool{}}
	w.simulations = create[results.SeriesSimulation](w, dir, Simulations)
	w.nodes = create[results.SeriesNode](w, dir, Nodes)
	w.links = create[results.SeriesLink](w, dir, Links)
	w.samples = create[results.SeriesSample](w, dir, LinkSamples)
	w.details = create[results.SeriesSample](w, dir, LinkDetails)
	w.flows = create[results.SeriesFlow](w, dir, Flows)
	w.hops = create[results.SeriesHop](w, dir, FlowHops)
	w.pauses = create[results.SeriesPause](w, dir, Pauses)
	w.steps = create[results.SeriesStep](w, dir, Steps)
	return w, w.err
}

// Files are the complete files, by their names in the run folder, for [runstore.Output.Seal].
func (w *Writer) Files() (list []runstore.File) {
	for _, name := range Names {
		list = append(list, runstore.File{Name: path.Join(results.SeriesFolder, name), Staged: true})
	}
	return list
}

// Add writes the series of a simulation. After an error it does nothing; Close returns the error.
func (w *Writer) Add(s *results.Series) {
	w.all = append(w.all, s.Simulation)
	w.simulations.write(s.Simulation)
	if !w.known[s.Simulation.Fabric] {
		w.known[s.Simulation.Fabric] = true
		w.nodes.write(s.Nodes...)
		w.links.write(s.Links...)
	}
	writeAll(w.samples, s.Samples)
	if s.Details != nil {
		writeAll(w.details, s.Details)
	}
	for i := range s.Flows {
		s.Flows[i].Simulation = s.Simulation.Simulation
	}
	for i := range s.Hops {
		s.Hops[i].Simulation = s.Simulation.Simulation
	}
	for i := range s.Pauses {
		s.Pauses[i].Simulation = s.Simulation.Simulation
	}
	for i := range s.Steps {
		s.Steps[i].Simulation = s.Simulation.Simulation
	}
	w.flows.write(s.Flows...)
	w.hops.write(s.Hops...)
	w.pauses.write(s.Pauses...)
	w.steps.write(s.Steps...)
	w.samples.group()
	w.details.group()
	w.flows.group()
	w.hops.group()
	w.steps.group()
}

// Close completes the files, and returns the first error of all writing.
func (w *Writer) Close() error {
	list, err := json.Marshal(w.all)
	w.fail(err)
	meta := [][2]string{
		{keyVersion, strconv.Itoa(results.SeriesVersion)},
		{keyWeft, w.about.Weft},
		{keyScenario, w.about.Scenario},
		{keySeed, strconv.FormatUint(w.about.Seed, 10)},
		{keySimulations, string(list)},
	}
	w.simulations.close(meta)
	w.nodes.close(meta)
	w.links.close(meta)
	w.samples.close(meta)
	w.details.close(meta)
	w.flows.close(meta)
	w.hops.close(meta)
	w.pauses.close(meta)
	w.steps.close(meta)
	return w.err
}

func (w *Writer) fail(err error) {
	if w.err == nil && err != nil {
		w.err = err
	}
}

// file is a file with rows of a type.
type file[T any] struct {
	of      *Writer
	name    string
	out     *os.File
	buffer  *bufio.Writer
	rows    *parquet.GenericWriter[T]
	grouped int // rows since the last row group
}

// Row groups of simulations are not smaller than leastGroup rows, if more rows follow, and no row group is
// larger than mostGroup: a reader of one simulation need not read the others, and the writer holds one group.
const (
	leastGroup = 1 << 13
	mostGroup  = 1 << 17
)

func create[T any](w *Writer, dir, name string) *file[T] {
	f := &file[T]{of: w, name: name}
	var err error
	if f.out, err = os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		w.fail(err)
		return f
	}
	f.buffer = bufio.NewWriterSize(f.out, 1<<16)
	f.rows = parquet.NewGenericWriter[T](f.buffer, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("weft", w.about.Weft, ""))
	return f
}

// writeAll writes rows that come one by one.
func writeAll[T any](f *file[T], rows iter.Seq[T]) {
	batch := make([]T, 0, 1024)
	for row := range rows {
		if batch = append(batch, row); len(batch) == cap(batch) {
			f.write(batch...)
			batch = batch[:0]
		}
	}
	f.write(batch...)
}

func (f *file[T]) write(rows ...T) {
	for part := range slices.Chunk(rows, mostGroup) {
		if f.of.err != nil {
			return
		}
		_, err := f.rows.Write(part)
		f.fail(err)
		if f.grouped += len(part); f.grouped >= mostGroup {
			f.group()
		}
	}
}

// group ends a row group that is large enough.
func (f *file[T]) group() {
	if f.of.err == nil && f.grouped >= leastGroup {
		f.fail(f.rows.Flush())
		f.grouped = 0
	}
}

func (f *file[T]) fail(err error) {
	if err != nil {
		f.of.fail(fmt.Errorf("%s: %w", f.name, err))
	}
}

func (f *file[T]) close(meta [][2]string) {
	if f.out == nil {
		return
	}
	if f.of.err == nil {
		for _, m := range meta {
			f.rows.SetKeyValueMetadata(m[0], m[1])
		}
		f.fail(errors.Join(f.rows.Close(), f.buffer.Flush(), f.out.Sync()))
	}
	f.fail(f.out.Close())
}
