package report

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// faultTables are the faults of a run, the recovery times of each fabric's control plane, and the
// effect on the traffic, a column per fabric; none without faults.
func faultTables(r *results.Results) (out []doc.Block) {
	if !broken(r) {
		return nil
	}
	for _, of := range faultList(r) {
		out = append(out, recoveryTable(r, of))
	}
	for _, size := range sizes(r) {
		out = append(out, trafficTable(r, size))
	}
	return append(out, bringUpTable(r))
}

// broken reports whether the scenario has faults.
func broken(r *results.Results) bool {
	return slices.ContainsFunc(r.Fabrics, func(f results.FabricResult) bool { return f.Control != nil })
}

// faultSentences name the fabric that recovered first.
func faultSentences(r *results.Results) (out []string) {
	for _, of := range faultList(r) {
		if text := sooner(r, of); text != "" {
			out = append(out, text)
		}
		out = append(out, circles(r, of)...)
	}
	return out
}

// faultList are the faults and repairs of all fabrics, in order of time: the end of the Subnet
// Manager concerns only some fabrics.
func faultList(r *results.Results) (all []results.Recovery) {
	for _, f := range r.Fabrics {
		if f.Control == nil {
			continue
		}
		for _, rec := range f.Control.Recoveries {
			if !slices.ContainsFunc(all, func(x results.Recovery) bool { return same(x, rec) }) {
				all = append(all, rec)
			}
		}
	}
	sorting.StableFunc(all, func(a, b results.Recovery) int { return int(min(1, max(-1, a.At-b.At))) })
	return all
}

// same reports whether two recoveries are of the same fault.
func same(a, b results.Recovery) bool {
	return a.What == b.What && a.Repaired == b.Repaired && a.At == b.At
}

func fabricName(f results.FabricResult) string { return f.Name }

// recoveryOf finds a fabric's recovery from a fault.
func recoveryOf(f results.FabricResult, of results.Recovery) (results.Recovery, bool) {
	if f.Control != nil {
		for _, rec := range f.Control.Recoveries {
			if same(rec, of) {
				return rec, true
			}
		}
	}
	return results.Recovery{}, false
}

// since is a time after a fault.
func since(t units.Time) doc.Cell {
	if t == results.Never {
		return doc.None
	}
	return doc.Time(t)
}

func faultTitle(of results.Recovery) string {
	verb := "fails"
	if of.Repaired {
		verb = "works again"
	}
	return fmt.Sprintf("%s %s at %s", of.What, verb, shortTime(of.At))
}

// recoveryRow is a row of the recovery table.
type recoveryRow struct {
	label string
	of    func(results.Recovery) doc.Cell
}

// recoveryRows are the stages of recovery; times count from the fault.
var recoveryRows = []recoveryRow{
	{"noticed", func(x results.Recovery) doc.Cell { return since(x.Detected) }},
	{"by", func(x results.Recovery) doc.Cell { return doc.Text(x.How) }},
	{"fabric swept", func(x results.Recovery) doc.Cell { return since(x.Swept) }},
	{"tables computed", func(x results.Recovery) doc.Cell { return since(x.Computed) }},
	{"first switch mended", func(x results.Recovery) doc.Cell { return since(x.First) }},
	{"time to recovery", func(x results.Recovery) doc.Cell {
		if x.Repaired || x.Last == results.Never && x.Open == 0 {
			return doc.None
		}
		return since(x.Open)
	}},
	{"last table written", func(x results.Recovery) doc.Cell { return since(x.Last) }},
	{"switches, entries", func(x results.Recovery) doc.Cell {
		return doc.Instead(doc.Integer(int64(x.Switches)) + ", " + doc.Integer(int64(x.Entries)))
	}},
}

// laneRow is added if a fault changed the lanes of service levels.
var laneRow = recoveryRow{"SL2VL tables, last written", func(x results.Recovery) doc.Cell {
	if x.LaneTables == 0 {
		return doc.None
	}
	return doc.Instead(doc.Integer(int64(x.LaneTables)) + ", " + fullTime(x.LastLanes))
}}

func recoveryTable(r *results.Results, of results.Recovery) *doc.Table {
	t := columnsOf(faultTitle(of), r.Fabrics, fabricName)
	rows := recoveryRows
	if slices.ContainsFunc(r.Fabrics, func(f results.FabricResult) bool {
		rec, ok := recoveryOf(f, of)
		return ok && rec.LaneTables > 0
	}) {
		rows = slices.Concat(rows, []recoveryRow{laneRow})
	}
	for _, row := range rows {
		t.row(doc.Cell{Text: row.label, Level: 1}, func(f results.FabricResult) doc.Cell {
			if rec, ok := recoveryOf(f, of); ok {
				return cmp.Or(row.of(rec), doc.None)
			}
			return doc.None
		})
	}
	return t.Table
}

