package report

import (
	"cmp"
	"fmt"
	"math"

	"weft/internal/face/doc"
	"weft/internal/study/validate"
)

// The texts of the documents other than the cases.
const (
	validationIntro = `weft's numbers beside references: closed forms, other simulators, vendors' tables and
published measurements. A miss is shown as a miss.`
	summaryIntro = "`weft validate --html FILE`" + ` runs the cases and writes each of them: its claim, reference and setting, every
row, and what is known about a miss. ` + "`--case NAME`" + ` selects cases. ` + "`weft validate --markdown`" + ` makes this page.`
	trustIntro = `Find its kind. An error in time is positive if weft is slower, an error in bandwidth
if weft is faster. [MODELS.md](MODELS.md#can-i-trust-this-number) has comparisons of fabrics and settings, and
the assumptions.`
	noCalibration = "No other case takes a parameter from the data on which it is scored."
)

// validationRules say how to read the cases.
var validationRules = doc.List{
	`References are separate arithmetic, written out in the case
  (` + "`internal/study/validate`" + `), or published data with its source. A test alters the
  constants of the models, one after another, and sees the case that covers it fail.`,
	`A row with several values shows the first and the last. Its error is the largest
  of all its values.`,
	`Rows that are "not scored" are shown beside the others. Rows with an "at least" or
  "at most" tolerance count, and have no error in the table above.`,
	"Runs are deterministic: every machine gives these numbers.",
}

// ValidationSummary is docs/VALIDATION.md: errors by kind of number and by cluster, a line for each
// chapter, and the misses.
func ValidationSummary(results []validate.Result) *doc.Document {
	d := &doc.Document{Title: "Validation"}
	d.Add(doc.Section{Blocks: doc.Paragraphs(validationIntro + "\n\n" + summaryIntro)})
	d.Add(doc.Section{Title: "Can I trust this number?", Blocks: []doc.Block{doc.Paragraph{Text: trustIntro}, trustTable(results)}})
	if blocks := clusterSummary(results, false); blocks != nil {
		d.Add(doc.Section{Title: "Measured clusters", Blocks: blocks})
	}
	d.Add(doc.Section{Title: "How to read the cases", Blocks: []doc.Block{validationRules}})
	d.Add(doc.Section{Title: "What was calibrated on what", Blocks: []doc.Block{calibrations(results)}})
	d.Add(doc.Section{Title: "Cases", Blocks: append(countSentence(results), countTable(results, true))})
	if _, miss, _ := validate.Count(results); miss > 0 {
		d.Add(doc.Section{Title: "Misses", Blocks: missSummary(results)})
	}
	return d
}

// Validation is the cases with their references: on a page all of them, on a terminal the count, the
// chapters and the misses, and the cases of a single chapter.
func Validation(results []validate.Result) *doc.Document {
	_, miss, _ := validate.Count(results)
	d := &doc.Document{Brand: "validation", Title: "Validation", Footer: "Made by weft validate. The same version makes the same page."}
	d.Add(doc.Section{In: doc.Page, Blocks: doc.Paragraphs(validationIntro)})
	d.Add(doc.Section{Title: "Can I trust this number?", In: doc.Page, Blocks: []doc.Block{doc.Paragraph{Text: trustIntro}, trustTable(results)}})
	if blocks := clusterTables(results); blocks != nil {
		d.Add(doc.Section{Title: "Measured clusters", In: doc.Page, Blocks: blocks})
	}
	d.Add(doc.Section{Title: "How to read the cases", In: doc.Page, Blocks: []doc.Block{validationRules}})
	d.Add(doc.Section{Title: "What was calibrated on what", In: doc.Page, Blocks: []doc.Block{calibrations(results)}})
	d.Add(doc.Section{Title: "Summary", Blocks: countSentence(results)})
	chapters := chapterSections(results)
	d.Add(doc.Section{In: doc.Screen, Blocks: []doc.Block{countTable(results, len(chapters) > 1)}})
	if miss > 0 {
		d.Add(doc.Section{In: doc.Page, Blocks: []doc.Block{missTable(results, true)}})
		d.Add(doc.Section{Title: "Misses", In: doc.Screen, Blocks: []doc.Block{missTable(results, false)}})
	}
	for _, s := range chapters {
		if s.In = doc.Details; len(chapters) > 1 {
			s.In = doc.Asked
		}
		d.Add(s)
	}
	return d
}

// calibrations say what was taken from which data.
func calibrations(results []validate.Result) doc.List {
	return append(validate.Calibrations(results), noCalibration)
}

// countSentence is the number of rows by verdict, as a sentence.
func countSentence(results []validate.Result) []doc.Block {
	pass, miss, notScored := validate.Count(results)
	return doc.Paragraphs(fmt.Sprintf("%d rows pass, %d miss, %d are not scored.", pass, miss, notScored))
}

