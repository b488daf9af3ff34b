package routing

import (
	"slices"

	"weft/internal/base/topology"
)

// Detours are the shortest paths around failed cables. On a tree they go up and then down, never up
// again: this is the result of up/down routing, and of eBGP if the switches of one level share an
// AS number (RFC 7938, 5.2.1), so that none passes a route on to another of its level. In a tree with endpoints above the leaves, a switch without such a path takes the
// shortest one that is left, as with an AS for each switch. On other shapes they are the paths with the fewest cables between groups, and among these the paths with
// the fewest cables: this is the result of eBGP if each group, or on a torus each switch, is an AS.
// The ports of a switch ascend.
type Detours struct {
	g    *topology.Graph
	down []bool // by cable: does not work
	// ports are the next ports of each switch to each leaf, by switch and leaf; nil if there is no
	// path.
	ports [][][]uint16
	// dist are the lengths of the paths to each leaf, by leaf and switch; -1: there is no path. It falls along every path.
	dist  [][]int32
	mixed bool // a tree with endpoints above the leaves
}

// NewDetours finds the paths around failed cables.
func NewDetours(g *topology.Graph, down []bool) *Detours {
	r := &Detours{g: g, down: down, ports: make([][][]uint16, g.Switches()), dist: make([][]int32, g.Switches())}
	for s := range r.ports {
		r.ports[s] = make([][]uint16, g.Switches())
	}
	for sw := range g.Switches() {
		r.mixed = r.mixed || g.Family == topology.FamilyTree && r.level(int32(sw)) > 1 && r.hasEndpoint(sw)
	}
	w := detourWalk{r: r, dist: make([]int32, g.Switches())}
	for leaf := range g.Switches() {
		if !r.hasEndpoint(leaf) {
			continue
		}
		if g.Family == topology.FamilyTree {
			w.upAndDown(int32(leaf))
		} else {
			w.shortest(int32(leaf))
		}
		r.dist[leaf] = slices.Clone(w.dist)
	}
	return r
}

// Set is the ports of a switch for an endpoint.
func (r *Detours) Set(sw, dst int) []uint16 {
	far, ok := EndpointIn(r.g, dst, r.g.Nodes[r.g.Endpoints+sw].Plane, r.down)
	if !ok {
		return nil
	}
	leaf := int(far.Node) - r.g.Endpoints
	if leaf == sw {
		return []uint16{uint16(far.Port)}
	}
	return r.ports[sw][leaf]
}

// ToLeaf is the ports of a switch for the endpoints of another one.
func (r *Detours) ToLeaf(sw, leaf int) []uint16 { return r.ports[sw][leaf] }

// Distances are the lengths of the paths of all switches to the endpoints of one, -1 without a path; nil if it has none. They
// fall along every path.
func (r *Detours) Distances(leaf int) []int32 { return r.dist[leaf] }

// hasEndpoint reports whether a switch has a cable to an endpoint.
func (r *Detours) hasEndpoint(sw int) bool {
	for port, c := range r.g.Nodes[r.g.Endpoints+sw].Cables {
		if c < 0 {
			continue
		}
		if far, _, _ := r.g.Peer(topology.End{Node: topology.NodeID(r.g.Endpoints + sw), Port: int32(port)}); int(far.Node) < r.g.Endpoints {
			return true
		}
	}
	return false
}

// EndpointIn is the port of a plane's switch with a working cable to an endpoint.
func EndpointIn(g *topology.Graph, dst int, plane int32, down []bool) (topology.End, bool) {
	for port, c := range g.Nodes[dst].Cables {
		if c < 0 || down[c] {
			continue
		}
		far, _, _ := g.Peer(topology.End{Node: topology.NodeID(dst), Port: int32(port)})
		if g.Planes <= 1 || g.Nodes[far.Node].Plane == plane {
			return far, true
		}
	}
	return topology.End{}, false
}

// Neighbours calls f for each working cable of a switch to another switch.
func Neighbours(g *topology.Graph, down []bool, sw int32, f func(port uint16, far int32)) {
	for port, c := range g.Nodes[g.Endpoints+int(sw)].Cables {
		if c < 0 || down[c] {
			continue
		}
		end := topology.End{Node: topology.NodeID(g.Endpoints + int(sw)), Port: int32(port)}
		if far, _, _ := g.Peer(end); int(far.Node) >= g.Endpoints {
			f(uint16(port), int32(far.Node)-int32(g.Endpoints))
		}
	}
}

func (r *Detours) neighbours(sw int32, f func(port uint16, far int32)) {
	Neighbours(r.g, r.down, sw, f)
}

