package draw

import (
	"fmt"
	"strings"

	"weft/internal/base/topology"
)

// Limits of a drawing of a torus.
const (
	maxGridSide   = 16 // switches along a side that are drawn
	maxSliceSide  = 8  // the same if there are several grids
	maxGridSlices = 8
	minGridCell   = 32.0
	gridLeft      = 190.0
)

type gridDrawing struct {
	c      *canvas
	g      *topology.Graph
	w, h   int // of the grid that is drawn
	fullW  int
	fullH  int
	slices int
	perRow int
	cell   float64
}

// drawGrid draws a torus as a grid of its first two dimensions, one for each
// point of the others.
func drawGrid(c *canvas, g *topology.Graph) {
	d := &gridDrawing{c: c, g: g, fullW: g.Dims[0], fullH: 1, slices: 1}
	if len(g.Dims) > 1 {
		d.fullH = g.Dims[1]
	}
	for _, n := range g.Dims[min(2, len(g.Dims)):] {
		d.slices *= n
	}
	side := maxGridSide
	if d.slices > 1 {
		side = maxSliceSide
	}
	d.w, d.h = min(d.fullW, side), min(d.fullH, side)
	shown := min(d.slices, maxGridSlices)
	space := c.width - margin - gridLeft
	d.perRow = min(shown, max(1, int(space/((float64(d.w)+1.1)*minGridCell))))
	d.cell = min(72, space/(float64(d.perRow)*(float64(d.w)+1.1)))
	for k := range shown {
		d.slice(k)
	}
	rows := (shown + d.perRow - 1) / d.perRow
	c.height = headRoom + 20 + float64(rows)*d.rowHeight() + 24
	l := legend{c: c, y: headRoom + 36}
	d.legend(&l, shown)
	c.height = max(c.height, l.y+24)
}

func (d *gridDrawing) rowHeight() float64 {
	h := (float64(d.h) + 0.7) * d.cell
	if d.slices > 1 {
		h += 26
	}
	return h
}

// at is the position of a switch of a slice.
func (d *gridDrawing) at(slice, x, y int) (float64, float64) {
	left := gridLeft + float64(slice%d.perRow)*(float64(d.w)+1.1)*d.cell
	top := headRoom + 20 + float64(slice/d.perRow)*d.rowHeight()
	return left + (float64(x)+0.85)*d.cell, top + (float64(y)+0.85)*d.cell
}

// split is the slice and the coordinates of a switch.
func (d *gridDrawing) split(s topology.NodeID) (slice, x, y int) {
	i := int(s) - d.g.Endpoints
	return i / (d.fullW * d.fullH), i % d.fullW, i / d.fullW % d.fullH
}

func (d *gridDrawing) visible(x, y int) bool { return x < d.w && y < d.h }

func (d *gridDrawing) slice(k int) {
	d.c.open(cableColours[topology.Local], 0.75)
	seen := map[[2]topology.NodeID]int{}
	for _, c := range d.g.Cables {
		if int(c.A.Node) < d.g.Endpoints || int(c.B.Node) < d.g.Endpoints {
			continue
		}
		pair := [2]topology.NodeID{c.A.Node, c.B.Node}
		if seen[pair]++; seen[pair] == 1 {
			d.cable(k, c)
		}
	}
	d.c.close()
	for y := range d.h {
		for x := range d.w {
			d.point(k, x, y)
		}
	}
	if d.slices > 1 {
		x0, _ := d.at(k, 0, 0)
		x1, y1 := d.at(k, d.w-1, d.h-1)
		d.c.text("m c", (x0+x1)/2, y1+0.42*d.cell+18, d.sliceName(k))
	}
}

// sliceName is the coordinates of a slice in the dimensions beyond two.
func (d *gridDrawing) sliceName(k int) string {
	var parts []string
	for i, n := range d.g.Dims[2:] {
		parts = append(parts, fmt.Sprintf("%s = %d", dimName(i+2), k%n))
		k /= n
	}
	return strings.Join(parts, ", ")
}

