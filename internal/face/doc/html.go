package doc

import (
	"embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/internal/base/sorting"
)

//go:embed *.html.tmpl
var files embed.FS

// pages are the templates of the page of all documents.
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"unbroken": unbroken,
	"inline":   func(text string) template.HTML { return inline(html.EscapeString(text)) },
	"class":    Tone.class,
	"views":    func(l Live) template.HTML { return template.HTML(l) },
	"marker":   legendMarker,
	"head":     (*Table).pageHead,
	"rows":     (*Table).pageRows,
	"wide":     (*Table).wide,
	"grouped":  (*Table).grouped,
	"colour":   func(i int) int { return i % Palette },
	"show":     func(Block) (template.HTML, error) { return "", nil }, // HTML has the document's
}).ParseFS(files, "*.html.tmpl"))

// HTML writes the document as a self-contained page without scripts.
func (d *Document) HTML(w io.Writer) error {
	own, err := pages.Clone()
	if err != nil {
		return err
	}
	own.Funcs(template.FuncMap{"show": func(b Block) (template.HTML, error) {
		var text strings.Builder
		var data any = b
		if p, ok := b.(Paragraph); ok {
			data = pageParagraph{p, d.named(p.Text)}
		}
		err := own.ExecuteTemplate(&text, b.kind(), data)
		return template.HTML(text.String()), err
	}})
	return own.ExecuteTemplate(w, "document.html.tmpl", d)
}

// pageParagraph is a paragraph with the names of series in their colours.
type pageParagraph struct {
	Paragraph
	Named template.HTML
}

// Shown are the sections of the page, the verdict first.
func (d *Document) Shown() (out []Section) {
	for _, s := range d.Sections {
		if s.In != Screen && len(s.Blocks) > 0 {
			out = append(out, s)
		}
	}
	sorting.StableFunc(out, func(a, b Section) int {
		switch {
		case a.Verdict == b.Verdict:
			return 0
		case a.Verdict:
			return -1
		}
		return 1
	})
	return out
}

// wide reports whether the page gives a table its full width.
func (t *Table) wide() bool { return len(t.Rows[0]) > 12 }

// grouped is the largest number of columns of a group; 0 without groups. On a narrow screen each
// group is a line of its row, after its name.
func (t *Table) grouped() (columns int) {
	for _, g := range t.Groups {
		columns = max(columns, g.To-g.From)
	}
	return columns
}

// Colours are the indices of the palette, for the style sheet.
func (d *Document) Colours() []int {
	out := make([]int, Palette)
	for i := range out {
		out[i] = i
	}
	return out
}

// named is a sentence with the names of series in their colours. If one name begins with another,
// the longer is matched first.
func (d *Document) named(sentence string) template.HTML {
	if len(d.Series) == 0 {
		return inline(html.EscapeString(sentence))
	}
	index := map[string]int{}
	var names []string
	for i, name := range d.Series {
		index[name] = i % Palette
		names = append(names, regexp.QuoteMeta(name))
	}
	sorting.StableFunc(names, func(a, b string) int { return len(b) - len(a) })
	var b strings.Builder
	at := 0
	for _, m := range regexp.MustCompile(strings.Join(names, "|")).FindAllStringIndex(sentence, -1) {
		if inWord(sentence, m[0]-1) || inWord(sentence, m[1]) {
			continue
		}
		name := sentence[m[0]:m[1]]
		fmt.Fprintf(&b, `%s<b class="t%d">%s</b>`, html.EscapeString(sentence[at:m[0]]), index[name], html.EscapeString(name))
		at = m[1]
	}
	b.WriteString(html.EscapeString(sentence[at:]))
	return inline(b.String()) // escaped piece by piece
}

