package draw

import (
	"math"
	"slices"

	"weft/internal/base/topology"
)

// bundle is the cables between two items, drawn as one line.
type bundle struct {
	low, high *item
	nic       int // NIC of a single host, else -1
	kind      topology.CableKind
	rail      int32
	cables    int
	length    string
}

func (d *treeDrawing) cables() {
	var bundles [len(cableColours)][]*bundle
	known := map[[3]any]*bundle{}
	for _, c := range d.g.Cables {
		a, b := c.A, c.B
		if d.g.Nodes[a.Node].Level > d.g.Nodes[b.Node].Level {
			a, b = b, a
		}
		low, high := d.item[a.Node], d.item[b.Node]
		if low == nil || high == nil || low == high {
			continue
		}
		kind, nic := d.g.KindOf(c), -1
		if low.hosts == 1 && len(low.nodes) > 1 {
			nic = slices.Index(low.nodes, a.Node)
		}
		key := [3]any{low, high, nic}
		u := known[key]
		if u == nil {
			u = &bundle{low: low, high: high, nic: nic, kind: kind, rail: -1, length: lengthText(c)}
			if len(high.nodes) == 1 && kind == topology.NodeLeaf {
				u.rail = d.g.Nodes[high.nodes[0]].Rail
			}
			known[key] = u
			bundles[kind] = append(bundles[kind], u)
		}
		u.cables++
	}
	for kind, us := range bundles {
		if len(us) > 0 {
			d.drawBundles(topology.CableKind(kind), us)
		}
	}
}

func (d *treeDrawing) drawBundles(kind topology.CableKind, us []*bundle) {
	d.c.open(cableColours[kind], faint(len(us)))
	for _, u := range us {
		low, high := d.shown[u.low], d.shown[u.high]
		x1, y1 := u.low.x, low.y-boxHeight/2
		if low.level == 0 {
			y1 = low.y - hostHeight/2
		}
		if u.nic >= 0 {
			x1 = u.low.nicX(u.nic)
		}
		tip := counted(u.cables, "cable", "cables") + u.length
		width := min(5, 1.1+0.45*math.Log2(float64(u.cables)))
		if u.rail >= 0 {
			d.c.body.WriteString(`<g stroke="` + railColours[int(u.rail)%len(railColours)] + `">`)
		}
		d.c.line(x1, y1, u.high.x, high.y+boxHeight/2, width, tip)
		if u.rail >= 0 {
			d.c.close()
		}
	}
	d.c.close()
}

// nicX is the position of NIC i of a single host.
func (it *item) nicX(i int) float64 {
	n := float64(len(it.nodes))
	return it.x - it.w/2 + it.w*(float64(i)+0.5)/n
}
