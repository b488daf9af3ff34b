package draw

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/base/topology"
)

// Limits of a layered drawing: more nodes become stacks, and then the middle is left out.
const (
	maxRowItems  = 64
	maxDrawHosts = 24
	keptItems    = 9 // of a row with more clusters than that, at its beginning
)

// Dimensions of a layered drawing.
const (
	gutter     = 150.0 // for the names of rows
	margin     = 24.0
	rowGap     = 138.0
	boxHeight  = 26.0
	hostHeight = 30.0
)

// drawItem is a box of a layered drawing: one node, or several that are alike.
type item struct {
	nodes   []topology.NodeID
	hosts   int // number of hosts in the hosts' row
	cluster int // of its row
	label   string
	note    string
	tip     string
	more    bool // the left-out part of its row
	x, w    float64
}

// itemRow is the items of one level on one plane.
type itemRow struct {
	level    int8
	plane    int32
	items    []*item
	clusters int
	names    []string // of clusters, if they have one
	y        float64

	left, right float64 // the horizontal extent
}

type treeDrawing struct {
	c     *canvas
	g     *topology.Graph
	rows  []*itemRow // hosts first
	item  []*item
	top   int8
	shown map[*item]*itemRow
}

func drawTree(c *canvas, g *topology.Graph) {
	d := &treeDrawing{c: c, g: g, item: make([]*item, len(g.Nodes)), shown: map[*item]*itemRow{}}
	for i := range g.Nodes {
		d.top = max(d.top, g.Nodes[i].Level)
	}
	planes := max(1, g.Planes)
	for p := range planes {
		stacked := false
		for l := int8(1); l <= d.top; l++ {
			row := d.switches(l, int32(p), planes, stacked)
			stacked = stacked || len(row.items) > 0 && len(row.items[0].nodes) > 1
			d.rows = append(d.rows, row)
		}
	}
	d.rows = append(d.rows, d.hosts())
	d.place(planes)
	d.frames(planes)
	d.cables()
	for _, r := range d.rows {
		for _, it := range r.items {
			d.drawItem(r, it)
		}
	}
	d.names()
	c.height = d.rowY(0) + 62
}

func (d *treeDrawing) rowY(level int8) float64 {
	return headRoom + 46 + float64(d.top-level)*rowGap
}

// clusterOf is the cluster of a switch within its level, and the cluster's name.
func (d *treeDrawing) clusterOf(n *topology.Node) (key [2]int32, name string) {
	switch {
	case n.Level == 1 && n.Rail >= 0:
		return [2]int32{0, n.Group}, fmt.Sprintf("SU %d", n.Group)
	case n.Level == 1 && n.Group >= 0:
		return [2]int32{0, n.Group}, fmt.Sprintf("pod %d", n.Group)
	case n.Level == 2 && n.Rail >= 0 && n.Group >= 0:
		return [2]int32{n.Rail, n.Group}, fmt.Sprintf("rail %d, pod %d", n.Rail, n.Group)
	case n.Level == 2 && n.Rail >= 0:
		return [2]int32{n.Rail, 0}, fmt.Sprintf("rail %d", n.Rail)
	case n.Level == 2 && n.Group >= 0:
		return [2]int32{0, n.Group}, fmt.Sprintf("pod %d", n.Group)
	case n.Level == 3 && n.Group >= 0:
		return [2]int32{0, n.Group}, fmt.Sprintf("plane %d", n.Group)
	}
	return [2]int32{}, ""
}

var levelNames = [][2]string{{"host", "hosts"}, {"leaf", "leaves"}, {"spine", "spines"}, {"core", "cores"}}

func levelName(level int8, n int) string {
	one, many := "switch", "switches"
	if int(level) < len(levelNames) {
		one, many = levelNames[level][0], levelNames[level][1]
	}
	return counted(n, one, many)
}

