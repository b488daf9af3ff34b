package draw

import (
	"fmt"
	"math"
	"strings"

	"weft/internal/base/topology"
)

// Limits of a drawing of groups.
const (
	maxMeshedGroups = 48 // with more, only the global cables of group 0 are drawn
	minOpenGroup    = 30 // radius from which on the switches of a group are drawn
	circleRadius    = 320.0
)

type groupsDrawing struct {
	c      *canvas
	g      *topology.Graph
	groups int
	by     [2][][]topology.NodeID // leaves and spines by group
	at     map[topology.NodeID][2]float64
	cx, cy float64
	r      float64 // of a group
}

func drawGroups(c *canvas, g *topology.Graph) {
	d := &groupsDrawing{c: c, g: g, at: map[topology.NodeID][2]float64{}}
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		d.groups = max(d.groups, int(g.Nodes[i].Group)+1)
	}
	for k := range d.by {
		d.by[k] = make([][]topology.NodeID, d.groups)
	}
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		n := &g.Nodes[i]
		k := min(max(int(n.Level)-1, 0), 1)
		d.by[k][n.Group] = append(d.by[k][n.Group], topology.NodeID(i))
	}
	d.r = max(1.5, min(92, 0.86*math.Pi*circleRadius/float64(max(d.groups, 3))))
	d.cx = 690
	d.cy = headRoom + 26 + circleRadius + d.r
	c.height = d.cy + circleRadius + d.r + 44
	for k := range d.groups {
		d.group(k)
	}
	d.global()
	d.local()
	for k := range d.groups {
		d.switches(k)
	}
	d.legend()
}

// angle is the angle of a group on the circle; the first is at the top.
func (d *groupsDrawing) angle(k int) float64 {
	return 2*math.Pi*float64(k)/float64(d.groups) - math.Pi/2
}

func (d *groupsDrawing) centre(k int) (x, y float64) {
	if d.groups == 1 {
		return d.cx, d.cy
	}
	sin, cos := math.Sincos(d.angle(k))
	return d.cx + circleRadius*cos, d.cy + circleRadius*sin
}

// open reports whether groups are large enough for their switches to be drawn.
func (d *groupsDrawing) open() bool { return d.r >= minOpenGroup }

func (d *groupsDrawing) group(k int) {
	x, y := d.centre(k)
	tip := fmt.Sprintf("group %d: %s", k, counted(len(d.by[0][k])+len(d.by[1][k]), "switch", "switches"))
	d.c.dot("g", x, y, d.r, tip)
	sin, cos := math.Sincos(d.angle(k))
	switch {
	case d.open():
		for level := range d.by {
			for i, s := range d.by[level][k] {
				along, out := d.placeIn(level, i, len(d.by[level][k]))
				d.at[s] = [2]float64{x + d.r*(out*cos-along*sin), y + d.r*(out*sin+along*cos)}
			}
		}
		class := "m c"
		if math.Abs(cos) > 0.3 {
			class = "m"
		}
		label := fmt.Sprintf("group %d", k)
		lx, ly := x+(d.r+9)*cos, y+(d.r+13)*sin+4
		if cos < -0.3 {
			lx -= textWidth(label, 10)
		}
		d.c.text(class, lx, ly, label)
	default:
		for level := range d.by {
			for _, s := range d.by[level][k] {
				d.at[s] = [2]float64{x - d.r*cos, y - d.r*sin}
			}
		}
		if textWidth(fmt.Sprint(d.groups-1), 9.5) < 2*d.r {
			d.c.text("k", x, y+3.5, fmt.Sprint(k))
		} else if k == 0 {
			d.c.text("m c", x, y-d.r-5, "group 0")
		}
	}
}

// placeIn is the position of switch i of n in its group, in radii: along the circle of groups and
// outwards. The switches of a dragonfly form a circle; in a dragonfly+ spines are inside and leaves
// outside.
func (d *groupsDrawing) placeIn(level, i, n int) (along, out float64) {
	if d.g.Family == topology.FamilyDragonfly {
		if n == 1 {
			return 0, 0
		}
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / float64(n))
		return 0.6 * sin, -0.6 * cos
	}
	if n > 1 {
		along = 1.36 * (float64(i)/float64(n-1) - 0.5)
	}
	return along, [2]float64{0.28, -0.42}[level]
}

// global draws the cables between groups, one line for all cables between the same two points.
func (d *groupsDrawing) global() {
	type pair [2]topology.NodeID
	count := map[pair]int{}
	var pairs []pair
	for _, c := range d.g.Cables {
		if d.g.KindOf(c) != topology.Global {
			continue
		}
		a, b := c.A.Node, c.B.Node
		if d.groups > maxMeshedGroups && d.g.Nodes[a].Group != 0 && d.g.Nodes[b].Group != 0 {
			continue
		}
		if !d.open() {
			a, b = d.by[0][d.g.Nodes[a].Group][0], d.by[0][d.g.Nodes[b].Group][0]
		}
		p := pair{min(a, b), max(a, b)}
		if count[p] == 0 {
			pairs = append(pairs, p)
		}
		count[p]++
	}
	d.c.open(cableColours[topology.Global], faint(len(pairs)))
	for _, p := range pairs {
		a, b := d.at[p[0]], d.at[p[1]]
		// Towards the middle, and more so for groups that are neighbours.
		mx, my := (a[0]+b[0])/2, (a[1]+b[1])/2
		cx, cy := mx+(d.cx-mx)*0.45, my+(d.cy-my)*0.45
		d.c.bow(a[0], a[1], cx, cy, b[0], b[1], min(4, 1+0.45*math.Log2(float64(count[p]))), d.ends(p[0], p[1], count[p]))
	}
	d.c.close()
}

