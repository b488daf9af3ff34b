package report

import (
	"fmt"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
)

// intervalTable is the uncertainty over seeds, a row per size.
func intervalTable(r *runstore.Results) *doc.Table {
	t := &doc.Table{Keys: 2, Columns: []doc.Column{{}, {}}}
	head := []doc.Cell{{Text: "size"}, {Text: "seeds"}}
	for i, f := range r.Fabrics {
		t.Groups = append(t.Groups, doc.Group{From: 2 + 2*i, To: 4 + 2*i, Cell: doc.Cell{Text: f.Name, Tone: doc.Series(i)}})
		t.Columns = append(t.Columns, doc.Column{Gap: 3}, doc.Column{Gap: 2})
		head = append(head, doc.Text("±"), doc.Text("× the fastest"))
	}
	t.Add(head...)
	for _, size := range sizes(r) {
		n := 0
		s := standingAt(r, size)
		row := []doc.Cell{{Text: sizeText(size)}, {}}
		for i, f := range r.Fabrics {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				row = append(row, doc.Text(none), doc.Text(none))
				continue
			}
			n = max(n, len(timesOf(&p)))
			ratio := none
			switch {
			case i == s.best:
				ratio = "1"
			case s.best >= 0 && !s.ratios[i].once():
				ratio = s.ratios[i].interval()
			}
			row = append(row, doc.Text(plusMinus(&p)), doc.Text(ratio))
		}
		row[1].Text = fmt.Sprint(n)
		t.Add(row...)
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
