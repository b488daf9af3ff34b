package report

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/cablehealth"
)

const (
	// wholeFindings is the number of findings that a terminal shows with their evidence; the others are
	// rows of a table.
	wholeFindings = 2
	// listedFindings is the number of rows of that table on a terminal.
	listedFindings = 8
	// listedEvidence is the number of values of a finding.
	listedEvidence = 5
)

// Health is the ranked list of bad cables and ports, each with its evidence and its action.
func Health(title string, r *cablehealth.Report) *doc.Document {
	d := &doc.Document{Brand: "Cables and ports", Title: title, Footer: "Made by weft fabric health. The same files and version make the same page."}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(healthVerdict(r))})
	for i := range r.Findings[:min(len(r.Findings), wholeFindings)] {
		d.Add(healthFinding(i+1, &r.Findings[i]))
	}
	if len(r.Findings) > wholeFindings {
		d.Add(healthRest(r))
	}
	d.Add(listed("Down, and no file says that a cable belongs there", bounded(r.Down)))
	d.Add(listed("Waiting (congestion, no fault of a cable)", r.Waiting), listed("Counters that are no fault of these cables", r.Elsewhere), listed("Remarks", r.Remarks))
	var reasons []string
	for _, n := range r.NotJudged {
		reasons = append(reasons, exactly(n.Ports, "port", "ports")+": "+n.Reason)
	}
	d.Add(listed("Not judged", reasons), listed("Notes", r.Notes))
	if len(r.Findings) > wholeFindings {
		rest := doc.Section{Title: "Evidence of the further findings", In: doc.Asked}
		for i := wholeFindings; i < len(r.Findings); i++ {
			one := healthFinding(i+1, &r.Findings[i])
			rest.Blocks = append(append(rest.Blocks, doc.Heading(one.Title)), one.Blocks...)
		}
		d.Add(rest)
	}
	var files []string
	for _, f := range r.Files {
		files = append(files, f.Name+": "+f.Kind)
	}
	d.Add(doc.Section{Title: "Read", In: doc.Asked, Blocks: []doc.Block{doc.List(files)}})
	return d
}

// healthRest is the findings behind the first ones, a row each.
func healthRest(r *cablehealth.Report) doc.Section {
	rows := [][]string{{"rank", "finding"}}
	for i := wholeFindings; i < len(r.Findings) && i < wholeFindings+listedFindings; i++ {
		rows = append(rows, []string{fmt.Sprint(i + 1), r.Findings[i].What})
	}
	s := doc.Section{Title: "Further findings", Blocks: []doc.Block{doc.Grid(rows)}}
	if n := len(r.Findings) - wholeFindings - listedFindings; n > 0 {
		s.Blocks = append(s.Blocks, doc.Notes("and "+exactly(n, "more", "more")+", with the evidence of all: --details")...)
	}
	return s
}

// NoHealth is why a report of health judged nothing.
const NoHealth = "no file has a counter of errors, a state, a limit or an error rate of a port"

// healthVerdict is the first sentence: the fabric as a whole, or how many links stand out.
func healthVerdict(r *cablehealth.Report) string {
	if r.Blank() {
		return "Nothing was judged: " + NoHealth + "."
	}
	on := judgedOn(r)
	if len(r.Findings) == 0 {
		return "No port stands out of " + on + "."
	}
	if f := &r.Findings[0]; f.Tier == cablehealth.Fabric {
		text := f.What + "."
		if n := len(r.Findings) - 1; n > 0 {
			text += " " + exactly(n, "finding", "findings") + " beside this."
		}
		return text + " Judged: " + on + "."
	}
	text := "1 finding."
	if n := len(r.Findings); n > 1 {
		text = fmt.Sprintf("%d findings, the most costly first.", n)
	}
	return text + " Judged: " + on + "."
}

// judgedOn is on what a verdict rests.
func judgedOn(r *cablehealth.Report) string {
	var parts []string
	if r.Judged > 0 || r.Parts+r.Sessions == 0 {
		text := exactly(r.Judged, "port", "ports")
		if len(r.JudgedBy) > 0 {
			text += " judged by: " + strings.Join(r.JudgedBy, ", ")
		}
		parts = append(parts, text)
	}
	if r.Parts > 0 {
		parts = append(parts, exactly(r.Parts, "part of devices", "parts of devices"))
	}
	if r.Sessions > 0 {
		parts = append(parts, exactly(r.Sessions, "BGP neighbour", "BGP neighbours"))
	}
	if r.Within > 0 {
		parts = append(parts, exactly(r.Within, "counter is", "counters are")+" not 0 and within what is usual or allowed")
	}
	return strings.Join(parts, "; ")
}

// healthFinding is a finding with its evidence, its action and its gain.
func healthFinding(n int, f *cablehealth.Finding) doc.Section {
	s := doc.Section{Title: fmt.Sprintf("%d. %s", n, f.What)}
	var lines doc.List
	for i := range f.Evidence {
		if i == listedEvidence {
			lines = append(lines, fmt.Sprintf("and %d more values", len(f.Evidence)-i))
			break
		}
		lines = append(lines, evidenceText(f, &f.Evidence[i]))
	}
	s.Blocks = append(s.Blocks, lines, doc.Paragraph{Lead: "Action: ", Text: f.Action})
	if f.Gain != "" {
		s.Blocks = append(s.Blocks, doc.Paragraph{Lead: "Gain: ", Text: f.Gain})
	}
	return s
}

// evidenceText is a value with its place and its peers.
func evidenceText(f *cablehealth.Finding, e *cablehealth.Evidence) string {
	text := e.Counter + " " + e.Value
	if e.Port != f.Port || f.Far != "" {
		text = e.Port + ": " + text
	}
	if e.Share > 0 {
		text += fmt.Sprintf(", %s of the packets", cablehealth.Share(e.Share))
	}
	if e.Peers != nil {
		median := fmt.Sprintf("%.3g", e.Peers.Median)
		if e.Peers.Median >= 1000 { // of a counter
			median = fmt.Sprintf("%.0f", e.Peers.Median)
		}
		text += fmt.Sprintf("; median of %s %s", exactly(e.Peers.Ports, "alike port", "alike ports"), median)
	}
	if e.What != "" {
		text += "; " + e.What
	}
	return text + " [" + e.At + "]"
}

// listed is a section of sentences.
func listed(title string, texts []string) doc.Section {
	s := doc.Section{Title: title, In: doc.Details}
	if len(texts) > 0 {
		s.Blocks = []doc.Block{doc.List(texts)}
	}
	return s
}

// bounded is the first sentences of a list, and the number of the others.
func bounded(all []string) []string {
	const most = 12
	if len(all) <= most {
		return all
	}
	return append(append([]string{}, all[:most]...), fmt.Sprintf("and %d more", len(all)-most))
}
