package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/formats/logfile"
	"weft/internal/study/calibrate"
	"weft/internal/study/evidence"
	"weft/internal/study/peers"
)

// listedSlow is the number of nodes, pairs and ranks that a table has; JSON has all.
const listedSlow = 8

// Diagnosed is a diagnosis with what else was read: the verdict on the log, then a section for each kind of evidence. With one
// log alone it is [Diagnosis]. Stand names what stands out beside the log: it comes first if the log itself proves no fault.
func Diagnosed(d *calibrate.Diagnosis, e *evidence.Evidence, stand []string, with *peers.Result, from string) *doc.Document {
	out := Diagnosis(d)
	if len(stand) > 0 {
		beside, at := doc.Paragraph{Text: "Beside weft's prediction these stand out: " + list(stand) + "."}, 1
		if d.Verdict == calibrate.Healthy || d.Verdict == calibrate.NotProved {
			beside.Text, at = "These stand out: "+list(stand)+". What follows is on the log alone.", 0
		}
		out.Sections[0].Blocks = slices.Insert(out.Sections[0].Blocks, at, doc.Block(beside))
	}
	out.Sections[0].Blocks = append(out.Sections[0].Blocks, doc.Notes(aside(d, e)...)...)
	sections := evidenceSections(e, true)
	if with != nil {
		sections = append(sections, peersSections(with, from)...)
	}
	at := slices.IndexFunc(out.Sections, func(s doc.Section) bool { return s.In == doc.Details })
	if at < 0 {
		at = len(out.Sections)
	}
	added := &doc.Document{}
	added.Add(sections...)
	out.Sections = slices.Insert(out.Sections, at, added.Sections...)
	return out
}

// Evidence is what files say without a log that is compared. Why is the reason, "" if there is no log.
func Evidence(title string, e *evidence.Evidence, stand []string, why string, with *peers.Result, from string) *doc.Document {
	out := &doc.Document{Brand: "diagnosis", Title: title, Heading: title + ": without a log beside weft's prediction", Footer: "Made by weft from the named files."}
	verdict := doc.Paragraphs(evidenceVerdict(e, stand))
	var notes []string
	if why != "" {
		notes = append(notes, "no log is compared: "+why)
	}
	for _, s := range e.Signs {
		notes = append(notes, logfile.Place(s.File, s.Line)+": the log says: "+s.Text)
	}
	out.Add(doc.Section{Verdict: true, Blocks: append(verdict, doc.Notes(notes...)...)})
	out.Add(evidenceSections(e, false)...)
	if with != nil {
		out.Add(peersSections(with, from)...)
	}
	return out
}

// aside says which tables are not compared with the prediction.
func aside(d *calibrate.Diagnosis, e *evidence.Evidence) []string {
	var slow []string
	for _, t := range e.Aside {
		if t.Slow {
			slow = append(slow, logfile.Place(t.File, t.Line))
		}
	}
	if len(slow) == 0 {
		return nil
	}
	text := "not compared with the prediction, since they are of slow nodes or pairs: " + strings.Join(bounded(slow), ", ")
	if first := e.Aside[0].File; first != d.Log.Name {
		text += ". For their cause: weft diagnose " + first
	}
	return []string{text}
}

// evidenceVerdict says what stands out.
func evidenceVerdict(e *evidence.Evidence, stand []string) string {
	judged := evidenceJudged(e)
	switch {
	case len(stand) > 0:
		return fmt.Sprintf("These stand out: %s. Judged: %s.", list(stand), cmp.Or(list(judged), "metrics alone"))
	case len(judged) > 0:
		return "Nothing stands out. Judged: " + list(judged) + "."
	}
	return "Nothing was judged."
}

// evidenceJudged names what was judged.
func evidenceJudged(e *evidence.Evidence) (out []string) {
	if e.Changes != nil {
		out = append(out, plural(len(e.Changes.Sizes), "size", "sizes")+" before and after")
	}
	if j := e.Bandwidth; j != nil && j.Enough() > 0 {
		out = append(out, plural(j.Enough(), "node", "nodes")+" by bandwidth")
	}
	if j := e.Latency; j != nil && j.Enough() > 0 {
		out = append(out, plural(j.Enough(), "node", "nodes")+" by latency")
	}
	if s := e.Ranks; s != nil && s.Enough() > 0 {
		out = append(out, plural(s.Enough(), "rank", "ranks"))
	}
	if r := e.Ports; r != nil && !r.Blank() {
		out = append(out, plural(r.Judged, "port", "ports"))
	}
	return out
}

