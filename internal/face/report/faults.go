package report

import (
	"fmt"
	"io"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/units"
)

// faultSection is what broke in a run, how long each fabric's control plane took to
// mend it, and what the traffic lost by it, a column per fabric.
type faultSection struct {
	Sentences []string // which fabric was mended sooner
	Tables    []faultTable
}

// faultTable is a fault, or the traffic of a size.
type faultTable struct {
	Title string
	Rows  []factRow
}

// faultsOf is nil where nothing was to break.
func faultsOf(r *runstore.Results) *faultSection {
	if !slices.ContainsFunc(r.Fabrics, func(f runstore.FabricResult) bool { return f.Control != nil }) {
		return nil
	}
	s := &faultSection{}
	for _, of := range faultList(r) {
		s.Tables = append(s.Tables, recoveryTable(r, of))
		if text := sooner(r, of); text != "" {
			s.Sentences = append(s.Sentences, text)
		}
		s.Sentences = append(s.Sentences, circles(r, of)...)
	}
	for _, size := range sizes(r) {
		s.Tables = append(s.Tables, trafficTable(r, size))
	}
	if up := bringUpTable(r); len(up.Rows) > 0 {
		s.Tables = append(s.Tables, up)
	}
	return s
}

// faultList are the faults and repairs of all fabrics, in order of time: of the
// Subnet Manager's end only its own fabrics know.
func faultList(r *runstore.Results) (all []runstore.Recovery) {
	for _, f := range r.Fabrics {
		if f.Control == nil {
			continue
		}
		for _, rec := range f.Control.Recoveries {
			if !slices.ContainsFunc(all, func(x runstore.Recovery) bool { return same(x, rec) }) {
				all = append(all, rec)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b runstore.Recovery) int { return int(min(1, max(-1, a.At-b.At))) })
	return all
}

// same reports whether two recoveries are of the same fault.
func same(a, b runstore.Recovery) bool {
	return a.What == b.What && a.Repaired == b.Repaired && a.At == b.At
}

// recoveryOf finds what a fabric did about a fault.
func recoveryOf(f runstore.FabricResult, of runstore.Recovery) (runstore.Recovery, bool) {
	if f.Control != nil {
		for _, rec := range f.Control.Recoveries {
			if same(rec, of) {
				return rec, true
			}
		}
	}
	return runstore.Recovery{}, false
}

// since is a time after a fault.
func since(t units.Time) string {
	if t == runstore.Never {
		return none
	}
	return timeCell(t)
}

func faultTitle(of runstore.Recovery) string {
	verb := "fails"
	if of.Repaired {
		verb = "works again"
	}
	return fmt.Sprintf("%s %s at %s", of.What, verb, shortTime(of.At))
}

// recoveryRow is what is said of a recovery.
type recoveryRow struct {
	label string
	of    func(runstore.Recovery) string
}

// recoveryRows are the stages of mending; times are since the fault.
var recoveryRows = []recoveryRow{
	{"noticed", func(x runstore.Recovery) string { return since(x.Detected) }},
	{"by", func(x runstore.Recovery) string { return x.How }},
	{"fabric swept", func(x runstore.Recovery) string { return since(x.Swept) }},
	{"tables computed", func(x runstore.Recovery) string { return since(x.Computed) }},
	{"first switch mended", func(x runstore.Recovery) string { return since(x.First) }},
	{"time to recovery", func(x runstore.Recovery) string {
		if x.Repaired || x.Last == runstore.Never && x.Open == 0 {
			return none
		}
		return since(x.Open)
	}},
	{"last table written", func(x runstore.Recovery) string { return since(x.Last) }},
	{"switches, entries", func(x runstore.Recovery) string {
		return Integer(int64(x.Switches)) + ", " + Integer(int64(x.Entries))
	}},
}

// laneRow is beside them where a fault changed the lanes of service levels.
var laneRow = recoveryRow{"SL2VL tables, last written", func(x runstore.Recovery) string {
	if x.LaneTables == 0 {
		return none
	}
	return Integer(int64(x.LaneTables)) + ", " + timeCell(x.LastLanes)
}}

func recoveryTable(r *runstore.Results, of runstore.Recovery) faultTable {
	t := faultTable{Title: faultTitle(of)}
	rows := recoveryRows
	if slices.ContainsFunc(r.Fabrics, func(f runstore.FabricResult) bool {
		rec, ok := recoveryOf(f, of)
		return ok && rec.LaneTables > 0
	}) {
		rows = slices.Concat(rows, []recoveryRow{laneRow})
	}
	for _, row := range rows {
		out := factRow{Label: row.label}
		for _, f := range r.Fabrics {
			text := none
			if rec, ok := recoveryOf(f, of); ok {
				text = row.of(rec)
			}
			out.Values = append(out.Values, text)
		}
		t.Rows = append(t.Rows, out)
	}
	return t
}

// sooner says on which fabric all ways were open first, and by how much; empty where
// fewer than two had to open any.
func sooner(r *runstore.Results, of runstore.Recovery) string {
	best, worst := -1, -1
	open := func(i int) units.Time {
		rec, _ := recoveryOf(r.Fabrics[i], of)
		return rec.Open
	}
	for i, f := range r.Fabrics {
		if rec, ok := recoveryOf(f, of); !ok || rec.Repaired || rec.Open <= 0 {
			continue
		}
		if best < 0 || open(i) < open(best) {
			best = i
		}
		if worst < 0 || open(i) > open(worst) {
			worst = i
		}
	}
	if best < 0 || open(best) == open(worst) {
		return ""
	}
	return fmt.Sprintf("When %s, every way on %s is open again after %s, on %s after %s: %s× as long.",
		faultTitle(of), r.Fabrics[best].Name, shortTime(open(best)), r.Fabrics[worst].Name, shortTime(open(worst)), times(float64(open(worst))/float64(open(best))))
}

// circles say on which fabrics connections that keep their service levels can come to a
// standstill on the tables that a fault has led to.
func circles(r *runstore.Results, of runstore.Recovery) (all []string) {
	for _, f := range r.Fabrics {
		if rec, ok := recoveryOf(f, of); ok && rec.Circle != "" {
			all = append(all, fmt.Sprintf("After %s, on %s, connections keep the service levels of their old paths, and the new tables then have a credit loop: %s. An engine that needs no lanes (updn) has none.",
				faultTitle(of), f.Name, rec.Circle))
		}
	}
	return all
}

// trafficRows are what faults did to the traffic of a size.
var trafficRows = []struct {
	label string
	of    func(*runstore.Point) string
}{
	{"time without faults", func(p *runstore.Point) string { return timeCell(p.Fault.Clean) }},
	{"time with them", func(p *runstore.Point) string {
		if !p.Measured() {
			return missing(true, *p)
		}
		return timeCell(p.Time)
	}},
	{"delay", func(p *runstore.Point) string {
		if !p.Measured() || p.Fault.Clean == 0 {
			return none
		}
		return timeCell(p.Time - p.Fault.Clean)
	}},
	{"packets lost at cables", func(p *runstore.Point) string { return count(p.Counts.DroppedFault) }},
	{"packets without a way", func(p *runstore.Point) string { return count(p.Counts.DroppedNoRoute) }},
	{"packets that waited too long", func(p *runstore.Point) string { return count(p.Counts.DroppedLifetime + p.Counts.DroppedStalled) }},
	{"last of them at", func(p *runstore.Point) string { return timeCell(p.Fault.LastLoss) }},
	{"retransmission timeouts", func(p *runstore.Point) string { return count(p.Counts.Timeouts) }},
	{"packets sent again", func(p *runstore.Point) string { return count(p.Counts.Retransmissions) }},
	{"messages lost", func(p *runstore.Point) string { return count(p.Counts.MessagesLost) }},
}

func trafficTable(r *runstore.Results, size int64) faultTable {
	t := faultTable{Title: "Traffic of " + sizeText(size)}
	if size == 0 {
		t.Title = "Traffic"
	}
	for _, row := range trafficRows {
		out := factRow{Label: row.label}
		for _, f := range r.Fabrics {
			text := none
			if p, ok := point(f, size); ok && p.Fault != nil {
				text = row.of(&p)
			}
			out.Values = append(out.Values, text)
		}
		t.Rows = append(t.Rows, out)
	}
	return t
}

// bringUpRows are the phases of bring-up.
var bringUpRows = []struct {
	label string
	of    func(*runstore.BringUp) string
}{
	{"from power-on", func(u *runstore.BringUp) string { return timeCell(u.Time) }},
	{"discovery", func(u *runstore.BringUp) string { return timeCell(u.Discovery) }},
	{"computing tables", func(u *runstore.BringUp) string { return timeCell(u.Compute) }},
	{"LIDs and tables", func(u *runstore.BringUp) string { return timeCell(u.Tables) }},
	{"ports to active", func(u *runstore.BringUp) string { return timeCell(u.Activate) }},
	{"datagrams, table blocks", func(u *runstore.BringUp) string {
		return Integer(int64(u.Datagrams)) + ", " + Integer(int64(u.Blocks))
	}},
}

// bringUpTable is empty where no Subnet Manager is.
func bringUpTable(r *runstore.Results) faultTable {
	t := faultTable{Title: "Bring-up by the Subnet Manager, before the run"}
	if !slices.ContainsFunc(r.Fabrics, func(f runstore.FabricResult) bool { return f.Control != nil && f.Control.BringUp != nil }) {
		return t
	}
	for _, row := range bringUpRows {
		out := factRow{Label: row.label}
		for _, f := range r.Fabrics {
			text := none
			if f.Control != nil && f.Control.BringUp != nil {
				text = row.of(f.Control.BringUp)
			}
			out.Values = append(out.Values, text)
		}
		t.Rows = append(t.Rows, out)
	}
	return t
}

// BringUps writes how Subnet Managers brought fabrics up.
func BringUps(w io.Writer, r *runstore.Results, s doc.Style) error {
	t := bringUpTable(r)
	return t.table(r).Write(w, s)
}

// faultSections are the section for a terminal, if there were faults.
func faultSections(r *runstore.Results) []doc.Section {
	section := faultsOf(r)
	if section == nil {
		return nil
	}
	var blocks []doc.Block
	for _, t := range section.Tables {
		blocks = append(blocks, t.table(r))
	}
	return []doc.Section{{
		Title: "Faults", Caption: "times count from the fault; recovery: every leaf-host path that can return has returned",
		Blocks: append(blocks, doc.Paragraphs(section.Sentences...)...),
	}}
}

func (of *faultTable) table(r *runstore.Results) *doc.Table {
	t := &doc.Table{Columns: []doc.Column{{Left: true}}}
	head := []doc.Cell{{Text: of.Title}}
	for i, f := range r.Fabrics {
		t.Columns = append(t.Columns, doc.Column{Gap: 3})
		head = append(head, doc.Cell{Text: doc.Fit(f.Name, 22), Tone: doc.Series(i)})
	}
	t.Add(head...)
	for _, row := range of.Rows {
		cells := []doc.Cell{{Text: "  " + row.Label}}
		for _, v := range row.Values {
			cells = append(cells, doc.Text(v))
		}
		t.Add(cells...)
	}
	return t
}
