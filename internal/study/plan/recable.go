package plan

import (
	"cmp"
	"fmt"
	"maps"

	"weft/internal/base/sorting"
	"weft/internal/base/topology"
)

// Action is what is done with a cable.
type Action string

// The actions.
const (
	AddCable    Action = "add"
	MoveCable   Action = "move"   // the end at From or To goes to another port
	RemoveCable Action = "remove" // no place is left for it
)

// CableStep is what is done with one cable. Ends are written as "leaf0 port 3", ports counted from 1.
type CableStep struct {
	Action   Action
	Kind     topology.CableKind
	From, To string // From is the lower end
	Was      string // of a moved cable: the switch and port of its upper end before
}

// end is a port of a named device.
type end struct {
	name string
	port int32
}

func (e end) text() string { return fmt.Sprintf("%s port %d", e.name, e.port+1) }

// wire is a cable by the names of its devices.
type wire struct {
	kind     topology.CableKind
	low, up  end
	was      end  // before it moved
	endpoint bool // the lower end is a NIC, whose port does not change
}

// recabled is the work that makes a network from the cables that are there, by the names of the devices, and the cables that are there
// after it.
func recabled(there []wire, after *topology.Graph) ([]CableStep, []wire) {
	left := map[[2]string][]wire{} // by both devices
	for _, w := range there {
		k := [2]string{w.low.name, w.up.name}
		left[k] = append(left[k], w)
	}
	var kept, open []wire
	for _, w := range wires(after) {
		k := [2]string{w.low.name, w.up.name}
		if own := left[k]; len(own) > 0 {
			kept = append(kept, own[0])
			left[k] = own[1:]
		} else {
			open = append(open, w)
		}
	}
	spare := map[string][]wire{} // cables without a place, by their lower device
	for _, w := range there {    // in the order of the network
		k := [2]string{w.low.name, w.up.name}
		if own := left[k]; len(own) > 0 && own[0] == w {
			spare[lowKey(w)] = append(spare[lowKey(w)], w)
			left[k] = own[1:]
		}
	}
	return steps(after, kept, open, spare)
}

// lowKey is the lower end of a cable: of a NIC its port, of a switch all its ports.
func lowKey(w wire) string {
	if w.endpoint {
		return w.low.text()
	}
	return w.low.name
}

// steps gives ports to the cables that are moved and added: their own, or the next free one of the device.
func steps(g *topology.Graph, kept, open []wire, spare map[string][]wire) (out []CableStep, now []wire) {
	now = kept
	taken := map[end]bool{}
	for _, w := range kept {
		taken[w.low], taken[w.up] = true, true
	}
	var moved, added []wire
	for _, w := range open {
		if own := spare[lowKey(w)]; len(own) > 0 {
			spare[lowKey(w)] = own[1:]
			w.was, w.low = own[0].up, own[0].low
			taken[w.low] = true
			moved = append(moved, w)
		} else {
			added = append(added, w)
		}
	}
	ports := map[string]int32{}
	for i := range g.Nodes {
		ports[g.Nodes[i].Name] = int32(len(g.Nodes[i].Cables))
	}
	place := func(e end) end {
		for taken[e] { // its port has another cable, of before; the switch has as many ports as cables at least
			e.port = (e.port + 1) % ports[e.name]
		}
		taken[e] = true
		return e
	}
	for _, w := range moved {
		w.up = place(w.up)
		now = append(now, w)
		out = append(out, CableStep{MoveCable, w.kind, w.low.text(), w.up.text(), w.was.text()})
	}
	for _, w := range added {
		if !w.endpoint {
			w.low = place(w.low)
		}
		w.up = place(w.up)
		now = append(now, w)
		out = append(out, CableStep{AddCable, w.kind, w.low.text(), w.up.text(), ""})
	}
	var rest []wire
	for _, own := range spare {
		rest = append(rest, own...)
	}
	sorting.Func(rest, func(a, b wire) int {
		return cmp.Or(cmp.Compare(a.low.name, b.low.name), cmp.Compare(a.low.port, b.low.port))
	})
	for _, w := range rest {
		out = append(out, CableStep{RemoveCable, w.kind, w.low.text(), w.up.text(), ""})
	}
	return out, now
}

// wires are the cables of a graph.
func wires(g *topology.Graph) (out []wire) {
	for _, c := range g.Cables {
		low, up := c.A, c.B
		if g.Nodes[low.Node].Level > g.Nodes[up.Node].Level {
			low, up = up, low
		}
		out = append(out, wire{
			kind: g.KindOf(c), low: end{g.Nodes[low.Node].Name, low.Port}, up: end{g.Nodes[up.Node].Name, up.Port},
			endpoint: g.Nodes[low.Node].Level == 0,
		})
	}
	return out
}

// rename gives the switches of a network the names of the switches of a later one that take their place: of a leaf the one
// that shares the most cables to NICs, so that the fewest move; of the others the next of the same level and plane.
func rename(before, after *topology.Graph) {
	names, taken := map[topology.NodeID]string{}, map[topology.NodeID]bool{}
	take := func(b, a topology.NodeID) {
		if names[b] == "" && !taken[a] {
			names[b], taken[a] = after.Nodes[a].Name, true
		}
	}
	for _, p := range overlaps(before, after) {
		take(p[0], p[1])
	}
	for b := topology.NodeID(before.Endpoints); int(b) < len(before.Nodes); b++ {
		for a := topology.NodeID(after.Endpoints); names[b] == "" && int(a) < len(after.Nodes); a++ {
			if x, y := &before.Nodes[b], &after.Nodes[a]; x.Level == y.Level && x.Plane == y.Plane {
				take(b, a)
			}
		}
	}
	for n, name := range names {
		before.Nodes[n].Name = name
	}
}

// overlaps are pairs of leaves of two networks with the same NICs, those with the most first.
func overlaps(before, after *topology.Graph) [][2]topology.NodeID {
	leaf := func(g *topology.Graph, e int, port int) topology.NodeID {
		peer, _, _ := g.Peer(topology.End{Node: topology.NodeID(e), Port: int32(port)})
		return peer.Node
	}
	shared := map[[2]topology.NodeID]int{}
	for e := range min(before.Endpoints, after.Endpoints) {
		for port := range before.Nodes[e].Cables {
			shared[[2]topology.NodeID{leaf(before, e, port), leaf(after, e, port)}]++
		}
	}
	return sorting.Sorted(maps.Keys(shared), func(a, b [2]topology.NodeID) int {
		return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
}
