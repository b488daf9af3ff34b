package report

import (
	"slices"

	"weft/internal/base/topology"
	"weft/internal/face/doc"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// Topology is the parts of a scenario's fabrics: a column per fabric, without rows that are zero for all.
func Topology(sc *scenario.Resolved, bills []network.Bill) *doc.Document {
	t := columnsOf("", bills, func(b network.Bill) string { return b.Fabric })
	t.Keys = 1
	t.row(doc.Text("shape"), func(b network.Bill) doc.Cell { return doc.Text(string(b.Shape)) })
	add := func(level int, label string, always bool, of func(*network.Bill) int) {
		if always || slices.ContainsFunc(bills, func(b network.Bill) bool { return of(&b) != 0 }) {
			t.row(doc.Cell{Text: label, Level: level}, func(b network.Bill) doc.Cell { return doc.Count(of(&b)) })
		}
	}
	add(0, "nodes", true, func(b *network.Bill) int { return b.Nodes })
	add(0, "NIC ports", true, func(b *network.Bill) int { return b.Endpoints })
	add(0, "management ports", false, func(b *network.Bill) int { return b.Services })
	add(0, "ports of other hosts", false, func(b *network.Bill) int { return b.Others })
	add(0, "switches", true, func(b *network.Bill) int { return b.Switches["total"] })
	for _, level := range []string{"leaf", "spine", "core"} {
		add(1, level, false, func(b *network.Bill) int { return b.Switches[level] })
	}
	add(0, "cables", true, func(b *network.Bill) int { return b.Cables["total"] })
	for i := range (topology.Count{}).Cables {
		kind := topology.CableKind(i).String()
		add(1, kind, false, func(b *network.Bill) int { return b.Cables[kind] })
	}
	add(0, "switch ports in use", true, func(b *network.Bill) int { return b.Used })
	add(0, "switch ports free", true, func(b *network.Bill) int { return b.Free })

	blocks := []doc.Block{t.Table}
	if cut := cutRadix(sc); cut != "" {
		blocks = append(blocks, doc.Paragraph{Text: cut + "."})
	}
	return &doc.Document{
		Brand: "topology", Title: sc.Name, Footer: "Made by weft topology. The same scenario and version make the same page.",
		Sections: []doc.Section{{Blocks: blocks}},
	}
}