// trustTable answers by kind of number.
func trustTable(results []validate.Result) *doc.Table {
	t := doc.NewTable("kind of number", "held against", "scored rows", "largest error of a scored row", "of a row that is not scored", "do not trust it")
	for _, x := range validate.Trusts(results) {
		count := doc.None
		if n := x.Passed + x.Missed; n > 0 {
			count = doc.Instead(fmt.Sprintf("%d, %d miss", n, x.Missed))
		}
		t.Add(doc.Text(x.Number), doc.Text(x.Against), count, doc.Text(worstText(x.Scored, x.Passed+x.Missed > 0)), doc.Text(worstText(x.Shown, false)), doc.Text(x.Doubt))
	}
	return t
}

// worstText is the largest error and its case; scored is true if there are scored rows.
func worstText(w validate.Worst, scored bool) string {
	switch {
	case w.At == "" && scored:
		return "none"
	case w.At == "":
		return none
	case math.Abs(w.Error) < 0.0005:
		return "below 0.1 %"
	}
	return fmt.Sprintf("%+.1f %% (%s)", 100*w.Error, w.At)
}

// countTable is a row for each chapter, or for each case.
func countTable(results []validate.Result, byChapter bool) *doc.Table {
	t := doc.NewTable("case", "pass", "miss", "not scored")
	add := func(name string, of []validate.Result) {
		pass, miss, notScored := validate.Count(of)
		tone := doc.Plain
		if miss > 0 {
			tone = doc.Bad
		}
		t.Add(doc.Text(name), doc.Count(pass), doc.Count(miss).In(tone), doc.Count(notScored))
	}
	if !byChapter {
		for i := range results {
			add(results[i].Case.ID, results[i:i+1])
		}
		return t
	}
	for i := range validate.Chapters {
		c := &validate.Chapters[i]
		if of := c.Of(results); len(of) > 0 {
			add(c.ID+"/*: "+c.Title, of)
		}
	}
	return t
}

// missTable is the rows that miss, with explanations if explained is true.
func missTable(results []validate.Result, explained bool) *doc.Table {
	t := &doc.Table{}
	add := func(cells []doc.Cell, note string) {
		if explained {
			cells = append(cells, doc.Text(note))
		}
		t.Add(cells...)
	}
	add(doc.NewTable("miss", "reference", "weft", "error", "tolerance").Rows[0], "known about the miss")
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			add([]doc.Cell{doc.Text(r.Case.ID), {}, {}, {}, {}}, r.Err.Error())
			continue
		}
		for j := range r.Rows {
			if row := &r.Rows[j]; row.Verdict() == validate.Miss {
				cells := rowCells(row)[:5]
				cells[0].Text = r.Case.ID + ": " + cells[0].Text
				note := row.Note
				if note == "" {
					note = "nothing yet"
				}
				add(cells, note)
			}
		}
	}
	return t
}

// rowCells are a row's name, reference, weft's value, error, tolerance and verdict.
func rowCells(r *validate.Row) []doc.Cell {
	texts := r.Texts()
	value := func(v []float64, text string) doc.Cell {
		if len(v) != 1 {
			return doc.Instead(text) // a range, or none
		}
		return doc.Number(v[0], cmp.Or(r.Unit.Base(), "1")).As(text)
	}
	return []doc.Cell{
		doc.Text(texts[0]), value(r.Reference, texts[1]), value(r.Weft, texts[2]), doc.Instead(texts[3]), doc.Text(texts[4]), doc.Text(texts[5]),
	}
}

// chapterSections are the chapters that have results, each with its cases.
func chapterSections(results []validate.Result) (out []doc.Section) {
	for i := range validate.Chapters {
		s := doc.Section{Title: validate.Chapters[i].Title}
		var before *validate.Case
		for _, r := range validate.Chapters[i].Of(results) {
			s.Blocks = append(s.Blocks, caseBlocks(&r, before)...)
			before = r.Case
		}
		if len(s.Blocks) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// caseBlocks are the blocks of a case. Properties that it shares with the previous case of its
// chapter are not repeated.
func caseBlocks(r *validate.Result, before *validate.Case) []doc.Block {
	c := r.Case
	out := []doc.Block{doc.Heading(c.ID), doc.Paragraph{Text: c.Claim}}
	if before == nil || c.Reference != before.Reference {
		out = append(out, doc.Paragraph{Lead: "Reference.", Text: c.Reference})
	}
	if c.Setting != "" && (before == nil || c.Setting != before.Setting) {
		out = append(out, doc.Paragraph{Lead: "Setting.", Text: c.Setting})
	}
	if r.Err != nil {
		return append(out, doc.Alarm(fmt.Sprintf("%s: %v", validate.Miss, r.Err)))
	}
	t := doc.NewTable("case", "reference", "weft", "error", "tolerance", "verdict", "")
	t.Columns = []doc.Column{6: {Below: true}}
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := append(rowCells(row), doc.Text(row.Note))
		cells[0].Level = row.Level
		switch row.Verdict() {
		case validate.Miss:
			cells[5].Tone = doc.Bad
		case validate.Shown:
			cells[5].Tone = doc.Soft
		}
		t.Add(cells...)
	}
	if c.Cluster != nil {
		out = append(out, clusterPicture(r)...)
	}
	return append(out, t)
}