// switches makes the row of a level of a plane. stacked means that the level below is drawn as
// stacks, so that this level is too, if possible.
func (d *treeDrawing) switches(level int8, plane int32, planes int, stacked bool) *itemRow {
	row := &itemRow{level: level, plane: plane}
	number := map[[2]int32]int{}
	var clusters [][]topology.NodeID
	n := 0
	for i := d.g.Endpoints; i < len(d.g.Nodes); i++ {
		node := &d.g.Nodes[i]
		if node.Level != level || planes > 1 && node.Plane != plane {
			continue
		}
		key, name := d.clusterOf(node)
		k, ok := number[key]
		if !ok {
			k = len(clusters)
			number[key] = k
			clusters = append(clusters, nil)
			row.names = append(row.names, name)
		}
		clusters[k] = append(clusters[k], topology.NodeID(i))
		n++
	}
	row.clusters = len(clusters)
	if row.clusters == n { // every switch by itself: no clusters
		row.clusters, row.names = 1, []string{""}
		flat := make([]topology.NodeID, 0, n)
		for _, c := range clusters {
			flat = append(flat, c...)
		}
		clusters = [][]topology.NodeID{flat}
	}
	budget := maxRowItems / planes
	if n <= budget && (!stacked || row.clusters < 2) {
		for k, c := range clusters {
			for _, s := range c {
				row.items = append(row.items, &item{nodes: []topology.NodeID{s}, cluster: k, label: shortName(&d.g.Nodes[s]), tip: d.tipOf(s)})
			}
		}
	} else {
		d.stacks(row, clusters, budget)
	}
	for _, it := range row.items {
		for _, s := range it.nodes {
			d.item[s] = it
		}
		d.shown[it] = row
	}
	return row
}

// stacks makes items of clusters, or of single switches if there is only one cluster, and leaves
// out the middle of a row that is too long.
func (d *treeDrawing) stacks(row *itemRow, clusters [][]topology.NodeID, budget int) {
	level, names := row.level, row.names
	single := len(clusters) == 1
	if single {
		all := clusters[0]
		clusters, names = nil, nil
		for _, s := range all {
			clusters, names = append(clusters, []topology.NodeID{s}), append(names, shortName(&d.g.Nodes[s]))
		}
	}
	row.clusters, row.names = 1, []string{""}
	add := func(nodes []topology.NodeID, label, note, tip string, more bool) {
		row.items = append(row.items, &item{nodes: nodes, label: label, note: note, tip: tip, more: more})
	}
	one := func(k int) {
		if single {
			add(clusters[k], names[k], "", d.tipOf(clusters[k][0]), false)
			return
		}
		note := levelName(level, len(clusters[k]))
		add(clusters[k], names[k], note, names[k]+": "+note, false)
	}
	if len(clusters) <= min(budget, 20) {
		for k := range clusters {
			one(k)
		}
		return
	}
	kept := max(2, keptItems*budget/maxRowItems)
	var rest []topology.NodeID
	for k := range clusters {
		switch {
		case k < kept || k == len(clusters)-1:
			if k == len(clusters)-1 {
				left := len(clusters) - 1 - kept
				add(rest, "+ "+number(left), "", fmt.Sprintf("%s more, not drawn", number(left)), true)
			}
			one(k)
		default:
			rest = append(rest, clusters[k]...)
		}
	}
}

// shortName is a label for a small box.
func shortName(n *topology.Node) string {
	name := n.Name[strings.LastIndexByte(n.Name, '/')+1:]
	if n.Level == 1 && n.Rail >= 0 {
		return fmt.Sprintf("r%d", n.Rail)
	}
	return name
}

func (d *treeDrawing) tipOf(s topology.NodeID) string {
	n := &d.g.Nodes[s]
	return fmt.Sprintf("%s: %d of %d ports have a cable", n.Name, d.g.Nodes[s].Cabled(), len(n.Cables))
}