// inline is escaped text with code in monospaced type, and links as their texts: their addresses
// are relative to weft's own documents.
func inline(escaped string) template.HTML {
	escaped = regexp.MustCompile("`([^`]+)`").ReplaceAllString(escaped, "<code>$1</code>")
	return template.HTML(regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`).ReplaceAllString(escaped, "$1"))
}

// inWord reports whether there is a letter, digit or hyphen at a position.
func inWord(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// legendMarker is the line and the marker of a series, for legends.
func legendMarker(i int) template.HTML {
	s := strconv.Itoa(i % Palette)
	return template.HTML(`<svg class="key" viewBox="0 0 28 12" aria-hidden="true"><path class="line s` + s +
		`" d="M0 6H28"/><path class="mark s` + s + `" d="` + Marker(i, 14, 6) + `"/></svg>`)
}

// unbroken is a table cell whose number and unit stay on one line: 92.07 kW.
func unbroken(text string) string {
	const figure = 14 // characters; a longer text is a sentence
	if utf8.RuneCountInString(text) <= figure && strings.ContainsAny(text, "0123456789") {
		return strings.ReplaceAll(text, " ", "\u00a0")
	}
	return text
}

// pageRow is a row of a table on the page.
type pageRow struct {
	First bool // begins a group; the rows below it may omit their name
	Cells []pageCell
}

// pageCell is a cell with its class in the style sheet.
type pageCell struct {
	Cell
	Class string
	Value string // of a quantity, in its base unit
	Unit  string
	Width string // width of its bar in per cent; empty without a bar
	Span  int    // columns
	Group *Cell  // the name of the group that the cell begins, or the heading of a cell between groups; nil for other cells
}

// Colour is the colour of the name of the cell's group.
func (c pageCell) Colour() template.CSS {
	if c.Group.Tone >= firstSeries {
		return template.CSS("var(--c" + strconv.Itoa(int(c.Group.Tone-firstSeries)) + ")")
	}
	return "inherit"
}

// pageHead is the heading of a table, after the headings of its groups.
func (t *Table) pageHead() (out [][]pageCell) {
	if len(t.Groups) > 0 {
		var groups []pageCell
		at := 0
		for _, g := range t.Groups {
			if g.From > at {
				groups = append(groups, pageCell{Span: g.From - at})
			}
			groups = append(groups, pageCell{Cell: g.Cell, Class: "n " + g.Tone.class(), Span: g.To - g.From})
			at = g.To
		}
		out = append(out, groups)
	}
	return append(out, t.pageCells(0, t.numeric()))
}

// pageRows are the rows below the heading.
func (t *Table) pageRows() (out []pageRow) {
	numeric := t.numeric()
	for i := 1; i < len(t.Rows); i++ {
		out = append(out, pageRow{First: t.Rows[i][0].Text != "", Cells: t.pageCells(i, numeric)})
	}
	return out
}

func (t *Table) pageCells(i int, numeric []bool) (out []pageCell) {
	for j, c := range t.Rows[i] {
		cell := pageCell{Cell: c, Class: "n", Span: 1}
		if !numeric[j] {
			if cell.Class = "w"; utf8.RuneCountInString(c.Text) > 40 {
				cell.Class = "w long"
			}
			if c.Level > 0 {
				cell.Class += " in" + strconv.Itoa(c.Level)
			}
		}
		if c.unit != "" {
			cell.Value, cell.Unit = strconv.FormatFloat(c.value, 'f', -1, 64), c.unit
		}
		if c.Bar > 0 {
			cell.Width = Num(100 * min(1, c.Bar))
		}
		cell.Group = t.place(j, &cell.Class)
		cell.Class = strings.TrimSpace(cell.Class + " " + c.Tone.class())
		out = append(out, cell)
	}
	return out
}

// place is the name of the group that column j begins, or the heading of a later column that is in
// none. It adds the column's place among groups to a class: of begins a group, apart is in none,
// again is in a group after the first.
func (t *Table) place(j int, class *string) *Cell {
	if len(t.Groups) == 0 {
		return nil
	}
	i := slices.IndexFunc(t.Groups, func(g Group) bool { return g.From <= j && j < g.To })
	if i < 0 {
		*class += " apart"
		if j > 0 {
			return &t.Rows[0][j]
		}
		return nil
	}
	if i > 0 {
		*class += " again"
	}
	if g := &t.Groups[i]; g.From == j {
		*class += " of"
		return &g.Cell
	}
	return nil
}
