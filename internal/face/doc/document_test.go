package doc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/units"
)

// long is a document with two sections in Details: a table of many rows, and a note.
func long(rows int) *Document {
	t := NewTable("size", "time")
	for i := range rows {
		t.Add(Text(fmt.Sprintf("size-%d", i)), Time(units.Microsecond))
	}
	d := &Document{Title: "a | run", Heading: "the heading", Series: []string{"fast", "fast-er"}}
	d.Add(Section{Verdict: true, Blocks: Paragraphs("fast leads fast-er by <2 %.")})
	d.Add(Section{Title: "Every size", In: Details, Blocks: []Block{t}})
	d.Add(Section{Title: "Notes", In: Details, Blocks: Notes("a note")})
	d.Add(Section{Title: "The scenario", In: Page, Folded: true, Blocks: []Block{Listing("name: <script>\n")}})
	return d
}

func onTerminal(t *testing.T, d *Document, s Style) string {
	t.Helper()
	var b strings.Builder
	if err := d.Terminal(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestADocumentFitsTheScreen: whole if it fits, otherwise without its longest section in
// Details. The last line names that section, and --details shows it.
func TestADocumentFitsTheScreen(t *testing.T) {
	for _, c := range []struct {
		rows    int
		details bool
		whole   bool
	}{{30, false, true}, {39, false, true}, {40, false, false}, {80, false, false}, {80, true, true}} {
		text := onTerminal(t, long(c.rows), Style{Details: c.details})
		if lines := strings.Count(text, "\n"); !c.details && lines > screen {
			t.Errorf("%d rows: %d lines, want at most %d", c.rows, lines, screen)
		}
		if whole := strings.Contains(text, "size-0"); whole != c.whole {
			t.Errorf("%d rows, details %v: the table is there: %v, want %v\n%s", c.rows, c.details, whole, c.whole, text)
		}
		if hint := strings.Contains(text, "With --details also: every size."); hint == c.whole {
			t.Errorf("%d rows: the last line names the table: %v", c.rows, hint)
		}
		if !strings.Contains(text, "a note") || strings.Contains(text, "<script>") {
			t.Errorf("%d rows: the note is lost, or the page's text is there:\n%s", c.rows, text)
		}
	}
}

// TestALongListKeepsItsBeginning on a terminal, and is whole with --details; a list that fits is whole, and one without
// Kept is left out. Sections that can be left out without a beginning go when that is not enough.
func TestALongListKeepsItsBeginning(t *testing.T) {
	made := func(items, kept int) *Document {
		d := &Document{Title: "a run"}
		d.Add(Section{Blocks: Paragraphs("what was found")})
		var l List
		for i := range items {
			l = append(l, fmt.Sprintf("finding %d", i))
		}
		d.Add(Section{Title: "Warnings", In: Details, Kept: kept, Blocks: []Block{l}})
		d.Add(Section{Title: "Notes", In: Details, Blocks: []Block{List{"a note"}}})
		return d
	}
	for _, c := range []struct {
		items, kept int
		details     bool
		shown       int
		last        string
	}{
		{60, 6, false, 6, "With --details also: all warnings."},
		{60, 6, true, 60, "a note"},
		{20, 6, false, 20, "a note"},
		{60, 0, false, 0, "With --details also: warnings."},
		{90, 70, false, 0, "With --details also: warnings."},
	} {
		text := onTerminal(t, made(c.items, c.kept), Style{Details: c.details})
		if n := strings.Count(text, "finding "); n != c.shown || !strings.HasSuffix(text, c.last+"\n") || !strings.Contains(text, "a note") {
			t.Errorf("%+v: %d findings:\n%s", c, n, text)
		}
		if strings.Contains(text, "Warnings (6 of 60)") != (c.shown == 6) {
			t.Errorf("%+v: the title:\n%s", c, text)
		}
	}
}

// TestEveryRendererShowsTheLevelOfARow: a document that is too long has only the rows of low
// levels on a terminal, if it then fits.
func TestEveryRendererShowsTheLevelOfARow(t *testing.T) {
	parts := func(rows int) *Document {
		t := NewTable("part", "bytes")
		t.Add(Text("whole"), Bytes(9))
		t.Add(Cell{Text: "half", Level: 1}, Bytes(4))
		for range rows {
			t.Add(Cell{Text: "piece", Level: 2}, Bytes(1))
		}
		return &Document{Title: "a run", Sections: []Section{{Blocks: []Block{t}}}}
	}
	var page, text strings.Builder
	if err := errors.Join(parts(1).HTML(&page), parts(1).Markdown(&text)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want string }{
		{onTerminal(t, parts(1), Style{}), "\nwhole        9 B\n  half       4 B\n    piece    1 B\n"},
		{onTerminal(t, parts(60), Style{}), "\nwhole     9 B\n  half    4 B\n\nWith --details also: the parts of the rows.\n"},
		{onTerminal(t, parts(60), Style{Details: true}), "\n    piece    1 B\n    piece    1 B\n"},
		{page.String(), `<td class="w in2">piece</td>`},
		{text.String(), "| &emsp;half | 4 B |\n| &emsp;&emsp;piece | 1 B |\n"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("no %q in\n%s", c.want, c.got)
		}
	}
}

// TestThePageEscapesItsTexts: names and texts come from files.
func TestThePageEscapesItsTexts(t *testing.T) {
	d := long(1)
	d.Sections[1].Blocks = append(d.Sections[1].Blocks, List{"<i>"}, Alarm("<b>"), Cards{{Title: "<u>"}})
	var b strings.Builder
	if err := d.HTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<i>", "<u>", "ZgotmplZ"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{
		`<b class="t0">fast</b> leads <b class="t1">fast-er</b> by &lt;2`, "name: &lt;script&gt;", "<details", `<td class="n" data-value="1000000" data-unit="ps">1.000` + "\u00a0us</td>",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %q:\n%s", want, b.String()[strings.Index(b.String(), "<main>"):])
		}
	}
}