// evidenceSections are the kinds of evidence, and what was not read. Beside says that a verdict on the log stands above.
func evidenceSections(e *evidence.Evidence, beside bool) (out []doc.Section) {
	if e.Changes != nil {
		out = append(out, changesSection(e.Changes, beside))
	}
	if e.Bandwidth != nil || e.Latency != nil {
		out = append(out, pairsSection(e))
	}
	if e.Records > 0 {
		out = append(out, ranksSection(e))
	}
	if e.Ports != nil {
		out = append(out, portsSection(e))
	}
	var notes []string
	for _, n := range e.Notes {
		notes = append(notes, logfile.Place(n.File, n.Line)+": "+n.Text)
	}
	if e.Unlisted > 0 {
		notes = append(notes, fmt.Sprintf("and %s more of that kind", plural(e.Unlisted, "place", "places")))
	}
	if text := unread(e.Unread); text != "" {
		notes = append(notes, text)
	}
	if len(notes) > 0 {
		out = append(out, doc.Section{Title: "Left out", Blocks: doc.Notes(notes...)})
	}
	return out
}

// unread names the files that nothing reads.
func unread(files []evidence.Unread) string {
	var names []string
	for _, f := range files {
		name := f.File
		if f.Why != "" {
			name += " (" + f.Why + ")"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return "not read: " + strings.Join(bounded(names), ", ")
}

// changesSection compares two logs.
func changesSection(c *logfile.Changes, beside bool) doc.Section {
	t := doc.NewTable("operation", "size", "before", "after", "after/before", "a change is beyond", "")
	t.Keys = 2
	changed := 0
	for _, s := range c.Sizes {
		tone, verdict := doc.Plain, "as before"
		switch {
		case s.Changed && s.Ratio > 1:
			tone, verdict = doc.Strong, "slower"
		case s.Changed:
			verdict = "faster"
		}
		if s.Changed {
			changed++
		}
		t.Add(doc.Text(changedWork(s)), sizeCell(s.Bytes), doc.Time(ofMicros(s.Before)), doc.Time(ofMicros(s.After)), doc.Ratio(s.Ratio, 2).In(tone),
			doc.Instead("±"+percent(s.Within)), doc.Text(verdict).In(tone))
	}
	text := fmt.Sprintf("Before: %s. After: %s. %d of %s changed by more than the noise of the logs.", c.Before, c.After, changed, plural(len(c.Sizes), "size", "sizes"))
	if worst, ok := mostChanged(c); ok {
		text += fmt.Sprintf(" The most: %s takes %.2f times as long as before.", sizeText(worst.Bytes), worst.Ratio)
	}
	notes := []string{fmt.Sprintf("Noise of one measurement: %s, from in place against out of place and from repeated sizes; a change exceeds it three times. Jobs on other nodes can differ by more.", percent(c.Noise))}
	if c.Assumed {
		notes[0] = fmt.Sprintf("Noise of one measurement: %s, an assumption where a log measures no size twice; a change exceeds it three times.", percent(c.Noise))
	}
	if text := otherwise(c.Settings); text != "" {
		notes = append(notes, text)
	}
	if beside {
		on := "The verdict above is on both logs together."
		if changed > 0 {
			on = "The verdict above is on " + c.After + " alone."
		}
		notes = append(notes, on)
	}
	return doc.Section{Title: "Before and after", Blocks: slices.Concat(doc.Paragraphs(text), []doc.Block{t}, doc.Notes(notes...))}
}

// otherwise names the settings that two logs state otherwise.
func otherwise(all []logfile.Otherwise) string {
	var texts []string
	for _, s := range all {
		texts = append(texts, fmt.Sprintf("%s (%s before, %s after)", s.Name, cmp.Or(s.Before, "not stated"), cmp.Or(s.After, "not stated")))
	}
	if len(texts) == 0 {
		return ""
	}
	return "Set otherwise: " + strings.Join(bounded(texts), ", ")
}

// mostChanged is the largest change: of the sizes that take longer, if there are any.
func mostChanged(c *logfile.Changes) (worst logfile.Change, ok bool) {
	for _, s := range c.Sizes {
		if s.Changed && (!ok || worst.Ratio < 1 && (s.Ratio > 1 || s.Ratio < worst.Ratio) || s.Ratio > 1 && s.Ratio > worst.Ratio) {
			worst, ok = s, true
		}
	}
	return worst, ok
}

// changedWork is what two logs measure.
func changedWork(s logfile.Change) string {
	text := cmp.Or(s.Op, s.Test, "not named")
	if s.Ranks > 0 {
		text += ", " + plural(s.Ranks, "rank", "ranks")
	}
	return text
}

// peersSections are the counters of a cluster as sections of another document.
func peersSections(r *peers.Result, from string) []doc.Section {
	d := Peers(r, from)
	d.Sections[0].Title, d.Sections[0].Verdict = "Metrics of "+from, false
	d.Sections[0].Blocks = slices.Insert(d.Sections[0].Blocks, 0, doc.Paragraphs(d.Heading+".")...)
	return d.Sections
}

// inFile is the title of a table, with its file if there are several.
func inFile(t *calibrate.Task) string {
	if t.Table.File == "" {
		return t.Title
	}
	return t.Title + " (" + logfile.Place(t.Table.File, t.Table.Line) + ")"
}