func (d *groupsDrawing) ends(a, b topology.NodeID, n int) string {
	if !d.open() {
		return fmt.Sprintf("group %d and group %d: %s", d.g.Nodes[a].Group, d.g.Nodes[b].Group, counted(n, "cable", "cables"))
	}
	return fmt.Sprintf("%s and %s: %s", d.g.Nodes[a].Name, d.g.Nodes[b].Name, counted(n, "cable", "cables"))
}

func (d *groupsDrawing) local() {
	if !d.open() {
		return
	}
	type pair [2]topology.NodeID
	count := map[pair]int{}
	var pairs []pair
	for _, c := range d.g.Cables {
		if k := d.g.KindOf(c); k == topology.Local || k == topology.LeafSpine {
			p := pair{c.A.Node, c.B.Node}
			if count[p] == 0 {
				pairs = append(pairs, p)
			}
			count[p]++
		}
	}
	d.c.open(cableColours[topology.Local], faint(len(pairs)/max(1, d.groups/4)))
	for _, p := range pairs {
		a, b := d.at[p[0]], d.at[p[1]]
		d.c.line(a[0], a[1], b[0], b[1], min(3, 1+0.4*math.Log2(float64(count[p]))), d.ends(p[0], p[1], count[p]))
	}
	d.c.close()
}

// switches draws the switches of a group, and the endpoints of each as small
// dots outside of it.
func (d *groupsDrawing) switches(k int) {
	if !d.open() {
		return
	}
	gx, gy := d.centre(k)
	gs, gc := math.Sincos(d.angle(k))
	for level := range d.by {
		n := len(d.by[level][k])
		size := max(2.5, min(7, d.r*1.3/float64(n+1)))
		for i, s := range d.by[level][k] {
			at, class := d.at[s], [2]string{"leaf", "spine"}[level]
			ends := d.endpointsOf(s)
			along, out := d.placeIn(level, i, n)
			dirA, dirO := 0.0, 1.0 // direction of the endpoints, seen from the switch
			if d.g.Family == topology.FamilyDragonfly && n > 1 {
				dirA, dirO = along/0.6, out/0.6
			}
			spread := min(5, d.r*1.3/float64(max(1, n*len(ends))))
			for e, name := range ends {
				t := (float64(e) - float64(len(ends)-1)/2) * spread / d.r
				a, o := along+dirA*0.24-dirO*t, out+dirO*0.24+dirA*t
				d.c.dot("host", gx+d.r*(o*gc-a*gs), gy+d.r*(o*gs+a*gc), max(1, min(2, spread*0.4)), name)
			}
			d.c.dot(class, at[0], at[1], size, fmt.Sprintf("%s: %s, %d of %d ports have a cable",
				d.g.Nodes[s].Name, counted(len(ends), "endpoint", "endpoints"), d.g.Nodes[s].Cabled(), len(d.g.Nodes[s].Cables)))
		}
	}
}

func (d *groupsDrawing) endpointsOf(s topology.NodeID) (names []string) {
	for p := range d.g.Nodes[s].Cables {
		if far, _, ok := d.g.Peer(topology.End{Node: s, Port: int32(p)}); ok && int(far.Node) < d.g.Endpoints {
			names = append(names, d.g.Nodes[far.Node].Name)
		}
	}
	return names
}

func (d *groupsDrawing) legend() {
	l := legend{c: d.c, y: headRoom + 36}
	t := topology.Tally(d.g)
	per := counted(len(d.by[0][0]), "switch", "switches")
	if d.g.Family == topology.FamilyDragonflyPlus {
		per = fmt.Sprintf("%s, %s", levelName(1, len(d.by[0][0])), levelName(2, len(d.by[1][0])))
	}
	l.entry(counted(d.groups, "group", "groups"), "of "+per)
	at := "switch"
	if d.g.Family == topology.FamilyDragonflyPlus {
		at = "leaf"
	}
	l.entry(counted(t.Endpoints, "endpoint", "endpoints"), fmt.Sprintf("%d at a %s", len(d.endpointsOf(d.by[0][0][0])), at))
	l.cables(d.g, topology.Local, topology.LeafSpine, topology.Global)
	if d.groups > maxMeshedGroups {
		l.note("Of the global cables, those", "of group 0 are drawn. All", "groups are alike.")
	}
}

// legend writes the facts at the left of a drawing, one under the other.
type legend struct {
	c *canvas
	y float64
}

func (l *legend) entry(what, detail string) {
	l.c.text("r", margin, l.y, what)
	l.c.text("m", margin, l.y+15, detail)
	l.y += 44
}

// cables is the number of cables of some kinds, with their colour.
func (l *legend) cables(g *topology.Graph, kinds ...topology.CableKind) {
	t := topology.Tally(g)
	for _, k := range kinds {
		if t.Cables[k] == 0 {
			continue
		}
		for _, c := range g.Cables {
			if g.KindOf(c) == k {
				l.c.open(cableColours[k], 1)
				l.c.line(margin, l.y+22, margin+36, l.y+22, 2.5, "")
				l.c.close()
				l.c.text("r", margin, l.y, counted(t.Cables[k], k.String()+" cable", k.String()+" cables"))
				l.c.text("m", margin+44, l.y+26, strings.TrimSpace(lengthText(c)))
				l.y += 54
				break
			}
		}
	}
}

func (l *legend) note(lines ...string) {
	for _, s := range lines {
		l.c.text("m", margin, l.y, s)
		l.y += 15
	}
}
