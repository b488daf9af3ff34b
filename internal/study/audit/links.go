package audit

import (
	"weft/internal/base/topology"
	"weft/internal/sim/routing"
	"weft/scenario"
)

// traffic are the cables of the fabric that packets between some of its NICs can take, by cable and
// direction: 2c from A to B, 2c+1 back. If a switch chooses among ports, all of them count.
func (w *world) traffic(nics []int) []bool {
	used := make([]bool, 2*len(w.Graph.Cables))
	seen := make([]int, w.Tables.Switches) // 1 + the last destination that passed
	var stack []int
	visit := func(sw, mark int) {
		if seen[sw] != mark {
			seen[sw] = mark
			stack = append(stack, sw)
		}
	}
	for d, to := range nics {
		for _, from := range nics {
			if from == to || !w.joined(from, to) {
				continue
			}
			for _, up := range w.up[from] {
				if w.Tables.Static(up.sw, to) != routing.NoPort {
					used[up.direction] = true
					visit(up.sw, d+1)
				}
			}
		}
		for len(stack) > 0 {
			sw := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, port := range w.choices(sw, to) {
				end := topology.End{Node: topology.NodeID(w.Graph.Endpoints + sw), Port: int32(port)}
				if peer, c, ok := w.Graph.Peer(end); ok {
					used[direction(w.Graph, c, end)] = true
					if next := int(peer.Node) - w.Graph.Endpoints; next >= 0 {
						visit(next, d+1)
					}
				}
			}
		}
	}
	return used
}

// choices are the ports through which a switch may send to a NIC.
func (w *world) choices(sw, to int) []uint16 {
	if w.fabric.Routing.Mode != scenario.Deterministic {
		return w.Tables.Minimal(sw, to)
	}
	if port := w.Tables.Static(sw, to); port != routing.NoPort {
		return []uint16{port}
	}
	return nil
}

// direction is the index of a cable in the direction out of a port.
func direction(g *topology.Graph, cable int32, out topology.End) int32 {
	if g.Cables[cable].A == out {
		return 2 * cable
	}
	return 2*cable + 1
}

// shared are the cables, each in a direction, that carry the traffic within each
// of two zones.
func (w *world) shared(a, b zone) (steps []Step) {
	ofA, ofB := w.trafficOf(a), w.trafficOf(b)
	for i := range min(len(ofA), len(ofB)) {
		if !ofA[i] || !ofB[i] {
			continue
		}
		c := &w.Graph.Cables[i/2]
		out := c.A
		if i%2 == 1 {
			out = c.B
		}
		steps = append(steps, w.step(out, "traffic of both"))
	}
	return steps
}

// trafficOf is the traffic within a zone; nil if it has fewer than two NICs.
func (w *world) trafficOf(z zone) []bool {
	if used, known := w.used[z.name]; known {
		return used
	}
	var used []bool
	if nics := w.nics(z.members); len(nics) > 1 {
		used = w.traffic(nics)
	}
	w.used[z.name] = used
	return used
}

// nics are the nodes that are NICs of the fabric.
func (w *world) nics(nodes []int) (out []int) {
	for _, at := range nodes {
		if at < w.Graph.Endpoints {
			out = append(out, at)
		}
	}
	return out
}
