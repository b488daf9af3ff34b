package report

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/audit"
	"weft/units"
)

// stepsShown is the maximum number of printed steps of a path; JSON has all.
const stepsShown = 40

// Audit is the result of an audit of zones, and the cost of inspection in the path: a table of each
// fabric, the paths between connected zones, and the proofs for the others.
func Audit(r *audit.Report) *doc.Document {
	d := &doc.Document{
		Brand: "isolation", Title: r.Scenario, Heading: r.Scenario + ": isolation",
		Footer: "Made by weft audit isolation. The same scenario and version make the same page.",
	}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(auditSentence(r))})
	var joined, proofs []doc.Section
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		d.Add(doc.Section{Title: f.Fabric, Blocks: []doc.Block{separationTable(f)}})
		paths := doc.Section{Title: "Not apart on " + f.Fabric, In: doc.Details}
		proof := doc.Section{Title: "Proofs of " + f.Fabric, In: doc.Details}
		for j := range f.Verdicts {
			v := &f.Verdicts[j]
			if v.Proved {
				proof.Blocks = append(proof.Blocks, proofOf(v)...)
				continue
			}
			paths.Blocks = append(paths.Blocks, proofOf(v)...)
			if len(v.Path) > 0 {
				paths.Blocks = append(paths.Blocks, pathListing(v.Path))
			}
		}
		if len(paths.Blocks) > 0 {
			joined = append(joined, paths)
		}
		if len(proof.Blocks) > 0 {
			proofs = append(proofs, proof)
		}
	}
	d.Sections = append(d.Sections, joined...)
	if len(r.Cost) > 0 {
		d.Add(doc.Section{Title: "The same job with separate planes, and with a middlebox in the path of every NIC", Blocks: []doc.Block{inspectionTable(r)}})
	}
	d.Sections = append(d.Sections, proofs...)
	return d
}

// auditSentence says how much of what is required is proved, and of what nothing is required.
func auditSentence(r *audit.Report) string {
	proved, all := 0, 0
	for i := range r.Fabrics {
		for j := range r.Fabrics[i].Verdicts {
			if all++; r.Fabrics[i].Verdicts[j].Proved {
				proved++
			}
		}
	}
	text := fmt.Sprintf("%d of %s on %s proved.", proved,
		plural(all, "required separation", "required separations"), plural(len(r.Fabrics), "fabric is", "fabrics are"))
	var not []string
	if r.Unrequired > 0 {
		not = append(not, plural(r.Unrequired, "pair of zones", "pairs of zones")+" of which nothing is required")
	}
	for i := range r.Fabrics {
		if f := &r.Fabrics[i]; f.Outside > 0 {
			not = append(not, fmt.Sprintf("%d of the %d NICs of %s, which are in no zone", f.Outside, f.NICs, f.Fabric))
		}
	}
	if len(not) > 0 {
		text += " Not judged: " + strings.Join(not, "; ") + "."
	}
	return text
}

// separationTable has a row for each pair of zones.
func separationTable(f *audit.FabricReport) *doc.Table {
	t := doc.NewTable("zones", "by", "verdict")
	for i := range f.Verdicts {
		v := &f.Verdicts[i]
		verdict := doc.Text("apart").In(doc.Good)
		if !v.Proved {
			verdict = doc.Text("NOT APART").In(doc.Bad)
		}
		t.Add(doc.Text(v.Zones[0]+" and "+v.Zones[1]), doc.Text(string(v.By)), verdict)
	}
	return t
}

// proofOf is the proof or the counterexample for two zones, and the links that they share.
func proofOf(v *audit.Verdict) []doc.Block {
	out := []doc.Block{doc.Paragraph{Lead: fmt.Sprintf("%s and %s by %s:", quoted(v.Zones[0]), quoted(v.Zones[1]), v.By), Text: v.Found + "."}}
	if len(v.Machines) > 0 {
		out = append(out, doc.Paragraph{Text: "Hosts with a separate port in each: " + someOf(v.Machines) + "."})
	}
	if v.Proved && v.SharedCables > 0 {
		out = append(out, doc.Paragraph{Text: fmt.Sprintf("%d cables of the fabric, each direction counted, can carry the traffic of both zones: traffic of one can delay traffic of the other.", v.SharedCables)})
	}
	return out
}

func pathListing(path []audit.Step) doc.Listing {
	var b strings.Builder
	for i, s := range path[:min(len(path), stepsShown)] {
		fmt.Fprintf(&b, "%3d. %s → %s  by %s\n", i+1, s.From, s.To, s.By)
	}
	if more := len(path) - stepsShown; more > 0 {
		fmt.Fprintf(&b, "and %d steps more\n", more)
	}
	return doc.Listing(b.String())
}

// someOf is a list of at most eight names.
func someOf(names []string) string {
	const shown = 8
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// inspectionTable is the cost of inspection in the path.
func inspectionTable(r *audit.Report) *doc.Table {
	t := doc.NewTable("fabric", "what", "planes apart", "inspected in line", "times")
	for i := range r.Cost {
		c := &r.Cost[i]
		what := c.What
		if c.Bytes > 0 {
			what += " of " + units.Bytes(c.Bytes).String()
		}
		t.Add(doc.Text(c.Fabric), doc.Text(what), doc.Time(c.Apart), doc.Time(c.Inline), doc.Ratio(c.Ratio(), 2))
	}
	return t
}