// sooner names the fabric on which all paths were open first, and the ratio; empty if fewer than
// two had to open any.
func sooner(r *results.Results, of results.Recovery) string {
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
	return fmt.Sprintf("When %s, every path on %s is open again after %s, on %s after %s: %s× as long.",
		faultTitle(of), quoted(r.Fabrics[best].Name), shortTime(open(best)), quoted(r.Fabrics[worst].Name), shortTime(open(worst)), times(float64(open(worst))/float64(open(best))))
}

// circles names the fabrics on which connections that keep their service levels can deadlock with
// the tables after a fault.
func circles(r *results.Results, of results.Recovery) (all []string) {
	for _, f := range r.Fabrics {
		if rec, ok := recoveryOf(f, of); ok && rec.Circle != "" {
			all = append(all, fmt.Sprintf("After %s, on %s, connections keep the service levels of their old paths, and the new tables then have a credit loop: %s. An engine that needs no lanes (updn) has no such loop.",
				faultTitle(of), quoted(f.Name), rec.Circle))
		}
	}
	return all
}

// trafficRows are the effects of faults on the traffic of a size.
var trafficRows = []struct {
	label string
	of    func(*results.Point) doc.Cell
}{
	{"time without faults", func(p *results.Point) doc.Cell { return doc.Time(p.Fault.Clean) }},
	{"time with them", func(p *results.Point) doc.Cell {
		if !p.Measured() {
			return missing(true, *p)
		}
		return doc.Time(p.Time)
	}},
	{"delay", func(p *results.Point) doc.Cell {
		if !p.Measured() || p.Fault.Clean == 0 {
			return doc.None
		}
		return doc.Time(p.Time - p.Fault.Clean)
	}},
	{"packets lost at cables", func(p *results.Point) doc.Cell { return doc.Count(p.Counts.DroppedFault) }},
	{"packets without a route", func(p *results.Point) doc.Cell { return doc.Count(p.Counts.DroppedNoRoute) }},
	{"packets that waited too long", func(p *results.Point) doc.Cell { return doc.Count(p.Counts.DroppedLifetime + p.Counts.DroppedStalled) }},
	{"last of them at", func(p *results.Point) doc.Cell { return doc.Time(p.Fault.LastLoss) }},
	{"retransmission timeouts", func(p *results.Point) doc.Cell { return doc.Count(p.Counts.Timeouts) }},
	{"packets sent again", func(p *results.Point) doc.Cell { return doc.Count(p.Counts.Retransmissions) }},
	{"messages lost", func(p *results.Point) doc.Cell { return doc.Count(p.Counts.MessagesLost) }},
}

func trafficTable(r *results.Results, size int64) *doc.Table {
	title := "Traffic"
	if size != 0 {
		title += " of " + sizeText(size)
	}
	t := columnsOf(title, r.Fabrics, fabricName)
	for _, row := range trafficRows {
		t.row(doc.Cell{Text: row.label, Level: 1}, func(f results.FabricResult) doc.Cell {
			if p, ok := point(f, size); ok && p.Fault != nil {
				return row.of(&p)
			}
			return doc.None
		})
	}
	return t.Table
}

// bringUpRows are the phases of bring-up.
var bringUpRows = []struct {
	label string
	of    func(*results.BringUp) doc.Cell
}{
	{"from power-on", func(u *results.BringUp) doc.Cell { return doc.Time(u.Time) }},
	{"discovery", func(u *results.BringUp) doc.Cell { return doc.Time(u.Discovery) }},
	{"computing tables", func(u *results.BringUp) doc.Cell { return doc.Time(u.Compute) }},
	{"LIDs and tables", func(u *results.BringUp) doc.Cell { return doc.Time(u.Tables) }},
	{"ports to active", func(u *results.BringUp) doc.Cell { return doc.Time(u.Activate) }},
	{"datagrams, table blocks", func(u *results.BringUp) doc.Cell {
		return doc.Instead(doc.Integer(int64(u.Datagrams)) + ", " + doc.Integer(int64(u.Blocks)))
	}},
}

// bringUpTable has no rows without a Subnet Manager.
func bringUpTable(r *results.Results) *doc.Table {
	t := columnsOf("Bring-up by the Subnet Manager, before the run", r.Fabrics, fabricName)
	if !slices.ContainsFunc(r.Fabrics, func(f results.FabricResult) bool { return f.Control != nil && f.Control.BringUp != nil }) {
		return t.Table
	}
	for _, row := range bringUpRows {
		t.row(doc.Cell{Text: row.label, Level: 1}, func(f results.FabricResult) doc.Cell {
			if f.Control != nil && f.Control.BringUp != nil {
				return row.of(f.Control.BringUp)
			}
			return doc.None
		})
	}
	return t.Table
}

// BringUp is the time that the Subnet Manager takes, by phase; a column for each fabric.
func BringUp(r *results.Results) *doc.Document {
	return &doc.Document{
		Brand: "InfiniBand bring-up", Title: r.Scenario, Footer: "Made by weft sm bringup. The same scenario and version make the same page.",
		Sections: []doc.Section{{Blocks: []doc.Block{bringUpTable(r)}}},
	}
}