// hosts makes the lowest row: single hosts with their NICs if there are few, else one item for the
// hosts of each leaf item.
func (d *treeDrawing) hosts() *itemRow {
	row := &itemRow{clusters: 1, names: []string{""}, plane: -1}
	nics := max(1, d.g.NodeNICs)
	compute := d.g.Compute()
	hosts := (compute + nics - 1) / nics
	byLeaf := map[*item]*item{}
	byCluster := map[[2]int]*item{}
	for h := range hosts {
		first := h * nics
		last := min(first+nics, compute)
		var it *item
		leaf := d.leafItem(first)
		if hosts > maxDrawHosts {
			it = byLeaf[leaf]
			if leaf != nil && d.spansLeaves(first, last) {
				it = byCluster[[2]int{leaf.cluster, len(leaf.nodes)}]
			}
		}
		if it == nil {
			it = &item{label: d.g.HostName(h)}
			if leaf != nil {
				it.cluster, it.more = leaf.cluster, leaf.more && hosts > maxDrawHosts
				byLeaf[leaf] = it
				byCluster[[2]int{leaf.cluster, len(leaf.nodes)}] = it
			}
			row.items = append(row.items, it)
			d.shown[it] = row
		}
		it.hosts++
		for e := first; e < last; e++ {
			it.nodes = append(it.nodes, topology.NodeID(e))
			d.item[e] = it
		}
	}
	for _, it := range row.items {
		it.tip = fmt.Sprintf("%s of %s", it.label, counted(nics, "NIC", "NICs"))
		if it.hosts > 1 || hosts > maxDrawHosts {
			it.label, it.note = counted(it.hosts, "host", "hosts"), counted(nics, "NIC each", "NICs each")
			it.tip = fmt.Sprintf("%s of %s", it.label, counted(nics, "NIC", "NICs"))
		}
	}
	if d.g.Services > 0 {
		it := &item{label: "UFM", tip: fmt.Sprintf("the fabric's manager, %s", counted(d.g.Services, "port", "ports"))}
		for e := compute; e < d.g.Endpoints; e++ {
			it.nodes = append(it.nodes, topology.NodeID(e))
			d.item[e] = it
		}
		if leaf := d.leafItem(compute); leaf != nil {
			it.cluster = leaf.cluster
		}
		row.items = append(row.items, it)
		d.shown[it] = row
	}
	sorting.StableFunc(row.items, func(a, b *item) int { return a.cluster - b.cluster })
	return row
}

func (d *treeDrawing) leafItem(e int) *item {
	for p := range d.g.Nodes[e].Cables {
		if far, _, ok := d.g.Peer(topology.End{Node: topology.NodeID(e), Port: int32(p)}); ok {
			return d.item[far.Node]
		}
	}
	return nil
}

// spansLeaves reports whether the NICs of a host are on several items.
func (d *treeDrawing) spansLeaves(first, last int) bool {
	for e := first + 1; e < last; e++ {
		if d.leafItem(e) != d.leafItem(first) {
			return true
		}
	}
	return false
}

// place gives every item its x and every row its y.
func (d *treeDrawing) place(planes int) {
	left, right := gutter, d.c.width-margin
	width := (right - left) / float64(planes)
	var leaves *itemRow
	for _, r := range d.rows {
		r.y = d.rowY(r.level)
		if r.level == 0 {
			if planes == 1 && leaves != nil {
				r.clusters, r.names = leaves.clusters, leaves.names
			} else {
				for _, it := range r.items {
					it.cluster = 0
				}
			}
			r.spread(left, right)
			continue
		}
		x := left + float64(r.plane)*width
		r.spread(x, x+width-20*float64(min(planes-1, 1)))
		if r.level == 1 {
			leaves = r
		}
	}
}

const clusterGap = 18.0

// spread lays the items of a row out in equal columns, one for each cluster.
func (r *itemRow) spread(left, right float64) {
	r.left, r.right = left, right
	n := max(1, r.clusters)
	column := (right - left + clusterGap) / float64(n)
	by := make([][]*item, n)
	widest := 56.0 // of a box without a note, and of similar boxes with a longer label
	for _, it := range r.items {
		by[it.cluster] = append(by[it.cluster], it)
		widest = max(widest, textWidth(it.label, 11)+8)
	}
	for k, items := range by {
		x := left + float64(k)*column
		slot := (column - clusterGap) / float64(max(1, len(items)))
		for i, it := range items {
			it.x = x + (float64(i)+0.5)*slot
			it.w = min(max(96, widest), slot-min(8, slot*0.25))
			if len(it.nodes) > 1 {
				it.w = min(96, slot-min(13, slot*0.3))
			}
			if it.note == "" && it.hosts == 0 {
				it.w = min(it.w, widest)
			}
		}
	}
}

