package report

import (
	"fmt"
	"math"

	"weft/internal/face/doc"
	"weft/internal/study/calibrate"
)

// Fit is the constants fitted to logs, with the errors before and after.
func Fit(f *calibrate.Fit) *doc.Document {
	d := &doc.Document{Brand: "calibration", Title: "Constants fitted to logs, on " + f.Fabric, Footer: "Made by weft from logs and simulations of the cluster that they are said to be from."}
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
	t := &doc.Table{Columns: []doc.Column{{Left: true}, {}, {}, {}, {Left: true}}}
	t.AddTexts("constant", "before", "after", "factor", "")
	for _, c := range f.Constants {
		bound := ""
		if c.AtBound {
			bound = "at the bound of the search: the log does not determine it, or the model lacks something"
		}
		t.AddTexts(c.Field, c.Before, c.After, fmt.Sprintf("%.3f", c.Factor), bound)
	}
	return t
}

func errorTable(f *calibrate.Fit) *doc.Table {
	t := &doc.Table{Columns: []doc.Column{{Left: true}, {}, {}}}
	t.AddTexts("", "before", "after")
	for _, row := range []struct {
		name  string
		error [2]float64
	}{{"sizes of the search", f.Seen}, {"sizes held out", f.HeldOut}} {
		t.AddTexts(row.name, percent(math.Expm1(row.error[0])), percent(math.Expm1(row.error[1])))
	}
	return t
}
