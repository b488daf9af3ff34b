package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/calibrate"
)

// Fit prints constants that were fitted to logs, with the errors before and after.
func Fit(w io.Writer, s doc.Style, f *calibrate.Fit) error {
	var b strings.Builder
	for _, n := range f.Notes {
		fmt.Fprintf(&b, "%s\n", s.Paint(fmt.Sprintf("line %d: %s", n.Line, n.Text), doc.Soft))
	}
	for i, t := range f.Tasks {
		held := 0
		for _, h := range f.Held[i] {
			if h {
				held++
			}
		}
		fmt.Fprintf(&b, "%s, on %s: %d sizes, %d of them held out\n", t.Title, f.Fabric, len(t.Points), held)
		for _, note := range taskNotes(t) {
			fmt.Fprintf(&b, "%s\n", note)
		}
	}
	b.WriteByte('\n')
	t := &doc.Table{Columns: []doc.Column{{Left: true}, {}, {}, {}, {Left: true}}}
	t.Add(doc.Text("constant"), doc.Text("before"), doc.Text("after"), doc.Text("factor"), doc.Cell{})
	for _, c := range f.Constants {
		bound := ""
		if c.AtBound {
			bound = "at the bound of the search: the log does not determine it, or the model lacks something"
		}
		t.Add(doc.Text(c.Field), doc.Text(c.Before), doc.Text(c.After), doc.Text(fmt.Sprintf("%.3f", c.Factor)), doc.Text(bound))
	}
	if err := t.Write(&b, s); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n%s\n", s.Bold("Off by, on the average"))
	e := &doc.Table{Columns: []doc.Column{{Left: true}, {}, {}}}
	e.Add(doc.Cell{}, doc.Text("before"), doc.Text("after"))
	for _, row := range []struct {
		name  string
		error [2]float64
	}{{"sizes of the search", f.Seen}, {"sizes held out", f.HeldOut}} {
		e.Add(doc.Text(row.name), doc.Text(percent(math.Expm1(row.error[0]))), doc.Text(percent(math.Expm1(row.error[1]))))
	}
	if err := e.Write(&b, s); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}