func (r *Detours) level(sw int32) int8 { return r.g.Nodes[r.g.Endpoints+int(sw)].Level }

// detourWalk is the search for the paths to one leaf.
type detourWalk struct {
	r     *Detours
	dist  []int32 // by switch: -1 if no path is known
	queue []int32
}

// begin resets the search and starts it at a leaf.
func (w *detourWalk) begin(leaf int32) {
	for i := range w.dist {
		w.dist[i] = -1
	}
	w.dist[leaf] = 0
	w.queue = append(w.queue[:0], leaf)
}

// upAndDown finds the paths to a leaf of a tree: first the paths that only go down, from the leaf
// up; then, from the top down, the paths of the switches that must go up first.
func (w *detourWalk) upAndDown(leaf int32) {
	r := w.r
	w.begin(leaf)
	for i := 0; i < len(w.queue); i++ {
		y := w.queue[i]
		r.neighbours(y, func(_ uint16, x int32) {
			if r.level(x) > r.level(y) && w.dist[x] < 0 {
				w.dist[x] = w.dist[y] + 1
				w.queue = append(w.queue, x)
			}
		})
	}
	for _, x := range w.queue[1:] {
		w.take(x, leaf, false)
	}
	for level := w.top(); level >= 1; level-- {
		for x := range int32(len(w.dist)) {
			if w.dist[x] < 0 && r.level(x) == level {
				w.take(x, leaf, true)
			}
		}
	}
	for r.mixed && w.outward(leaf) {
	}
}

// outward lets the switches without a path take one over neighbours that have one, and reports whether any could.
func (w *detourWalk) outward(leaf int32) (found bool) {
	before := slices.Clone(w.dist)
	for x := range int32(len(w.dist)) {
		if before[x] >= 0 {
			continue
		}
		best, ports := int32(-1), []uint16(nil)
		w.r.neighbours(x, func(port uint16, y int32) {
			switch d := before[y]; {
			case d < 0:
			case best < 0 || d < best:
				best, ports = d, []uint16{port}
			case d == best:
				ports = append(ports, port)
			}
		})
		if best >= 0 {
			w.dist[x], w.r.ports[x][leaf], found = best+1, ports, true
		}
	}
	return found
}

func (w *detourWalk) top() (top int8) {
	for x := range int32(len(w.dist)) {
		top = max(top, w.r.level(x))
	}
	return top
}

// take records the ports of a switch with the shortest paths to a leaf, among the ports up or the
// ports down.
func (w *detourWalk) take(x, leaf int32, up bool) {
	best, ports := int32(-1), []uint16(nil)
	w.r.neighbours(x, func(port uint16, y int32) {
		d := w.dist[y]
		if d < 0 || (w.r.level(y) > w.r.level(x)) != up || w.r.level(y) == w.r.level(x) {
			return
		}
		if best < 0 || d < best {
			best, ports = d, ports[:0]
		}
		if d == best {
			ports = append(ports, port)
		}
	})
	if best >= 0 {
		w.dist[x] = best + 1
		w.r.ports[x][leaf] = slices.Clip(ports)
	}
}

// shortest finds the paths to a leaf of a fabric without levels: from the leaf on, in rounds. A
// switch with a shorter path than known makes its neighbours be examined again.
func (w *detourWalk) shortest(leaf int32) {
	r := w.r
	w.begin(leaf)
	for i := 0; i < len(w.queue); i++ {
		y := w.queue[i]
		r.neighbours(y, func(port uint16, x int32) {
			if d := w.dist[y] + r.length(y, port); w.dist[x] < 0 || d < w.dist[x] {
				w.dist[x] = d
				w.queue = append(w.queue, x)
			}
		})
	}
	for x := range int32(len(w.dist)) {
		if x == leaf || w.dist[x] < 0 {
			continue
		}
		var ports []uint16
		r.neighbours(x, func(port uint16, y int32) {
			if w.dist[y] >= 0 && w.dist[y]+r.length(x, port) == w.dist[x] {
				ports = append(ports, port)
			}
		})
		r.ports[x][leaf] = slices.Clip(ports)
	}
}

// length is the length of the cable at a port of a switch: a cable between groups is longer than
// any path within them.
func (r *Detours) length(sw int32, port uint16) int32 {
	at := topology.End{Node: topology.NodeID(r.g.Endpoints + int(sw)), Port: int32(port)}
	if _, c, _ := r.g.Peer(at); r.g.KindOf(r.g.Cables[c]) == topology.Global {
		return int32(r.g.Switches())
	}
	return 1
}
