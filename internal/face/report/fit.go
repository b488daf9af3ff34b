package report

import (
	"fmt"
	"math"

	"weft/internal/face/doc"
	"weft/internal/study/calibrate"
)

// Fit is the constants fitted to logs, with the errors before and after.
func Fit(f *calibrate.Fit) *doc.Document {
	d := &doc.Document{Brand: "calibration", Title: "Constants fitted to logs, on " + f.Fabric, Footer: "Made by weft from logs and simulations of the named cluster."}
	d.Add(doc.Section{Title: "Off by, on the average", Verdict: true, Blocks: []doc.Block{errorTable(f)}})
	d.Add(doc.Section{Title: "Constants", Blocks: []doc.Block{constantTable(f)}})
	var notes []string
	for i, t := range f.Tasks {
		held := 0
		for _, h := range f.Held[i] {
			if h {
				held++
			}
		}
		notes = append(append(notes, fmt.Sprintf("%s, on %s: %d sizes, %d of them held out", t.Title, f.Fabric, len(t.Points), held)), taskNotes(t)...)
	}
	for _, n := range f.Notes {
		notes = append(notes, fmt.Sprintf("line %d: %s", n.Line, n.Text))
	}
	d.Add(doc.Section{Title: "Logs", Blocks: []doc.Block{doc.List(notes)}})
	return d
}

func constantTable(f *calibrate.Fit) *doc.Table {
	t := doc.NewTable("constant", "before", "after", "factor", "with 95 %")
	for _, c := range f.Constants {
		if !c.Determined {
			t.Add(doc.Text(c.Field), doc.Instead(c.Before), doc.Instead(c.Before), doc.Ratio(1, 3), doc.Text("not determined by the log: as before"))
			continue
		}
		t.Add(doc.Text(c.Field), doc.Instead(c.Before), doc.Instead(c.After), doc.Ratio(c.Factor, 3), doc.Text(fmt.Sprintf("%.2f to %.2f", c.Least, c.Most)))
	}
	return t
}

func errorTable(f *calibrate.Fit) *doc.Table {
	t := doc.NewTable("", "before", "after")
	for _, row := range []struct {
		name string
		held bool
	}{{"sizes of the search", false}, {"sizes held out", true}} {
		before, after := f.Error(row.held)
		t.Add(doc.Text(row.name), doc.Share(math.Expm1(before)), doc.Share(math.Expm1(after)))
	}
	return t
}
