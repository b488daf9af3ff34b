package doc

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTablesFitTheTerminal: at every width, without losing a cell.
func TestTablesFitTheTerminal(t *testing.T) {
	wide := &Table{Columns: []Column{{}}}
	head, row := []string{"size"}, []string{"1 KiB"}
	for f := range 3 {
		from := len(wide.Columns)
		for c := range 4 {
			wide.Columns = append(wide.Columns, Column{})
			head = append(head, fmt.Sprintf("column-%d-%d", f, c))
			row = append(row, fmt.Sprintf("value-%d-%d", f, c))
		}
		wide.Groups = append(wide.Groups, Group{From: from, To: len(wide.Columns), Cell: Text(fmt.Sprintf("fabric-%d", f))})
	}
	wide.AddTexts(head...)
	wide.AddTexts(row...)
	for _, width := range []int{0, 20, 40, 60, 80, 100, 120, 200} {
		var b strings.Builder
		if err := wide.Write(&b, Style{Width: width}); err != nil {
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
			t.Errorf("width %d: a group is split:\n%s", width, text)
		}
	}
}

// TestLongNamesLeaveRoom: names and paths that are wider than the terminal are broken.
func TestLongNamesLeaveRoom(t *testing.T) {
	rows := [][]string{
		{"", "infiniband-ndr", "source"},
		{"  copy GPU memory to host buffer: 2 B at 10 GB/s", "1000.200 ns", "clusters/apps/health_checks/readme.md, of 2024"},
		{"  post the work request", "–", "measured"},
	}
	for _, width := range []int{40, 50, 60, 80, 120} {
		var b strings.Builder
		if err := Grid(rows).Write(&b, Style{Width: width}); err != nil {
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

// TestPartsOfATableNameTheirRows: a mark or a number that rows share does not name them.
func TestPartsOfATableNameTheirRows(t *testing.T) {
	tab := NewTable("", "design", "what", "power")
	tab.AddTexts("*", "fat-tree", strings.Repeat("a", 30), "11 kW")
	tab.AddTexts("*", "single-switch", strings.Repeat("b", 30), "6 kW")
	tab.AddTexts("", "dragonfly", strings.Repeat("c", 30), "9 kW")
	var b strings.Builder
	if err := tab.Write(&b, Style{Width: 50}); err != nil {
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

// TestGridsFitTheTerminal: the last column is broken into lines, and stays legible.
func TestGridsFitTheTerminal(t *testing.T) {
	rows := [][]string{{"field", "value", "trust", "source"}, {"switch.latency.of-the-port", "150 ns of something", "assumption", strings.Repeat("a source of words ", 12)}}
	for _, width := range []int{50, 80, 120} {
		var b strings.Builder
		if err := Grid(rows).Write(&b, Style{Width: width}); err != nil {
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

// TestATextIsCutOnlyIfTheTableThenFits: in a table that is split nevertheless, it has room.
func TestATextIsCutOnlyIfTheTableThenFits(t *testing.T) {
	const link = "MF0;leaf1:QM9700/U1 port 17 to MF0;spine4:QM9700/U1"
	tab := NewTable("size", "fabric", "packets and what they met", "hottest link", "busy")
	tab.Keys, tab.Columns = 2, []Column{3: {Least: 24}}
	tab.AddTexts("1 MiB", "infiniband-ndr", "99,968", link, "79 %")
	for width, want := range map[int]string{78: link, 80: "MF0;leaf1:QM…4:QM9700/U1", 120: link, 30: "MF0;leaf1:QM…4:QM9700/U1"} {
		var b strings.Builder
		if err := tab.Write(&b, Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("width %d: %q is not there:\n%s", width, want, b.String())
		}
	}
}
