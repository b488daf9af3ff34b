package report

import (
	"fmt"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/study/plan"
	"weft/units"
)

// proofSection is what was simulated of the first designs; empty if nothing was.
func proofSection(p *plan.Plan) doc.Section {
	if !slices.ContainsFunc(p.Designs, func(d *plan.Design) bool { return d.Proof != nil }) {
		return doc.Section{}
	}
	t := doc.NewTable("design", "model", "all-reduce", "shift", "shift takes", "an uplink breaks")
	var bytes units.Bytes
	for _, d := range p.Designs {
		x := d.Proof
		if x == nil {
			continue
		}
		if x.Problem != "" {
			t.Add(doc.Text(d.Name), doc.Text(x.Problem), doc.None, doc.None, doc.None, doc.None)
			continue
		}
		bytes = x.Bytes
		broken := doc.Instead("no other way")
		if x.Failed > 0 {
			broken = doc.Time(x.Failed)
		}
		t.Add(doc.Text(d.Name), doc.Text(fmt.Sprintf("%d of %d nodes", x.Model.Nodes, x.Model.Of)), doc.Time(x.Time), doc.Tenths(x.Shift), doc.Time(x.Whole), broken)
	}
	return doc.Section{Title: "Simulated", Blocks: append([]doc.Block{t}, doc.Notes(fmt.Sprintf(
		"All-reduce of %s. Shift: each NIC sends 1 MiB over the spines; the share of its rate that the slowest gets, the time, and the time with an uplink that breaks and is mended. One run each.", written(bytes)))...)}
}
