package draw

import (
	"fmt"
	"strings"

	"weft/internal/base/topology"
)

// label writes the longest label that fits a box: the same form in all boxes of a row.
func (d *treeDrawing) label(r *itemRow, it *item) {
	whole, number, notes := r.fits()
	label := it.label
	switch {
	case whole:
	case number:
		label = shorter(label)
	default:
		return
	}
	if notes && it.note != "" {
		d.c.text("n on", it.x, r.y-1, label)
		d.c.text("k on", it.x, r.y+10, it.note)
		return
	}
	d.c.text("n on", it.x, r.y+4, label)
}

// fits reports whether every box of a row has room for its whole label, for its number, and for a
// note under it.
func (r *itemRow) fits() (whole, number, notes bool) {
	whole, number, notes = true, true, true
	for _, it := range r.items {
		if it.more {
			continue
		}
		whole = whole && textWidth(it.label, 11) <= it.w-2
		number = number && textWidth(shorter(it.label), 11) <= it.w-1
		notes = notes && textWidth(it.note, 9.5) <= it.w-2
	}
	return whole, number, notes
}

// shorter is the number at the end of a name ("leaf17") or of "32 hosts"; "rail 0, pod 1" is r0 p1,
// and a label without a number stays.
func shorter(s string) string {
	if rail, pod, ok := strings.Cut(s, ", "); ok {
		return rail[:1] + shorter(rail) + " " + pod[:1] + shorter(pod)
	}
	if n, _, ok := strings.Cut(s, " "); ok && n[0] >= '0' && n[0] <= '9' {
		return n
	}
	i := len(s)
	for i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
		i--
	}
	if i == len(s) {
		return s
	}
	return s[i:]
}

// names writes the name of each row, and between two rows the cables between them.
func (d *treeDrawing) names() {
	t := topology.Tally(d.g)
	for l := int8(0); l <= d.top; l++ {
		y := d.rowY(l)
		if l == 0 {
			d.c.text("r", margin, y, counted(max(t.Nodes, 1), "host", "hosts"))
			d.c.text("m", margin, y+15, counted(t.Endpoints, "endpoint", "endpoints"))
			continue
		}
		n, radix := 0, 0
		for i := d.g.Endpoints; i < len(d.g.Nodes); i++ {
			if d.g.Nodes[i].Level == l {
				n, radix = n+1, len(d.g.Nodes[i].Cables)
			}
		}
		name := levelName(l, n)
		if d.top == 1 {
			name = counted(n, "switch", "switches")
		}
		d.c.text("r", margin, y, name)
		d.c.text("m", margin, y+15, fmt.Sprintf("of %s", counted(radix, "port", "ports")))
	}
	for kind, n := range t.Cables[:d.top] { // cables within a level have separate lines
		if n == 0 {
			continue
		}
		length := ""
		for _, c := range d.g.Cables {
			if d.g.KindOf(c) == topology.CableKind(kind) {
				length = lengthText(c)
				break
			}
		}
		y := (d.rowY(int8(kind)) + d.rowY(int8(kind)+1)) / 2
		d.c.text("m", margin, y, counted(n, "cable", "cables"))
		if length != "" {
			d.c.text("m", margin, y+14, strings.TrimSpace(length))
		}
	}
}
