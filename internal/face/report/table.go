package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Style is how a terminal shows text. The zero value is plain text, for a
// pipe.
type Style struct {
	Width  int  // columns; 0 is 120
	Colour bool // ANSI colours and weights
}

func (s Style) width() int {
	if s.Width <= 0 {
		return 120
	}
	return s.Width
}

// The attributes of a cell.
const (
	bold = "1"
	dim  = "2"
)

// ansi are colours near those of the page, for series 0, 1, …
var ansi = []string{"34", "33", "35", "32", "36", "31"}

// Colours are the sequences that tables send to a terminal.
func Colours() []string {
	out := []string{"\x1b[0m"}
	for _, attribute := range append([]string{bold, dim}, ansi...) {
		out = append(out, "\x1b["+attribute+"m")
	}
	return out
}

// Bold is a text in bold where the terminal can.
func (s Style) Bold(text string) string { return s.paint(text, bold) }

// Dim is a text that stands back where the terminal can.
func (s Style) Dim(text string) string { return s.paint(text, dim) }

func (s Style) paint(text, attribute string) string {
	if !s.Colour || attribute == "" || text == "" {
		return text
	}
	return "\x1b[" + attribute + "m" + text + "\x1b[0m"
}

// cell is a text with its attribute.
type cell struct {
	text, attr string
}

// column is how the cells of a column stand.
type column struct {
	left bool // numbers stand on the right
	gap  int  // before it; 0 is 2
}

// table is rows of cells, set in columns. A group is a heading over several
// columns.
type table struct {
	columns []column
	keys    int // columns from the left that name a row; 0 is as many as tell rows apart
	groups  []group
	rows    [][]cell // the first is the heading
}

type group struct {
	from, to int // columns, to excluded
	cell
}

func (t *table) add(row ...cell) { t.rows = append(t.rows, row) }

// addTexts adds a row of plain texts.
func (t *table) addTexts(row ...string) {
	cells := make([]cell, len(row))
	for i, text := range row {
		cells[i].text = text
	}
	t.add(cells...)
}

// page is the table for a page.
func (t *table) page(title string) pageTable {
	out := pageTable{Title: title}
	for i, row := range t.rows {
		texts := make([]string, len(row))
		for j, c := range row {
			texts[j] = c.text
		}
		if i == 0 {
			out.Head = texts
		} else {
			out.Rows = append(out.Rows, texts)
		}
	}
	return out
}

// write sets the table. Nothing follows the last visible character of a line. What a
// terminal is too narrow for is cut into tables below each other.
func (t *table) write(w io.Writer, s Style) error {
	for i, part := range t.fitting(s.Width) {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := part.writeWhole(w, s); err != nil {
			return err
		}
	}
	return nil
}

// writeWhole is write of a table as wide as it is.
func (t *table) writeWhole(w io.Writer, s Style) error {
	widths := t.widths()
	var b strings.Builder
	if len(t.groups) > 0 {
		t.writeGroups(&b, s, widths)
	}
	for i, row := range t.rows {
		var line strings.Builder
		for j, c := range row {
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(c.text))
			line.WriteString(strings.Repeat(" ", t.gap(j)))
			attr := c.attr
			if i == 0 && attr == "" {
				attr = dim
			}
			switch {
			case !t.columns[j].left:
				line.WriteString(pad + s.paint(c.text, attr))
			case strings.TrimSpace(c.text) == "":
				line.WriteString(pad + c.text)
			default:
				line.WriteString(s.paint(c.text, attr) + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *table) gap(j int) int {
	if j == 0 {
		return 0
	}
	if t.columns[j].gap > 0 {
		return t.columns[j].gap
	}
	return 2
}

func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for _, row := range t.rows {
		for j, c := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(c.text))
		}
	}
	return widths
}

// writeGroups sets the headings over groups of columns, on the right edge as
// the numbers below them.
func (t *table) writeGroups(b *strings.Builder, s Style, widths []int) {
	at := 0
	var line strings.Builder
	for _, g := range t.groups {
		start, end := 0, 0
		for j := range t.columns {
			if j < g.to {
				end += t.gap(j) + widths[j]
			}
			if j < g.from {
				start += t.gap(j) + widths[j]
			}
		}
		start += t.gap(g.from)
		text := fit(g.text, end-start)
		fill := end - start - utf8.RuneCountInString(text)
		rule := ""
		if fill > 1 {
			rule = strings.Repeat("─", fill-1) + " "
		}
		line.WriteString(strings.Repeat(" ", start-at) + s.paint(rule, dim) + s.paint(text, g.attr))
		at = start + utf8.RuneCountInString(rule) + utf8.RuneCountInString(text)
	}
	fmt.Fprintln(b, line.String())
}

// Grid writes rows of text with a heading, all columns from the left; the last
// is broken into lines where it does not fit.
func Grid(w io.Writer, rows [][]string, s Style) error {
	last := len(rows[0]) - 1
	t := &table{columns: make([]column, last+1)}
	for j := range t.columns {
		t.columns[j].left = true
	}
	for _, row := range rows {
		t.addTexts(row...)
	}
	before := 0
	for j, width := range t.widths() {
		if j < last {
			before += t.gap(j) + width
		}
	}
	room := max(24, s.width()-before-t.gap(last))
	if last > 0 && s.Width > 0 && before+t.gap(last)+24 > s.Width { // it will stand beside the first only
		room = max(leastName, s.Width-min(t.widths()[0], max(leastName, s.Width/2))-t.gap(last))
	}
	t.rows = nil
	for _, row := range rows {
		for i, line := range strings.Split(wrap(brokenWords(row[last], room), room), "\n") {
			cells := make([]cell, len(row))
			for j := range row {
				if i == 0 {
					cells[j].text = row[j]
				}
			}
			cells[last].text = line
			t.add(cells...)
		}
	}
	return t.write(w, s)
}
