package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"weft/internal/face/doc"
	"weft/results"
	"weft/scenario"
)

func terminal(t *testing.T, r *results.Results, sc *scenario.Resolved, s doc.Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := Comparison(r, sc, nil).Terminal(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// words is the text of a page without its tags.
func words(page string) string {
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, "")
	return strings.ReplaceAll(html.UnescapeString(text), "\u00a0", " ")
}

func TestTerminalFitsItsWidth(t *testing.T) {
	many := append([]fabricated{}, threeFabrics...)
	for i := range 5 {
		f := threeFabrics[1]
		f.name = fmt.Sprintf("roce-v2-800g-with-a-long-name-%d", i)
		f.bus = 1e4 * float64(i+1)
		many = append(many, f)
	}
	r := fabricate(many, sizesOf())
	r.Fabrics[3].Points[18].Hottest[0].Name = strings.Repeat("a-very-long-name-of-a-switch-port", 3)
	for _, width := range []int{120, 200} {
		for line := range strings.Lines(terminal(t, r, madeUp(), doc.Style{Width: width})) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("a line has %d characters, want at most %d: %s", n, width, line)
			}
		}
	}
}

func TestTerminalIsPlainInAPipe(t *testing.T) {
	r := fabricate(threeFabrics, sizesOf())
	if text := terminal(t, r, madeUp(), doc.Style{}); strings.Contains(text, "\x1b") {
		t.Error("there are escape sequences in plain text")
	}
	coloured := terminal(t, r, madeUp(), doc.Style{Colour: true})
	if !strings.Contains(coloured, "\x1b[1m") {
		t.Error("the fastest is not bold on a terminal")
	}
	if regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(coloured, "") != terminal(t, r, madeUp(), doc.Style{}) {
		t.Error("without its escape sequences the coloured text differs from the plain text")
	}
}

func TestTerminalShowsFailedAndPartialSizes(t *testing.T) {
	r := fabricate(threeFabrics, sizesOf()[:4])
	r.Partial = true
	r.Fabrics[1].Points[2].Partial = true
	r.Fabrics[2].Points[3] = results.Point{Bytes: 8 << 10, Failure: "deadlock: nothing moves\n  nic-3 waits for leaf-0"}
	text := terminal(t, r, madeUp(), doc.Style{})
	for _, want := range []string{"Partial: the run was stopped", "~30.92 us", "failed", "tcp-400g failed at 8 KiB: deadlock: nothing moves\n  nic-3 waits for leaf-0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

func TestPageIsSelfContainedAndWellFormed(t *testing.T) {
	var b bytes.Buffer
	if err := Comparison(fabricate(threeFabrics, sizesOf()), madeUp(), []byte("name: <script>alert(1)</script>\n")).HTML(&b); err != nil {
		t.Fatal(err)
	}
	selfContained(t, b.String())
}

// selfContained checks that a page needs no other file, and that its drawings are
// well-formed.
func selfContained(t *testing.T, page string) {
	t.Helper()
	if m := regexp.MustCompile(`(?i)<script|<link|<img|<iframe|https?://|url\(|@import| src=`).FindString(page); m != "" {
		t.Errorf("the page has %q: a page loads nothing and runs nothing", m)
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("the template refused a value")
	}
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
		dec := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("a drawing is not well-formed: %v\n%s", err, svg)
			}
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("a drawing has a value that is not a number: %s", svg)
		}
	}
}

func TestPageOfIncompleteResults(t *testing.T) {
	one := fabricate(threeFabrics[2:], []int64{1 << 20})
	one.Fabrics[0].Points[0].Hottest = nil
	one.Fabrics[0].Points[0].Counts = results.Counts{}
	failed := fabricate(threeFabrics, sizesOf()[:3])
	for i := range failed.Fabrics {
		for j := range failed.Fabrics[i].Points {
			failed.Fabrics[i].Points[j] = results.Point{Bytes: failed.Fabrics[i].Points[j].Bytes, Failure: "it <broke>"}
		}
	}
	flows := fabricate(threeFabrics, []int64{1 << 20})
	for i := range flows.Fabrics {
		flows.Fabrics[i].Points[0].Bytes = 0
	}
	for name, r := range map[string]*results.Results{
		"one size, no links": one, "all failed": failed, "flows": flows, "nothing": {}, "no points": {Fabrics: []results.FabricResult{{Name: "a"}, {Name: "b"}}},
	} {
		for _, sc := range []*scenario.Resolved{nil, madeUp()} {
			var b bytes.Buffer
			if err := Comparison(r, sc, nil).HTML(&b); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if strings.Contains(b.String(), "ZgotmplZ") || strings.Contains(b.String(), "<broke>") {
				t.Errorf("%s: a text is not escaped", name)
			}
			terminal(t, r, sc, doc.Style{})
		}
	}
}

func TestPageNamesTheAssumptionsOfPresets(t *testing.T) {
	file, err := scenario.Decode("test", []byte("cluster: {nodes: 2}\nfabrics: [infiniband-ndr, roce-v2-400g]\n"))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	facts := factSection(fabricate(threeFabrics[:2], sizesOf()), sc).Blocks[0].(*doc.Table)
	if n := len(facts.Rows) - 1; n != len(properties) || len(assumptionSection(sc).Blocks) == 0 {
		t.Errorf("%d facts, want %d, and assumptions: %v", n, len(properties), assumptionSection(sc).Blocks)
	}
}

func TestFormatsOfNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{shortTime(1_475_123_456), "1.48 ms"},
		{times(1.0234), "1.02"},
		{times(8.37), "8.4"},
		{times(41.7), "42"},
		{doc.Fit("leaf-12:33 → node-44 nic-2", 15), "leaf-12…4 nic-2"},
		{list([]string{"a", "b", "c"}), "a, b and c"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Markers distinguish fabrics of the same colour.
func TestNoTwoFabricsOfAPageLookAlike(t *testing.T) {
	seen := map[string]int{}
	for i := range doc.Palette * doc.Palette {
		look := fmt.Sprint(i%doc.Palette, doc.Marker(i, 0, 0))
		if other, ok := seen[look]; ok {
			t.Errorf("fabrics %d and %d have the same colour and marker", other, i)
		}
		seen[look] = i
	}
}
