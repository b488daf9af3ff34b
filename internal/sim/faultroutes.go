package sim

import (
	"slices"

	"weft/internal/topology"
)

// treeRoutes are the shortest ways of a tree that go up and then down, never up
// again: what up/down routing and what eBGP finds where switches of one level share
// a number of an autonomous system (RFC 7938, 5.2.1), so that none passes a route
// on to another of its level. The ports of a switch ascend.
type treeRoutes struct {
	g    *topology.Graph
	down []bool // by cable: does not work
	// ports are the ways of each switch to each leaf, by switch and leaf; nil
	// where there is none.
	ports [][][]uint16
}

// newTreeRoutes finds the ways around cables that do not work.
func newTreeRoutes(g *topology.Graph, down []bool) *treeRoutes {
	r := &treeRoutes{g: g, down: down, ports: make([][][]uint16, g.Switches())}
	for s := range r.ports {
		r.ports[s] = make([][]uint16, g.Switches())
	}
	w := treeWalk{r: r, dist: make([]int32, g.Switches())}
	for leaf := range g.Switches() {
		if g.Nodes[g.Endpoints+leaf].Level == 1 {
			w.toLeaf(int32(leaf))
		}
	}
	return r
}

// set is the ports of a switch for an endpoint.
func (r *treeRoutes) set(sw, dst int) []uint16 {
	c := r.g.Nodes[dst].Cables[0]
	if c < 0 || r.down[c] {
		return nil
	}
	far, _, _ := r.g.Peer(topology.End{Node: topology.NodeID(dst)})
	leaf := int(far.Node) - r.g.Endpoints
	if leaf == sw {
		return []uint16{uint16(far.Port)}
	}
	return r.ports[sw][leaf]
}

// neighbours calls f for each cable of a switch that works and leads to another.
func (r *treeRoutes) neighbours(sw int32, f func(port uint16, far int32)) {
	for port, c := range r.g.Nodes[r.g.Endpoints+int(sw)].Cables {
		if c < 0 || r.down[c] {
			continue
		}
		end := topology.End{Node: topology.NodeID(r.g.Endpoints + int(sw)), Port: int32(port)}
		if far, _, _ := r.g.Peer(end); int(far.Node) >= r.g.Endpoints {
			f(uint16(port), int32(far.Node)-int32(r.g.Endpoints))
		}
	}
}

func (r *treeRoutes) level(sw int32) int8 { return r.g.Nodes[r.g.Endpoints+int(sw)].Level }

// treeWalk is the search for the ways to one leaf.
type treeWalk struct {
	r     *treeRoutes
	dist  []int32 // by switch: -1 where no way is known
	queue []int32
}

// toLeaf finds the ways to a leaf: first those that only go down, from the leaf up;
// then, from the top down, those of the switches that must go up first.
func (w *treeWalk) toLeaf(leaf int32) {
	r := w.r
	for i := range w.dist {
		w.dist[i] = -1
	}
	w.dist[leaf] = 0
	w.queue = append(w.queue[:0], leaf)
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
}

func (w *treeWalk) top() (top int8) {
	for x := range int32(len(w.dist)) {
		top = max(top, w.r.level(x))
	}
	return top
}

// take notes the ports of a switch that lead closest to a leaf, of those that lead
// up or those that lead down.
func (w *treeWalk) take(x, leaf int32, up bool) {
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
