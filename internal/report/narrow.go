package report

// fitting is a table as tables of at most a width, each with the columns that name the
// rows. Columns of a group stay together where they fit. Width 0 is any. A column that is
// wider than the rest leaves room for stands alone, and its lines are cut by the terminal.
func (t *table) fitting(width int) []*table {
	widths := t.widths()
	keys := max(1, t.keys)
	room := width
	for j := range min(keys, len(widths)) {
		room -= t.gap(j) + widths[j]
	}
	if width <= 0 || t.needs(widths, keys, len(widths)) <= room {
		return []*table{t}
	}
	var parts []*table
	from := keys
	for from < len(widths) {
		to := from
		for to < len(widths) {
			next := t.groupEnd(to)
			if t.needs(widths, from, next) > room && to == from {
				next = to + 1 // not even one group fits
			}
			if t.needs(widths, from, next) > room && to > from {
				break
			}
			to = next
		}
		parts = append(parts, t.part(keys, from, to))
		from = to
	}
	return parts
}

// needs is the width of some columns.
func (t *table) needs(widths []int, from, to int) (n int) {
	for j := from; j < to; j++ {
		n += t.gap(j) + widths[j]
	}
	return n
}

// groupEnd is the column behind the group that a column is in.
func (t *table) groupEnd(j int) int {
	for _, g := range t.groups {
		if g.from <= j && j < g.to {
			return g.to
		}
	}
	return j + 1
}

// part is the table of the key columns and some others.
func (t *table) part(keys, from, to int) *table {
	p := &table{columns: append(append([]column{}, t.columns[:keys]...), t.columns[from:to]...), keys: keys}
	for _, g := range t.groups {
		if a, b := max(g.from, from), min(g.to, to); a < b {
			p.groups = append(p.groups, group{a - from + keys, b - from + keys, g.cell})
		}
	}
	for _, row := range t.rows {
		p.rows = append(p.rows, append(append([]cell{}, row[:min(keys, len(row))]...), row[min(from, len(row)):min(to, len(row))]...))
	}
	return p
}
