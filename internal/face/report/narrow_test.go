package report

import (
	"encoding/xml"
	"errors"
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

// TestLongNamesLeaveRoom breaks names and paths that are wider than the terminal.
func TestLongNamesLeaveRoom(t *testing.T) {
	rows := [][]string{
		{"", "infiniband-ndr", "source"},
		{"  copy GPU memory to host buffer: 2 B at 10 GB/s", "1000.200 ns", "clusters/apps/health_checks/readme.md, of 2024"},
		{"  post the work request", "–", "measured"},
	}
	for _, width := range []int{40, 50, 60, 80, 120} {
		var b strings.Builder
		if err := Grid(&b, rows, Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
		letters := strings.Join(strings.Fields(b.String()), "")
		for _, want := range []string{"copyGPUmemory", "infiniband-ndr", "1000.200ns", "postthework", "of2024"} {
			if !strings.Contains(letters, want) {
				t.Errorf("width %d: %q is lost:\n%s", width, want, b.String())
			}
		}
	}
}

// TestPartsOfATableNameTheirRows: a mark or a number that rows share is no name.
func TestPartsOfATableNameTheirRows(t *testing.T) {
	tab := &table{columns: []column{{left: true}, {left: true}, {left: true}, {}}}
	tab.addTexts("", "design", "what", "power")
	tab.addTexts("*", "fat-tree", strings.Repeat("a", 30), "11 kW")
	tab.addTexts("*", "single-switch", strings.Repeat("b", 30), "6 kW")
	tab.addTexts("", "dragonfly", strings.Repeat("c", 30), "9 kW")
	var b strings.Builder
	if err := tab.write(&b, Style{Width: 50}); err != nil {
		t.Fatal(err)
	}
	if parts := strings.Count(b.String(), "\n\n") + 1; parts != 2 {
		t.Fatalf("there are %d parts, want 2:\n%s", parts, b.String())
	}
	for _, name := range []string{"fat-tree", "single-switch", "dragonfly"} {
		if n := strings.Count(b.String(), name); n != 2 {
			t.Errorf("%s is there %d times, want in both parts:\n%s", name, n, b.String())
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
		if _, err := in.Token(); errors.Is(err, io.EOF) {
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
