package doc

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// indented is the cell's text on a terminal, by its level.
func (c Cell) indented() string { return strings.Repeat("  ", c.Level) + c.Text }

// Column is the layout of a column's cells. A column with a quantity is aligned right, others left.
type Column struct {
	Gap   int  // before it, on a terminal; 0 is 2
	Least int  // to fit the terminal, texts are cut in their middle down to this width; 0 is never
	Wrap  bool // the last column: texts are broken into lines on a terminal
	Spare bool // left out on a terminal, if the table then fits whole
	Below bool // the last column: texts are below their rows on a terminal
}

// Table is rows of cells in columns. The first row is the heading.
type Table struct {
	Title   string   // above a table among others of its section
	Columns []Column // of the first columns; the others have the zero value
	Keys    int      // number of columns from the left that name a row; 0 is the number that makes rows distinct
	Groups  []Group
	Rows    [][]Cell
}

// Group is a heading over several columns.
type Group struct {
	From, To int // columns, To excluded
	Cell
}

// NewTable is a table with a heading of plain texts.
func NewTable(heading ...string) *Table {
	t := &Table{}
	t.AddTexts(heading...)
	return t
}

// Wrapped is a table with a heading of plain texts, whose last column is broken into lines if it
// does not fit.
func Wrapped(heading ...string) *Table {
	t := NewTable(heading...)
	t.Columns = make([]Column, len(heading))
	t.Columns[len(heading)-1].Wrap = true
	return t
}

// Grid is a wrapped table of texts.
func Grid(rows [][]string) *Table {
	t := Wrapped(rows[0]...)
	for _, row := range rows[1:] {
		t.AddTexts(row...)
	}
	return t
}

// Add adds a row. The columns for which it has no cell have [None].
func (t *Table) Add(row ...Cell) {
	for len(t.Rows) > 0 && len(row) < len(t.Rows[0]) {
		row = append(row, None)
	}
	t.Rows = append(t.Rows, row)
}

// AddGroup adds columns below a common heading.
func (t *Table) AddGroup(heading Cell, columns ...string) {
	from := len(t.Rows[0])
	t.Groups = append(t.Groups, Group{From: from, To: from + len(columns), Cell: heading})
	t.Columns = append(t.Columns, make([]Column, from-len(t.Columns))...)
	for k, name := range columns {
		t.Columns = append(t.Columns, Column{Gap: 2 + max(0, 1-k)})
		t.Rows[0] = append(t.Rows[0], Text(name))
	}
}

// AddTexts adds a row of plain texts.
func (t *Table) AddTexts(row ...string) {
	cells := make([]Cell, len(row))
	for i, text := range row {
		cells[i].Text = text
	}
	t.Add(cells...)
}

// column is the layout of column j.
func (t *Table) column(j int) Column {
	if j < len(t.Columns) {
		return t.Columns[j]
	}
	return Column{}
}

// numeric reports for each column whether it has a quantity below its heading.
func (t *Table) numeric() []bool {
	out := make([]bool, len(t.Rows[0]))
	for _, row := range t.Rows[1:] {
		for j, c := range row {
			out[j] = out[j] || c.unit != "" || c.instead
		}
	}
	return out
}

// Filled is the table without columns that are empty below their headings. It has no groups.
func (t *Table) Filled() *Table {
	if len(t.Rows) < 2 {
		return t
	}
	out := &Table{Title: t.Title, Keys: t.Keys, Rows: make([][]Cell, len(t.Rows))}
	for j := range t.Rows[0] {
		if !slices.ContainsFunc(t.Rows[1:], func(row []Cell) bool { return row[j].Text != "" || row[j].Bar > 0 }) {
			continue
		}
		out.Columns = append(out.Columns, t.column(j))
		for i, row := range t.Rows {
			out.Rows[i] = append(out.Rows[i], row[j])
		}
	}
	return out
}

// levels is the lowest and the highest level of a row.
func (t *Table) levels() (low, high int) {
	for i, row := range t.Rows[min(1, len(t.Rows)):] {
		if level := row[0].Level; i == 0 {
			low, high = level, level
		} else {
			low, high = min(low, level), max(high, level)
		}
	}
	return low, high
}

// folded is the table without the rows of its n highest levels; the lowest level stays.
func (t *Table) folded(n int) *Table {
	if n == 0 {
		return t
	}
	low, high := t.levels()
	out := *t
	out.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(row []Cell) bool { return row[0].Level > max(low, high-n) })
	return &out
}

// Write writes the table on a terminal, without trailing spaces. A table that is too wide is cut
// into tables below each other.
func (t *Table) Write(w io.Writer, s Style) error {
	for i, part := range t.folded(s.folds).shortened(s.Width).wrapped(s).fitting(s.Width) {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := part.shortened(s.Width).writeWhole(w, s); err != nil {
			return err
		}
	}
	return nil
}

// writeWhole is Write for a table without cuts.
func (t *Table) writeWhole(w io.Writer, s Style) error {
	widths, numeric := t.widths(), t.numeric()
	var b strings.Builder
	if len(t.Groups) > 0 {
		t.writeGroups(&b, s, widths)
	}
	for i, row := range t.Rows {
		var line strings.Builder
		below := ""
		for j, c := range row {
			if t.column(j).Below {
				below = c.Text
				continue
			}
			text := c.indented()
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(text))
			line.WriteString(strings.Repeat(" ", t.gap(j)))
			tone := c.Tone
			if i == 0 && tone == Plain {
				tone = Soft
			}
			switch {
			case numeric[j]:
				line.WriteString(pad + s.paint(text, tone))
			case strings.TrimSpace(text) == "":
				line.WriteString(pad + text)
			default:
				line.WriteString(s.paint(text, tone) + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		if below != "" && i > 0 {
			b.WriteString("    " + strings.ReplaceAll(Wrap(below, s.Columns()-4), "\n", "\n    ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) gap(j int) int {
	switch {
	case j == 0 || t.column(j).Below:
		return 0
	case t.column(j).Gap > 0:
		return t.column(j).Gap
	}
	return 2
}

func (t *Table) widths() []int {
	widths := make([]int, len(t.Rows[0]))
	for _, row := range t.Rows {
		for j, c := range row {
			if !t.column(j).Below {
				widths[j] = max(widths[j], utf8.RuneCountInString(c.indented()))
			}
		}
	}
	return widths
}

// writeGroups writes the headings of groups of columns, aligned right like the numbers below them.
func (t *Table) writeGroups(b *strings.Builder, s Style, widths []int) {
	at := 0
	var line strings.Builder
	for _, g := range t.Groups {
		start, end := t.needs(widths, 0, g.From)+t.gap(g.From), t.needs(widths, 0, g.To)
		text := Fit(g.Text, end-start)
		fill := end - start - utf8.RuneCountInString(text)
		rule := ""
		if fill > 1 {
			rule = strings.Repeat("─", fill-1) + " "
		}
		line.WriteString(strings.Repeat(" ", start-at) + s.paint(rule, Soft) + s.paint(text, g.Tone))
		at = start + utf8.RuneCountInString(rule) + utf8.RuneCountInString(text)
	}
	fmt.Fprintln(b, line.String())
}

// Fit shortens a text in its middle to at most n characters.
func Fit(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	tail := (n - 1) / 2
	return string(r[:n-1-tail]) + "…" + string(r[len(r)-tail:])
}
