package report

import (
	"fmt"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/study/plan"
	"weft/scenario"
	"weft/units"
)

// proofSection is what was simulated of the first designs; empty if nothing was.
func proofSection(p *plan.Plan) doc.Section {
	if !slices.ContainsFunc(p.Designs, func(d *plan.Design) bool { return d.Proof != nil }) {
		return doc.Section{}
	}
	t := doc.NewTable("design", "routing", "nodes", "all-reduce", "shift", "shift takes", "an uplink breaks")
	var bytes units.Bytes
	hashed := false
	for _, d := range p.Designs {
		x := d.Proof
		if x == nil {
			continue
		}
		if x.Problem != "" {
			t.Add(doc.Text(d.Name), doc.None, doc.Text(x.Problem), doc.None, doc.None, doc.None, doc.None)
			continue
		}
		bytes = x.Bytes
		broken := doc.Instead("no other way")
		if x.Failed > 0 {
			broken = doc.Time(x.Failed)
		}
		mode := d.Resolved.Fabrics[0].Routing.Mode
		hashed = hashed || mode == scenario.ECMP
		t.Add(doc.Text(d.Name), doc.Text(string(mode)), doc.Text(fmt.Sprintf("%d of %d", x.Model.Nodes, x.Model.Of)), doc.Time(x.Time), doc.Tenths(x.Shift), doc.Time(x.Whole), broken)
	}
	notes := []string{fmt.Sprintf(
		"All-reduce of %s. Shift: each NIC sends 1 MiB over the spines; the share of its rate that the slowest gets, the time, and the time with an uplink that breaks and is mended. One run each.", written(bytes))}
	if hashed {
		notes = append(notes, "A shift by ecmp depends on collisions of flows; weft advise compares Spectrum-X and Ultra Ethernet.")
	}
	return doc.Section{Title: "Simulated", Blocks: append([]doc.Block{t}, doc.Notes(notes...)...)}
}