// TestARowWithoutANameContinuesTheRowAbove: the page has a line above every other row,
// even if its first cell is blank.
func TestARowWithoutANameContinuesTheRowAbove(t *testing.T) {
	table := NewTable("name")
	for _, name := range []string{"*", " ", "", "  inner"} {
		table.AddTexts(name)
	}
	for i, row := range table.pageRows() {
		if want := i != 2; row.First != want {
			t.Errorf("row %d begins a group: %v, want %v", i, row.First, want)
		}
	}
}

// TestMarkdownKeepsItsTables: a bar in a text does not begin a column.
func TestMarkdownKeepsItsTables(t *testing.T) {
	table := &Table{Rows: [][]Cell{{Text("what"), Text("error")}, {Text("a|b"), Instead("MISS").In(Bad)}}}
	d := &Document{Title: "Validation", Sections: []Section{{Title: "One", Blocks: []Block{Paragraph{Lead: "Reference.", Text: "arithmetic"}, table, List{"x", "y"}}}}}
	var b strings.Builder
	if err := d.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	const want = "# Validation\n\n## One\n\n*Reference.* arithmetic\n\n| what | error |\n|---|---:|\n| a\\|b | **MISS** |\n\n- x\n- y\n"
	if b.String() != want {
		t.Errorf("%q, want\n%q", b.String(), want)
	}
}

// TestAGroupIsALineOfItsOwnOnAPhone: the page has what the style needs for that: the name of a group
// at its first cell, escaped, with its colour, and the number of a group's columns.
func TestAGroupIsALineOfItsOwnOnAPhone(t *testing.T) {
	x := NewTable("size", "time", "busbw", "time", "busbw", "fastest")
	x.Groups = []Group{{1, 3, Text(`a"<b>`).In(Series(0))}, {3, 5, Text("b").In(Series(7))}}
	x.Add(Bytes(1), Number(1, "us"), Number(2, "GB/s"), Number(3, "us"), Number(4, "GB/s"), Text("a"))
	var b strings.Builder
	if err := (&Document{Sections: []Section{{Blocks: []Block{x}}}}).HTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`class="card scroll grouped" style="--columns:2"`,
		`<td class="n apart" data-value="1" data-unit="B">`,
		`<td class="n of" data-value="1" data-unit="us" data-group="a&#34;&lt;b&gt;" style="--of:var(--c0)">1</td><td class="n" data-value="2"`,
		`<td class="n again of" data-value="3" data-unit="us" data-group="b" style="--of:var(--c1)">3</td><td class="n again" data-value="4"`,
		`<td class="w apart" data-group="fastest" style="--of:inherit">a</td>`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %q:\n%s", want, b.String()[strings.Index(b.String(), "<table"):])
		}
	}
}
