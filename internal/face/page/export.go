package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
	"weft/units"
)

// The bounds of a page with its data inside.
const (
	mostInside     = 1_300_000 // characters of data: a page of the main job stays below 2 MB, which mail carries
	intervalsShown = 128       // intervals of a simulation
	flowsShown     = 1_500     // messages of a simulation, the slowest
	stepsShown     = 12_000    // rows of steps of a simulation; with more it has none
)

// Embed adds the views of the series in a folder to its report, below the verdict, with the data of the largest
// simulations of each fabric inside: the page needs no server. What has no room is left out, as the note says.
func Embed(d *doc.Document, dir, name string) (note string, err error) {
	f := &Folder{Name: name, dir: dir}
	all, err := seriesfile.Read[results.SeriesSimulation](f.series(), seriesfile.Simulations)
	if err != nil || len(all) == 0 { // nothing was recorded
		return "", err
	}
	f.joined = join(all)
	f.Simulations = all // causes and matrices look a simulation up
	e := export{f: f, inside: map[string]string{}}
	var chosen []results.SeriesSimulation
	for _, s := range byImportance(all) {
		fits, err := e.add(&s)
		if err != nil {
			return "", err
		}
		if fits {
			chosen = append(chosen, s)
		} else {
			e.left = append(e.left, simulationName(&s))
		}
	}
	for i := range chosen {
		if err := e.addDetails(&chosen[i]); err != nil {
			return "", err
		}
	}
	note = e.note(len(all))
	section := doc.Section{
		Title: "Look inside", In: doc.Page,
		Caption: strings.TrimSpace(fmt.Sprintf("At most the %d slowest messages of a simulation; values are rounded to 0.4 %%, intervals are joined to at most %d. %s", flowsShown, intervalsShown, note)),
	}
	if len(chosen) > 0 {
		sorting.Func(chosen, func(a, b results.SeriesSimulation) int { return cmp.Compare(a.Simulation, b.Simulation) })
		f.Simulations = chosen
		if section.Blocks, err = e.views(); err != nil {
			return "", err
		}
		d.Policy = fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'", digest(script))
	}
	d.Sections = slices.Insert(d.Sections, 0, section)
	return note, nil
}

// join makes the intervals of simulations so long that few are inside, and gives how many of each are one.
func join(all []results.SeriesSimulation) map[int32]int64 {
	joined := map[int32]int64{}
	for i := range all {
		s, n := &all[i], int64(1)
		for s.IntervalPs > 0 && (s.DurationPs-1)/(n*s.IntervalPs) >= intervalsShown {
			n *= 2
		}
		s.IntervalPs *= n
		joined[s.Simulation] = n
	}
	return joined
}

func simulationName(s *results.SeriesSimulation) string {
	return strings.Join(strings.Fields(s.Fabric+" "+s.Phase), " ") + " " + units.Bytes(s.Bytes).String()
}

// note says what of a number of simulations has no room; it is empty if everything has.
func (e *export) note(all int) string {
	var parts []string
	if n := len(e.left); n > 0 {
		names := strings.Join(e.left[:min(n, 3)], ", ")
		if n > 3 {
			names += ", …"
		}
		parts = append(parts, fmt.Sprintf("%d of %d simulations (%s)", n, all, names))
	}
	if e.stepless > 0 {
		parts = append(parts, fmt.Sprintf("the steps of %d of the others (more than %d rows)", e.stepless, stepsShown))
	}
	if e.coarse > 0 {
		parts = append(parts, fmt.Sprintf("the short intervals of %d of the others", e.coarse))
	}
	if parts == nil {
		return ""
	}
	return runstore.ReportFile + " has no room for " + strings.Join(parts, ", and ") + ": weft ui shows them."
}

