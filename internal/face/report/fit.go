package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"weft/internal/study/calibrate"
)

// Fit prints constants that were fitted to logs, with the errors before and after.
func Fit(w io.Writer, s Style, f *calibrate.Fit) error {
	var b strings.Builder
	for _, n := range f.Notes {
		fmt.Fprintf(&b, "%s\n", s.Dim(fmt.Sprintf("line %d: %s", n.Line, n.Text)))
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
	t := &table{columns: []column{{left: true}, {}, {}, {}, {left: true}}}
	t.add(cell{text: "constant"}, cell{text: "before"}, cell{text: "after"}, cell{text: "factor"}, cell{})
	for _, c := range f.Constants {
		bound := ""
		if c.AtBound {
			bound = "at the bound of the search: the log does not determine it, or the model lacks something"
		}
		t.add(cell{text: c.Field}, cell{text: c.Before}, cell{text: c.After}, cell{text: fmt.Sprintf("%.3f", c.Factor)}, cell{text: bound})
	}
	if err := t.write(&b, s); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n%s\n", s.Bold("Off by, on the average"))
	e := &table{columns: []column{{left: true}, {}, {}}}
	e.add(cell{}, cell{text: "before"}, cell{text: "after"})
	for _, row := range []struct {
		name  string
		error [2]float64
	}{{"sizes of the search", f.Seen}, {"sizes held out", f.HeldOut}} {
		e.add(cell{text: row.name}, cell{text: percent(math.Expm1(row.error[0]))}, cell{text: percent(math.Expm1(row.error[1]))})
	}
	if err := e.write(&b, s); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}
