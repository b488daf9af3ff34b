package report

import "weft/internal/face/doc"

// columns is a table with a column for each of some fabrics.
type columns[F any] struct {
	*doc.Table
	fabrics []F
}

// columnsOf is a table whose heading has a corner and the names of fabrics.
func columnsOf[F any](corner string, fabrics []F, name func(F) string) columns[F] {
	t := columns[F]{doc.NewTable(corner), fabrics}
	for i, f := range fabrics {
		t.Rows[0] = append(t.Rows[0], doc.Text(doc.Fit(name(f), 22)).In(doc.Series(i)))
	}
	return t
}

// row adds a row with a cell of each fabric, and cells behind them.
func (t columns[F]) row(label doc.Cell, of func(F) doc.Cell, behind ...doc.Cell) {
	cells := []doc.Cell{label}
	for _, f := range t.fabrics {
		cells = append(cells, of(f))
	}
	t.Add(append(cells, behind...)...)
}
