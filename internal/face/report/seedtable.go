package report

import (
	"fmt"
	"io"

	"weft/internal/sim/runstore"
)

// seedTitle heads the table of intervals.
const seedTitle = "Over seeds (95 % intervals: ± of the mean time; times the time of the fastest, seed by seed)"

// intervalTable is what the seeds leave open of some fabrics, a row per size.
func intervalTable(r *runstore.Results, from, to int) *table {
	t := &table{columns: []column{{}, {}}}
	head := []cell{{text: "size"}, {text: "seeds"}}
	for i, f := range r.Fabrics[from:to] {
		t.groups = append(t.groups, group{2 + 2*i, 4 + 2*i, cell{f.Name, ansi[(from+i)%len(ansi)]}})
		t.columns = append(t.columns, column{gap: 3}, column{gap: 2})
		head = append(head, cell{text: "±"}, cell{text: "× the fastest"})
	}
	t.add(head...)
	for _, size := range sizes(r) {
		n := 0
		s := standingAt(r, size)
		row := []cell{{text: sizeText(size)}, {}}
		for i, f := range r.Fabrics[from:to] {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				row = append(row, cell{text: none}, cell{text: none})
				continue
			}
			n = max(n, len(timesOf(&p)))
			ratio := none
			switch {
			case from+i == s.best:
				ratio = "1"
			case s.best >= 0 && !s.ratios[from+i].once():
				ratio = s.ratios[from+i].interval()
			}
			row = append(row, cell{text: plusMinus(&p)}, cell{text: ratio})
		}
		row[1].text = fmt.Sprint(n)
		t.add(row...)
	}
	return t
}

// plusMinus is half of a point's interval as a share of its time.
func plusMinus(p *runstore.Point) string {
	if p.Seeds == nil || p.Time <= 0 {
		return none
	}
	return percent(float64(p.Seeds.HighPs-p.Seeds.LowPs) / 2 / float64(p.Time))
}

// writeSeeds writes the table for a terminal.
func writeSeeds(w io.Writer, r *runstore.Results, s Style) error {
	if !repeated(r) {
		return nil
	}
	fmt.Fprintf(w, "\n%s\n\n", seedTitle)
	return writeSideBySide(w, r, s, intervalTable)
}

// intervalPage is the table for a page; nil of one run.
func intervalPage(r *runstore.Results) *pageTable {
	if !repeated(r) {
		return nil
	}
	t := intervalTable(r, 0, len(r.Fabrics)).page(seedTitle)
	for i, f := range r.Fabrics {
		t.Head[2+2*i] = f.Name + " ±"
	}
	return &t
}