// views are the page's views with their data.
func (e *export) views() ([]doc.Block, error) {
	if _, err := e.put("runs", func() ([]byte, error) { return (&Site{folders: []*Folder{e.f}}).answer("runs", nil) }); err != nil {
		return nil, err
	}
	if _, err := e.put("data/0/simulations.parquet", func() ([]byte, error) { return e.f.columns(seriesfile.Simulations, nil) }); err != nil {
		return nil, err
	}
	data, err := json.Marshal(e.inside)
	return []doc.Block{doc.Live(shell("views") + template.HTML(`<script type="application/json" id="weft-data">`+string(data)+`</script><script>`+script+`</script>`))}, err
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// byImportance orders simulations: the operations of training steps, then the largest of each fabric, then the next.
func byImportance(all []results.SeriesSimulation) []results.SeriesSimulation {
	place := map[int32]int{}
	for i, s := range all {
		for _, other := range all {
			if other.Fabric == s.Fabric && (other.Bytes > s.Bytes || other.Bytes == s.Bytes && other.Simulation < s.Simulation) && s.Phase != results.StepOperations {
				place[all[i].Simulation]++
			}
		}
	}
	out := slices.Clone(all)
	sorting.StableFunc(out, func(a, b results.SeriesSimulation) int { return place[a.Simulation] - place[b.Simulation] })
	return out
}

// export is the data of a page: packed answers by path.
type export struct {
	f      *Folder
	inside map[string]string
	size   int

	left     []string // names of simulations without room
	stepless int      // simulations in the page without their steps
	coarse   int      // simulations in the page without their short intervals
}

// put adds the answer of a path.
func (e *export) put(path string, ask func() ([]byte, error)) (size int, err error) {
	if _, has := e.inside[path]; has {
		return 0, nil
	}
	text, err := ask()
	if err != nil {
		return 0, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	e.inside[path] = base64.StdEncoding.EncodeToString(packed.Bytes())
	e.size += len(e.inside[path])
	return len(e.inside[path]), err
}

// add adds what the views ask for of a simulation, if there is room for all of it.
func (e *export) add(s *results.SeriesSimulation) (fits bool, err error) {
	number := strconv.Itoa(int(s.Simulation))
	paths := map[string]func() ([]byte, error){}
	stepless := false
	for _, q := range quantities {
		paths["matrix/0/"+number+"/"+q.ID] = func() ([]byte, error) {
			m, err := e.f.matrix(int(s.Simulation), q.ID)
			if err != nil {
				return nil, err
			}
			for i, v := range m.Cells {
				m.Cells[i] = rounded(v)
			}
			return m.encode(), nil
		}
	}
	fabric, own := url.Values{"fabric": {s.Fabric}}, url.Values{"simulation": {number}}
	for _, name := range []string{seriesfile.Nodes, seriesfile.Links} {
		paths["data/0/"+name+"?fabric="+s.Fabric] = func() ([]byte, error) { return e.f.columns(name, fabric) }
	}
	for _, name := range []string{seriesfile.FlowHops, seriesfile.Pauses} {
		paths["data/0/"+name+"?simulation="+number] = func() ([]byte, error) { return e.f.columns(name, own) }
	}
	paths["data/0/"+seriesfile.Flows+"?simulation="+number] = func() ([]byte, error) { return e.f.some(seriesfile.Flows, s, slowest) }
	paths["data/0/"+seriesfile.Steps+"?simulation="+number] = func() ([]byte, error) {
		return e.f.some(seriesfile.Steps, s, func(c *seriesfile.Columns) []int {
			if stepless = c.Rows > stepsShown; stepless {
				return nil
			}
			return everyRow(c)
		})
	}
	paths["moments/0/"+number] = func() ([]byte, error) { return e.f.moments(int(s.Simulation)) }
	paths["causes/0/"+number] = func() ([]byte, error) { return e.f.causes(int(s.Simulation)) }

	if fits, err = e.all(paths); fits && stepless {
		e.stepless++
	}
	return fits, err
}

// addDetails adds the short intervals of a simulation, if there is room for all of them; if not, it has none.
func (e *export) addDetails(s *results.SeriesSimulation) error {
	if s.DetailPs == 0 {
		return nil
	}
	paths := map[string]func() ([]byte, error){}
	for _, q := range quantities {
		paths[fmt.Sprintf("details/0/%d/%s", s.Simulation, q.ID)] = func() ([]byte, error) { return e.f.details(int(s.Simulation), q.ID) }
	}
	fits, err := e.all(paths)
	if !fits {
		s.DetailPs = 0
		e.coarse++
	}
	return err
}

// all adds the answers of all paths, or of none if they have no room.
func (e *export) all(paths map[string]func() ([]byte, error)) (fits bool, err error) {
	before := e.size
	var added []string
	for path, ask := range paths {
		if n, err := e.put(path, ask); err != nil {
			return false, err
		} else if n > 0 {
			added = append(added, path)
		}
	}
	if e.size <= mostInside {
		return true, nil
	}
	for _, path := range added {
		delete(e.inside, path)
	}
	e.size = before
	return false, nil
}

// rounded is a value with 8 bits of mantissa, which packs better.
func rounded(v float32) float32 {
	const cut = 23 - 8
	return math.Float32frombits((math.Float32bits(v) + 1<<(cut-1)) &^ (1<<cut - 1))
}

// some are the rows of a table that a choice keeps.
func (f *Folder) some(name string, s *results.SeriesSimulation, keep func(*seriesfile.Columns) []int) ([]byte, error) {
	c, err := seriesfile.Select(f.series(), name, seriesfile.Query{Where: where(s)})
	if err != nil {
		return nil, err
	}
	c.Keep(keep(c))
	return encoded(c)
}

// slowest are the rows of the slowest messages, in the order of the file.
func slowest(c *seriesfile.Columns) []int {
	start, end := list[int64](c.Column("start_ps")), list[int64](c.Column("end_ps"))
	rows := everyRow(c)
	sorting.StableFunc(rows, func(a, b int) int { return cmp.Compare(end[b]-start[b], end[a]-start[a]) })
	rows = rows[:min(len(rows), flowsShown)]
	slices.Sort(rows)
	return rows
}

func everyRow(c *seriesfile.Columns) []int {
	rows := make([]int, c.Rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}
