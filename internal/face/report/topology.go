package report

import (
	"strconv"

	"weft/internal/base/topology"
	"weft/internal/face/doc"
	"weft/internal/sim/run/network"
	"weft/internal/sim/scenario"
)

// Topology is the parts of a scenario's fabrics: a column per fabric, without rows that are zero for all.
func Topology(sc *scenario.Resolved, bills []network.Bill) *doc.Document {
	columns, head, shape := []doc.Column{{Left: true}}, []string{""}, []string{"shape"}
	for i := range bills {
		columns, head, shape = append(columns, doc.Column{}), append(head, bills[i].Fabric), append(shape, string(bills[i].Shape))
	}
	t := &doc.Table{Keys: 1, Columns: columns}
	t.AddTexts(head...)
	t.AddTexts(shape...)
	add := func(label string, always bool, of func(*network.Bill) int) {
		row, shown := []string{label}, always
		for i := range bills {
			n := of(&bills[i])
			shown = shown || n != 0
			row = append(row, strconv.Itoa(n))
		}
		if shown {
			t.AddTexts(row...)
		}
	}
	add("nodes", true, func(b *network.Bill) int { return b.Nodes })
	add("NIC ports", true, func(b *network.Bill) int { return b.Endpoints })
	add("management ports", false, func(b *network.Bill) int { return b.Services })
	add("switches", true, func(b *network.Bill) int { return b.Switches["total"] })
	for _, level := range []string{"leaf", "spine", "core"} {
		add("  "+level, false, func(b *network.Bill) int { return b.Switches[level] })
	}
	add("cables", true, func(b *network.Bill) int { return b.Cables["total"] })
	for i := range (topology.Count{}).Cables {
		kind := topology.CableKind(i).String()
		add("  "+kind, false, func(b *network.Bill) int { return b.Cables[kind] })
	}
	add("switch ports in use", true, func(b *network.Bill) int { return b.Used })
	add("switch ports free", true, func(b *network.Bill) int { return b.Free })

	blocks := []doc.Block{t}
	if cut := cutRadix(sc); cut != "" {
		blocks = append(blocks, doc.Paragraph{Text: cut + "."})
	}
	return &doc.Document{
		Brand: "topology", Title: sc.Name, Footer: "Made by weft topology. The same scenario and version make the same page.",
		Sections: []doc.Section{{Blocks: blocks}},
	}
}