func dimName(i int) string {
	if i < 3 {
		return string("xyz"[i])
	}
	return fmt.Sprintf("dimension %d", i)
}

// cable draws a cable inside a slice: straight between neighbours, bowed between the ends of a
// line, a stub if the neighbour is not drawn.
func (d *gridDrawing) cable(k int, c topology.Cable) {
	ka, ax, ay := d.split(c.A.Node)
	kb, bx, by := d.split(c.B.Node)
	if ka != k || kb != k || !d.visible(ax, ay) && !d.visible(bx, by) {
		return
	}
	x1, y1 := d.at(k, ax, ay)
	x2, y2 := d.at(k, bx, by)
	tip := fmt.Sprintf("%s and %s", d.g.Nodes[c.A.Node].Name, d.g.Nodes[c.B.Node].Name)
	switch dx, dy := bx-ax, by-ay; {
	case dx*dx+dy*dy == 1 && d.visible(ax, ay) && d.visible(bx, by):
		d.c.line(x1, y1, x2, y2, 1.4, tip)
	case dx*dx+dy*dy == 1:
		d.c.line(x1, y1, x1+(x2-x1)*0.55, y1+(y2-y1)*0.55, 1.4, tip)
	case !d.visible(ax, ay) || !d.visible(bx, by):
	case dx != 0:
		up := 0.98 * d.cell
		if d.fullH == 1 {
			up = 1.5 * d.cell // there is free space above
		}
		d.c.bow(x1, y1, (x1+x2)/2, y1-up, x2, y2, 1.1, tip)
	default:
		d.c.bow(x1, y1, x1-0.98*d.cell, (y1+y2)/2, x2, y2, 1.1, tip)
	}
}

func (d *gridDrawing) point(k, x, y int) {
	s := topology.NodeID(d.g.Endpoints + k*d.fullW*d.fullH + y*d.fullW + x)
	px, py := d.at(k, x, y)
	n := &d.g.Nodes[s]
	ends := 0
	for p := range n.Cables {
		if far, _, ok := d.g.Peer(topology.End{Node: s, Port: int32(p)}); ok && int(far.Node) < d.g.Endpoints {
			ends++
		}
	}
	w, h := d.cell*0.56, d.cell*0.4
	d.c.box("leaf", px, py, w, h, fmt.Sprintf("%s: %s, %d of %d ports have a cable", n.Name, counted(ends, "endpoint", "endpoints"), d.g.Nodes[s].Cabled(), len(n.Cables)))
	label := fmt.Sprintf("%d,%d", x, y)
	if len(d.g.Dims) == 1 {
		label = fmt.Sprint(x)
	}
	if textWidth(label, 11) < w+2 && h > 13 {
		d.c.text("n on", px, py+4, label)
	}
	if ends <= 8 && d.cell > 24 {
		for e := range ends {
			d.c.dot("host", px+(float64(e)-float64(ends-1)/2)*min(7, w/float64(ends)), py+h/2+1, max(1.3, d.cell/26), "")
		}
	}
}

func (d *gridDrawing) legend(l *legend, shown int) {
	t := topology.Tally(d.g)
	l.entry(counted(t.TotalSwitches(), "switch", "switches"), "of "+counted(len(d.g.Nodes[d.g.Endpoints].Cables), "port", "ports"))
	l.entry(counted(t.Endpoints, "endpoint", "endpoints"), fmt.Sprintf("%d at a switch", t.Endpoints/t.TotalSwitches()))
	l.cables(d.g, topology.Local)
	if d.slices > 1 {
		how := "neighbouring grids."
		if d.g.Ring {
			how = "neighbouring grids, round."
		}
		l.note("Each switch is also joined", "to the same place of the", how)
		l.y += 12
	}
	if shown < d.slices {
		l.note(fmt.Sprintf("%d of %d grids are drawn.", shown, d.slices))
	}
	if d.w < d.fullW || d.h < d.fullH {
		l.note(fmt.Sprintf("%d×%d of %d×%d switches", d.w, d.h, d.fullW, d.fullH), "of each grid are drawn.")
	}
}
