package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTablesFitTheTerminal: whatever its width, and nothing is lost.
func TestTablesFitTheTerminal(t *testing.T) {
	wide := &table{columns: []column{{}}}
	head, row := []string{"size"}, []string{"1 KiB"}
	for f := range 3 {
		from := len(wide.columns)
		for c := range 4 {
			wide.columns = append(wide.columns, column{})
			head = append(head, fmt.Sprintf("column-%d-%d", f, c))
			row = append(row, fmt.Sprintf("value-%d-%d", f, c))
		}
		wide.groups = append(wide.groups, group{from, len(wide.columns), cell{text: fmt.Sprintf("fabric-%d", f)}})
	}
	wide.addTexts(head...)
	wide.addTexts(row...)
	for _, width := range []int{0, 20, 40, 60, 80, 100, 120, 200} {
		var b strings.Builder
		if err := wide.write(&b, Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for line := range strings.SplitSeq(text, "\n") {
			if n := utf8.RuneCountInString(line); width > 0 && n > width {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
		for _, want := range append(head[1:], row[1:]...) {
			if strings.Count(text, want) != 1 {
				t.Errorf("width %d: %q is there %d times:\n%s", width, want, strings.Count(text, want), text)
			}
		}
		if blocks := strings.Count(text, "\n\n") + 1; strings.Count(text, "1 KiB") != blocks {
			t.Errorf("width %d: not every table of %d names its rows:\n%s", width, blocks, text)
		}
		if width >= 60 && strings.Count(text, "fabric-") != 3 {
			t.Errorf("width %d: a group is torn apart:\n%s", width, text)
		}
	}
}

// TestGridsFitTheTerminal: the last column is broken, and no narrower than can be read.
func TestGridsFitTheTerminal(t *testing.T) {
	rows := [][]string{{"field", "value", "trust", "source"}, {"switch.latency.of-the-port", "150 ns of something", "assumption", strings.Repeat("a source of words ", 12)}}
	for _, width := range []int{50, 80, 120} {
		var b strings.Builder
		if err := Grid(&b, rows, Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
		if n := strings.Count(strings.Join(strings.Fields(b.String()), " "), "words"); n != 12 {
			t.Errorf("width %d: %d of 12 words are there", width, n)
		}
	}
}

// TestAPictureNeedsNoPage: it is XML by itself, with a line of each fabric in both plots.
func TestAPictureNeedsNoPage(t *testing.T) {
	var b strings.Builder
	r := fabricate(threeFabrics, sweep())
	if err := Picture(&b, r); err != nil {
		t.Fatal(err)
	}
	in := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		if _, err := in.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
	}
	for i, f := range r.Fabrics {
		if n := strings.Count(b.String(), fmt.Sprintf(`class="line s%d"`, i)); n != 3 { // and in the legend
			t.Errorf("%s has %d lines, want 3", f.Name, n)
		}
	}
	r.Fabrics = nil
	if err := Picture(&b, r); err == nil {
		t.Error("a run without results is drawn")
	}
}
