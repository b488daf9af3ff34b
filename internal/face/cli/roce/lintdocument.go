package roce

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/roce/lint"
	"weft/internal/roce/prove"
	"weft/internal/study/faultcost"
)

// maxFixLines is the maximum number of printed lines of a fix; --json has all.
const maxFixLines = 4

// lintDocument is a report for people: the findings, each with its ports and
// fixes, what they cost a job if that is known, the trials, and the checks that could not be made.
func lintDocument(r *lint.Report, trials []prove.Trial, cost *faultcost.Report) *doc.Document {
	d := &doc.Document{
		Brand: "RoCE v2 configuration", Title: upperFirst(countFindings(r)), Subtitle: "between switches and hosts",
		Footer: "Made by weft roce lint. The same files and version make the same page.",
	}
	if len(r.Findings) > 0 {
		var lines strings.Builder // in the form of compilers, which editors and CI understand
		t := doc.NewTable("severity", "rule", "reason", "place", "value")
		for i := range r.Findings {
			f := &r.Findings[i]
			fmt.Fprintf(&lines, "%s: %s: %s [%s]\n", f.At, f.Severity, f.Why, f.Rule)
			tone := doc.Bad
			if f.Severity != lint.Error {
				tone = doc.Plain
			}
			t.Add(doc.Cell{Text: string(f.Severity), Tone: tone}, doc.Cell{Text: f.Rule, Tone: doc.Strong}, doc.Text(f.Why), doc.Text(f.At.String()), doc.Text(f.Value))
		}
		d.Add(doc.Section{In: doc.Screen, Blocks: []doc.Block{doc.Listing(lines.String())}})
		d.Add(doc.Section{Title: "Findings", In: doc.Page, Blocks: []doc.Block{t}})
	}
	if cost != nil {
		for _, s := range costSections(cost) {
			d.Add(s)
		}
	}
	for i := range r.Findings {
		d.Add(findingSection(&r.Findings[i]))
	}
	for i := range trials {
		d.Add(trialSection(&trials[i]))
	}
	if len(r.Unjudged) > 0 {
		d.Add(doc.Section{Title: "Not judged", In: doc.Details, Blocks: []doc.Block{doc.List(r.Together())}})
	}
	return d
}

// findingSection is the ports of a finding and its fixes.
func findingSection(f *lint.Finding) doc.Section {
	out := doc.Section{Title: fmt.Sprintf("%s at %s", f.Rule, f.At), In: doc.Details}
	if len(f.Where) > 0 {
		out.Blocks = append(out.Blocks, doc.Paragraph{Lead: "Ports:", Text: f.Ports()})
	}
	for _, fix := range f.Fixes {
		lines := fix.Lines[:min(len(fix.Lines), maxFixLines)]
		if more := len(fix.Lines) - len(lines); more > 0 {
			lines = append(slices.Clone(lines), fmt.Sprintf("… and %d lines more like these (--json has them)", more))
		}
		out.Blocks = append(out.Blocks, doc.Paragraph{Lead: "Fix on " + fix.On + ":"}, doc.Listing(strings.Join(lines, "\n")))
	}
	return out
}

// upperFirst begins a sentence with a capital.
func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func countFindings(r *lint.Report) string {
	errors := 0
	for _, f := range r.Findings {
		if f.Severity == lint.Error {
			errors++
		}
	}
	switch {
	case r.Ports == 0 && len(r.Findings) == 0:
		return "nothing was judged"
	case len(r.Findings) == 0:
		return "no findings on " + judged(r)
	}
	return fmt.Sprintf("%s: %s, %s", numberOf(len(r.Findings), "finding"), numberOf(errors, "error"), numberOf(len(r.Findings)-errors, "warning"))
}

// judged is how much was judged, and how much was not.
func judged(r *lint.Report) string {
	text := numberOf(r.Ports, "port")
	switch n := len(r.Hosts); {
	case n < r.Given:
		text += fmt.Sprintf(" and %d of %s", n, numberOf(r.Given, "host"))
	case n > 0:
		text += " and " + numberOf(n, "host")
	}
	if n := len(r.Unjudged); n > 0 {
		text += fmt.Sprintf("; %s not made", numberOf(n, "check"))
	}
	return text
}

// numberOf is a number with its noun.
func numberOf(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
