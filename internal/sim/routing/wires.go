package routing

import (
	"sort"

	"weft/internal/base/topology"
)

// wires is the graph in the form for routing: switches only, numbered from 0, and destinations in
// classes with the same routes up to the last hop.
type wires struct {
	g        *topology.Graph
	switches int
	first    []int32 // by switch: its first port in peer
	peer     []int32 // by first+port: the switch there, or -1
	level    []int8
	group    []int32
	classes  []class
	order    []int32 // by destination: its number in the order of spreading
}

// class is the destinations on one leaf (in a graph of planes: on one leaf of
// each plane).
type class struct {
	leaves []int32
	dests  []int32 // in the order of spreading
}

func newWires(g *topology.Graph) *wires {
	w := &wires{g: g, switches: g.Switches()}
	for s := range w.switches {
		n := &g.Nodes[g.Endpoints+s]
		w.first = append(w.first, int32(len(w.peer)))
		w.level = append(w.level, n.Level)
		w.group = append(w.group, n.Group)
		for p := range n.Cables {
			far := int32(-1)
			if e, _, ok := g.Peer(topology.End{Node: topology.NodeID(g.Endpoints + s), Port: int32(p)}); ok {
				far = int32(e.Node) - int32(g.Endpoints)
			}
			w.peer = append(w.peer, max(far, -1))
		}
	}
	w.first = append(w.first, int32(len(w.peer)))
	w.classify()
	return w
}

// peers are the switches at the ports of s, -1 at other ports.
func (w *wires) peers(s int) []int32 { return w.peer[w.first[s]:w.first[s+1]] }

// leavesOf are the switches of an endpoint.
func (w *wires) leavesOf(e int32, buf []int32) []int32 {
	for p := range w.g.Nodes[e].Cables {
		if far, _, ok := w.g.Peer(topology.End{Node: topology.NodeID(e), Port: int32(p)}); ok {
			if s := int32(far.Node) - int32(w.g.Endpoints); s >= 0 {
				buf = append(buf, s)
			}
		}
	}
	return buf
}

// portsTo are the ports of switch s with cables to endpoint e.
func (w *wires) portsTo(s int, e int32, buf []uint16) []uint16 {
	for p := range w.g.Nodes[e].Cables {
		if far, _, ok := w.g.Peer(topology.End{Node: topology.NodeID(e), Port: int32(p)}); ok && int(far.Node) == w.g.Endpoints+s {
			buf = append(buf, uint16(far.Port))
		}
	}
	return buf
}

// classify finds the classes and numbers the destinations.
func (w *wires) classify() {
	type attached struct {
		dest, above, leaf, port int32
		leaves                  []int32
	}
	var all []attached
	for e := range int32(w.g.Endpoints) {
		leaves := w.leavesOf(e, nil)
		if len(leaves) == 0 {
			continue
		}
		a := attached{dest: e, leaf: leaves[0], leaves: leaves}
		a.port = int32(w.portsTo(int(a.leaf), e, nil)[0])
		a.above = w.lowestAbove(a.leaf)
		all = append(all, a)
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		switch {
		case a.above != b.above:
			return a.above < b.above
		case a.leaf != b.leaf:
			return a.leaf < b.leaf
		}
		return a.port < b.port
	})
	w.order = make([]int32, w.g.Endpoints)
	known := map[string]int{}
	for v, a := range all {
		w.order[a.dest] = int32(v)
		key := make([]byte, 0, 8)
		for _, l := range a.leaves {
			key = append(key, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
		}
		i, ok := known[string(key)]
		if !ok {
			i = len(w.classes)
			known[string(key)] = i
			w.classes = append(w.classes, class{leaves: a.leaves})
		}
		w.classes[i].dests = append(w.classes[i].dests, a.dest)
	}
}

// lowestAbove is the lowest-numbered switch of the next level at s: it is the same for all leaves
// of a pod.
func (w *wires) lowestAbove(s int32) int32 {
	low := int32(w.switches)
	for _, y := range w.peers(int(s)) {
		if y >= 0 && w.level[y] > w.level[s] {
			low = min(low, y)
		}
	}
	return low
}

// allowed reports whether a packet to a class may go from switch x to y. Only dragonflies restrict
// it: from a third group into the destination's, or within one of the two.
func (w *wires) allowed(x, y int32, c *class) bool {
	if w.g.Family != topology.FamilyDragonfly && w.g.Family != topology.FamilyDragonflyPlus {
		return true
	}
	to := w.group[c.leaves[0]]
	return w.group[y] == to || w.group[x] != to && w.group[x] == w.group[y]
}

// distances fills dist with the hops of every switch to the class's leaves, -1 if there is no path.
func (w *wires) distances(c *class, dist, queue []int32) []int32 {
	for i := range dist {
		dist[i] = -1
	}
	queue = queue[:0]
	for _, l := range c.leaves {
		if dist[l] < 0 {
			dist[l] = 0
			queue = append(queue, l)
		}
	}
	for i := 0; i < len(queue); i++ {
		y := queue[i]
		for _, x := range w.peers(int(y)) {
			if x >= 0 && dist[x] < 0 && w.allowed(x, y, c) {
				dist[x] = dist[y] + 1
				queue = append(queue, x)
			}
		}
	}
	return queue
}

// minimal is the ports of s that lead one hop closer to the class.
func (w *wires) minimal(s int, c *class, dist []int32, buf []uint16) []uint16 {
	for p, y := range w.peers(s) {
		if y >= 0 && dist[y] == dist[s]-1 && w.allowed(int32(s), y, c) {
			buf = append(buf, uint16(p))
		}
	}
	return buf
}

// across is the port at the other side of the cable at port p of switch s.
func (w *wires) across(s int32, p uint16) uint16 {
	far, _, _ := w.g.Peer(topology.End{Node: topology.NodeID(w.g.Endpoints) + topology.NodeID(s), Port: int32(p)})
	return uint16(far.Port)
}

// plane is the plane of a switch.
func (w *wires) plane(s int32) int32 { return w.g.Nodes[w.g.Endpoints+int(s)].Plane }
