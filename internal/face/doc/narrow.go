package doc

import (
	"fmt"
	"slices"
	"strings"
)

// fitting splits a table into tables no wider than width. Each repeats the columns that
// name the rows. The columns of a group stay together if they fit. Names that leave no room
// for the widest column are broken into lines. A column that is too wide for the space left
// gets a table of its own, and the terminal cuts its lines. Width 0 means no limit.
func (t *Table) fitting(width int) []*Table {
	if slim := t.withoutSpare(); width > 0 && slim != nil && t.needs(t.widths(), 0, len(t.widths())) > width {
		if widths := slim.widths(); slim.needs(widths, 0, len(widths)) <= width {
			return []*Table{slim}
		}
	}
	t = t.brokenNames(width)
	widths := t.widths()
	keys := t.naming(widths, width)
	room := width
	for j := range min(keys, len(widths)) {
		room -= t.gap(j) + widths[j]
	}
	if width <= 0 || t.needs(widths, keys, len(widths)) <= room {
		return []*Table{t}
	}
	var parts []*Table
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

// withoutSpare is the table without its spare columns; nil if it has none.
func (t *Table) withoutSpare() *Table {
	spare := func(j int) bool { return j < len(t.Columns) && t.Columns[j].Spare }
	left := 0 // columns that are left out before a column
	out := &Table{Title: t.Title, Keys: t.Keys, Rows: make([][]Cell, len(t.Rows))}
	at := make([]int, len(t.Rows[0])+1)
	for j := range t.Rows[0] {
		at[j] = j - left
		if spare(j) {
			left++
			continue
		}
		if j < len(t.Columns) {
			out.Columns = append(out.Columns, t.Columns[j])
		}
		for i, row := range t.Rows {
			if j < len(row) {
				out.Rows[i] = append(out.Rows[i], row[j])
			}
		}
	}
	at[len(t.Rows[0])] = len(t.Rows[0]) - left
	if left == 0 {
		return nil
	}
	for _, g := range t.Groups {
		out.Groups = append(out.Groups, Group{From: at[g.From], To: at[g.To], Cell: g.Cell})
	}
	return out
}

// leastName is the minimum number of characters of a name on a line.
const leastName = 12

// brokenNames wraps the names in the first column so that the widest other column fits.
// Continuation lines are indented by two characters.
func (t *Table) brokenNames(width int) *Table {
	widths := t.widths()
	if width <= 0 || len(widths) < 2 || t.Keys > 1 {
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
	out.Rows = nil
	for _, row := range t.Rows {
		out.Rows = append(out.Rows, brokenName(row, room)...)
	}
	return &out
}

// brokenName splits a row whose name is too long. The other cells stay in the first part.
func brokenName(row []Cell, room int) (out [][]Cell) {
	name := row[0]
	for i, line := range strings.Split(Wrap(name.Text, room-2*name.Level-2), "\n") {
		cells := make([]Cell, len(row))
		if i == 0 {
			copy(cells, row)
		} else {
			line = "  " + line
		}
		cells[0] = Cell{Text: line, Tone: name.Tone, Level: name.Level}
		out = append(out, cells)
	}
	return out
}

// brokenWords cuts words that are longer than a line, such as paths, into pieces.
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

// naming is the number of columns from the left that name a row: Keys if it is set;
// otherwise the fewest columns that make all rows distinct, as far as the widest other
// column still fits.
func (t *Table) naming(widths []int, width int) int {
	if t.Keys > 0 {
		return t.Keys
	}
	keys := 1
	for keys < len(widths)-1 && t.needs(widths, 0, keys+1)+2+slices.Max(widths[keys+1:]) <= width && !t.apart(keys) {
		keys++
	}
	return keys
}

// apart reports whether no two rows are the same in the first keys columns.
func (t *Table) apart(keys int) bool {
	seen := map[string]bool{}
	for _, row := range t.Rows {
		var name string
		for _, c := range row[:min(keys, len(row))] {
			name += fmt.Sprintf("%q", c.Text)
		}
		if seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}

// needs is the width of some columns.
func (t *Table) needs(widths []int, from, to int) (n int) {
	for j := from; j < to; j++ {
		n += t.gap(j) + widths[j]
	}
	return n
}

// groupEnd is the column behind a column's group.
func (t *Table) groupEnd(j int) int {
	for _, g := range t.Groups {
		if g.From <= j && j < g.To {
			return g.To
		}
	}
	return j + 1
}

// part is the table of the key columns and some others.
func (t *Table) part(keys, from, to int) *Table {
	columns := append(slices.Clone(t.Columns), make([]Column, len(t.Rows[0]))...)
	p := &Table{Columns: slices.Concat(columns[:keys], columns[from:to]), Keys: keys}
	for _, g := range t.Groups {
		if a, b := max(g.From, from), min(g.To, to); a < b {
			p.Groups = append(p.Groups, Group{a - from + keys, b - from + keys, g.Cell})
		}
	}
	for _, row := range t.Rows {
		p.Rows = append(p.Rows, append(append([]Cell{}, row[:min(keys, len(row))]...), row[min(from, len(row)):min(to, len(row))]...))
	}
	return p
}

// shortened cuts the texts of the shortenable column, if the table then fits, or cannot be split. Width 0 means no
// limit.
func (t *Table) shortened(width int) *Table {
	widths := t.widths()
	over := t.needs(widths, 0, len(widths)) - width
	j := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Least > 0 })
	if width <= 0 || over <= 0 || j < 0 || len(widths) > t.Keys+1 && over > widths[j]-t.Columns[j].Least {
		return t
	}
	out := *t
	out.Rows = nil
	for _, row := range t.Rows {
		row = slices.Clone(row)
		row[j].Text = Fit(row[j].Text, max(t.Columns[j].Least, widths[j]-over))
		out.Rows = append(out.Rows, row)
	}
	return &out
}

// wrapped is a table whose last column is broken into lines if it does not fit.
func (t *Table) wrapped(s Style) *Table {
	last := len(t.Rows[0]) - 1
	if !t.column(last).Wrap {
		return t
	}
	widths := t.widths()
	before := t.needs(widths, 0, last) + t.gap(last)
	room := max(24, s.Columns()-before)
	if last > 0 && s.Width > 0 && before+24 > s.Width { // it will be next to the first line only
		room = max(leastName, s.Width-min(widths[0], max(leastName, s.Width/2))-t.gap(last))
	}
	out := *t
	out.Rows = nil
	for _, row := range t.Rows {
		for i, line := range strings.Split(Wrap(brokenWords(row[last].Text, room), room), "\n") {
			cells := make([]Cell, len(row))
			if i == 0 {
				copy(cells, row)
			}
			cells[last] = row[last].As(line)
			out.Rows = append(out.Rows, cells)
		}
	}
	return &out
}