// frames draws the clusters: a frame around the leaves of a pod or unit, their spines if they
// belong to the same pods, and their hosts.
func (d *treeDrawing) frames(planes int) {
	for _, r := range d.rows {
		if r.level != 1 || r.clusters < 2 || r.clusters > 40 {
			continue
		}
		above := d.row(2, r.plane)
		top := r.y
		if above != nil && slices.Equal(above.names, r.names) {
			top = above.y
		}
		bottom := r.y + boxHeight/2 + 8
		if planes == 1 {
			bottom = d.rowY(0) + hostHeight/2 + 28
		}
		column := (r.right - r.left + clusterGap) / float64(r.clusters)
		for k := range r.clusters {
			w := column - clusterGap + 10
			x := r.left + float64(k)*column - 5 + w/2
			y := top - boxHeight/2 - 9
			d.c.box("g", x, (y+bottom)/2, w, bottom-y, r.names[k])
			if planes == 1 && textWidth(r.names[k], 11) < w {
				d.c.text("m c", x, bottom-7, r.names[k])
			}
		}
	}
	if planes == 1 {
		return
	}
	for p := range planes {
		low, high := d.row(1, int32(p)), d.row(d.top, int32(p))
		left, right := low.left, low.right
		y0, y1 := high.y-boxHeight/2-30, low.y+boxHeight/2+12
		d.c.box("g", (left+right)/2, (y0+y1)/2, right-left+6, y1-y0, fmt.Sprintf("plane %d", p))
		d.c.text("r c", (left+right)/2, y0+17, fmt.Sprintf("plane %d", p))
	}
}

func (d *treeDrawing) row(level int8, plane int32) *itemRow {
	for _, r := range d.rows {
		if r.level == level && (r.plane == plane || level == 0) {
			return r
		}
	}
	return nil
}

func (d *treeDrawing) drawItem(r *itemRow, it *item) {
	if it.more {
		if r.level == 0 {
			it.label = "…"
		}
		d.c.box("g d", it.x, r.y, max(it.w, textWidth(it.label, 11)+6), boxHeight, it.tip)
		d.c.text("n", it.x, r.y+4, it.label)
		return
	}
	class, h := [...]string{"host", "leaf", "spine", "core", "core"}[r.level], boxHeight
	if r.level == 0 {
		h = hostHeight
	}
	if len(it.nodes) > 1 && (r.level > 0 || it.hosts > 1) {
		off := min(3, it.w/8)
		d.c.box(class, it.x+2*off, r.y-2*off, it.w, h, "")
		d.c.box(class, it.x+off, r.y-off, it.w, h, "")
	}
	d.c.box(class, it.x, r.y, it.w, h, it.tip)
	if r.level == 1 && len(it.nodes) == 1 && d.g.Nodes[it.nodes[0]].Rail >= 0 {
		colour := railColours[int(d.g.Nodes[it.nodes[0]].Rail)%len(railColours)]
		fmt.Fprintf(&d.c.body, `<rect x="%s" y="%s" width="%s" height="3" fill="%s"/>`+"\n", num(it.x-it.w/2+1), num(r.y+h/2-4), num(it.w-2), colour)
	}
	if it.hosts == 1 && len(it.nodes) > 1 {
		size := min(5, it.w/float64(len(it.nodes))*0.7)
		for i, e := range it.nodes {
			colour := "#8492a6"
			if rail := d.g.Nodes[e].Rail; rail >= 0 {
				colour = railColours[int(rail)%len(railColours)]
			}
			fmt.Fprintf(&d.c.body, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"><title>%s</title></rect>`+"\n",
				num(it.nicX(i)-size/2), num(r.y-h/2-size/2), num(size), num(size), colour, d.g.Nodes[e].Name)
		}
	}
	d.label(r, it)
}
