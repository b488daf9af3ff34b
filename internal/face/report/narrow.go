package report

import (
	"fmt"
	"slices"
	"strings"
)

// fitting is a table as tables of at most a width, each with the columns that name the
// rows. Columns of a group stay together where they fit. Width 0 is any. Names that leave
// no room for the widest column are broken into lines. A column that is still wider than
// the rest leaves room for stands alone, and its lines are cut by the terminal.
func (t *table) fitting(width int) []*table {
	t = t.brokenNames(width)
	widths := t.widths()
	keys := t.naming(widths, width)
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

// leastName is how many characters of a name stand on a line at least.
const leastName = 12

// brokenNames is a table whose first column leaves room for the widest of the others: its
// texts go on below, two columns further in.
func (t *table) brokenNames(width int) *table {
	widths := t.widths()
	if width <= 0 || len(widths) < 2 || t.keys > 1 {
		return t
	}
	room := width
	for j := 1; j < len(widths); j++ {
		room = min(room, width-t.gap(j)-widths[j])
	}
	if room = max(room, leastName); room >= widths[0] {
		return t
	}
	out := *t
	out.rows = nil
	for _, row := range t.rows {
		out.rows = append(out.rows, brokenName(row, room)...)
	}
	return &out
}

// brokenName is a row as rows, the first of which has all other cells.
func brokenName(row []cell, room int) (out [][]cell) {
	name := row[0].text
	indent := len(name) - len(strings.TrimLeft(name, " "))
	for i, line := range strings.Split(wrap(name, room-indent-2), "\n") {
		cells, in := make([]cell, len(row)), indent
		if i == 0 {
			copy(cells, row)
		} else {
			in += 2
		}
		cells[0] = cell{text: strings.Repeat(" ", in) + line, attr: row[0].attr}
		out = append(out, cells)
	}
	return out
}

// brokenWords has words that are longer than a line, such as paths, in pieces.
func brokenWords(text string, room int) string {
	words := strings.Fields(text)
	for i, word := range words {
		letters := []rune(word)
		var pieces []string
		for len(letters) > room {
			at := room
			if slash := strings.LastIndexByte(string(letters[:room]), '/'); slash > 0 {
				at = len([]rune(string(letters[:room])[:slash])) + 1
			}
			pieces, letters = append(pieces, string(letters[:at])), letters[at:]
		}
		words[i] = strings.Join(append(pieces, string(letters)), " ")
	}
	return strings.Join(words, " ")
}

// naming is how many columns from the left name a row: where the table does not say, as
// many as tell all rows apart, if the widest of the other columns fits beside them.
func (t *table) naming(widths []int, width int) int {
	if t.keys > 0 {
		return t.keys
	}
	keys := 1
	for keys < len(widths)-1 && t.needs(widths, 0, keys+1)+2+slices.Max(widths[keys+1:]) <= width && !t.apart(keys) {
		keys++
	}
	return keys
}

// apart reports whether no two rows are the same in some columns from the left.
func (t *table) apart(keys int) bool {
	seen := map[string]bool{}
	for _, row := range t.rows {
		name := fmt.Sprintf("%q", row[:min(keys, len(row))])
		if seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
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
