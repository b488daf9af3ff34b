package report

import (
	"weft/internal/face/doc"
	"weft/results"
)

// seedBlocks are the uncertainty over seeds and, where times differ, their spread in words.
func seedBlocks(r *results.Results) []doc.Block {
	out := []doc.Block{intervalTable(r)}
	if t := spreadTable(r); t != nil {
		out = append(out, t)
	}
	return out
}

// intervalTable is the uncertainty over seeds, a row per size.
func intervalTable(r *results.Results) *doc.Table {
	t := doc.NewTable("size", "seeds")
	t.Keys, t.Columns = 2, make([]doc.Column, 2)
	for i, f := range r.Fabrics {
		t.Groups = append(t.Groups, doc.Group{From: 2 + 2*i, To: 4 + 2*i, Cell: doc.Text(f.Name).In(doc.Series(i))})
		t.Columns = append(t.Columns, doc.Column{Gap: 3}, doc.Column{Gap: 2})
		t.Rows[0] = append(t.Rows[0], doc.Text("±"), doc.Text("× the fastest"))
	}
	for _, size := range sizes(r) {
		n := 0
		s := standingAt(r, size)
		row := []doc.Cell{sizeCell(size), {}}
		for i, f := range r.Fabrics {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				row = append(row, doc.None, doc.None)
				continue
			}
			n = max(n, len(p.Times()))
			ratio := doc.None
			switch {
			case i == s.best:
				ratio = doc.Ratio(1, 0)
			case s.best >= 0 && !s.ratios[i].Once():
				ratio = doc.Instead(interval(s.ratios[i]))
			}
			row = append(row, plusMinus(&p), ratio)
		}
		row[1] = doc.Count(n)
		t.Add(row...)
	}
	return t
}

// plusMinus is half of a point's interval as a share of its time.
func plusMinus(p *results.Point) doc.Cell {
	if p.Seeds == nil || p.Time <= 0 {
		return doc.None
	}
	return doc.Share(float64(p.Seeds.HighPs-p.Seeds.LowPs) / 2 / float64(p.Time))
}
