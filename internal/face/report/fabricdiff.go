package report

import (
	"fmt"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/study/cablediff"
)

// maxFindings is the number of findings in the table of the terminal; the JSON has all.
const maxFindings = 200

// FabricDiff is a plan and a real fabric compared: what was judged, the counts, then a row for each finding.
func FabricDiff(r *cablediff.Report) *doc.Document {
	d := &doc.Document{
		Brand: "Fabric against its plan", Title: r.Real.Name, Subtitle: "planned in " + r.Plan.Name,
		Footer: "Made by weft fabric diff. The same files and version make the same page.",
	}
	said, unjudged := sidesCompared(r), []string(nil)
	for _, text := range r.Covers {
		said = append(said, begun(text))
	}
	for _, text := range r.NotJudged {
		unjudged = append(unjudged, "Not judged: "+text)
	}
	if r.Blank() {
		said = slices.Concat([]string{"Nothing was compared."}, unjudged, said)
	} else {
		said = append(said, unjudged...)
	}
	for _, text := range r.Assumed {
		said = append(said, "Assumed: "+text)
	}
	blocks := doc.Paragraphs(said...)
	if len(r.Findings) > 0 {
		t := doc.NewTable("finding", "count")
		for _, k := range cablediff.Kinds {
			if n := r.Counts[k.Kind]; n > 0 {
				t.Add(doc.Text(k.Name), doc.Count(n))
			}
		}
		blocks = append(blocks, t)
	} else if !r.Blank() {
		blocks = append(blocks, doc.Paragraphs("No difference was found.")...)
	}
	d.Add(doc.Section{Blocks: blocks})
	d.Add(findingSections(r)...)
	d.Add(doc.Section{Title: "Remarks on the files", In: doc.Details, Blocks: remarkBlocks(r)})
	return d
}

// sidesCompared are the two files, and how much of the plan is there.
func sidesCompared(r *cablediff.Report) []string {
	if r.Listed {
		return []string{
			fmt.Sprintf("%s compares a plan with what is cabled, and has nothing but the differences: %s not there as planned, %s not planned",
				r.Plan.Name, exactly(r.Plan.Cables, "planned cable is", "planned cables are"), exactly(r.Real.Cables, "real cable is", "real cables are")),
		}
	}
	sides := []string{
		fmt.Sprintf("Plan: %s (%s), %s, %s", r.Plan.Name, r.Plan.Format, exactly(r.Plan.Devices, "device", "devices"), exactly(r.Plan.Cables, "cable", "cables")),
		fmt.Sprintf("Real: %s (%s), %s, %s", r.Real.Name, r.Real.Format, exactly(r.Real.Devices, "device", "devices"), exactly(r.Real.Cables, "cable", "cables")),
	}
	if !r.Blank() {
		sides = append(sides, fmt.Sprintf("%s of %s that were compared are where they should be", doc.Integer(int64(r.AsPlanned)), exactly(r.Judged, "planned cable", "planned cables")))
	}
	return sides
}

// findingSections are the findings with their actions, and what the files say.
func findingSections(r *cablediff.Report) (out []doc.Section) {
	names := map[cablediff.Kind]string{}
	for _, k := range cablediff.Kinds {
		names[k.Kind] = k.Name
	}
	t := doc.Wrapped("finding", "what, and the action that mends it")
	var said doc.List
	for i := range r.Findings {
		if f := &r.Findings[i]; i < maxFindings {
			t.AddTexts(names[f.Kind], f.Text+". "+begun(f.Action)+".")
			for _, e := range f.Evidence {
				said = append(said, fmt.Sprintf("%s: %s", names[f.Kind], e))
			}
		}
	}
	if len(r.Findings) == 0 {
		return nil
	}
	s := doc.Section{Title: "Findings", Blocks: []doc.Block{t}}
	if more := len(r.Findings) - maxFindings; more > 0 {
		s.Blocks = append(s.Blocks, doc.Paragraphs(fmt.Sprintf("and %s: --json has all", exactly(more, "more finding", "more findings")))...)
	}
	return []doc.Section{s, {Title: "What the files say", In: doc.Details, Blocks: []doc.Block{said}}}
}

func remarkBlocks(r *cablediff.Report) []doc.Block {
	all := append(append(doc.List{}, r.Plan.Notes...), r.Real.Notes...)
	if len(all) == 0 {
		return nil
	}
	return []doc.Block{all}
}
