package audit

import (
	"weft/internal/routing"
	"weft/internal/topology"
	"weft/scenario"
)

// traffic are the cables of the fabric that packets between some of its NICs can
// take, by cable and direction: 2c from A to B, 2c+1 back. Where switches choose
// among ports, all that they choose among count.
func (w *world) traffic(nics []int) []bool {
	used := make([]bool, 2*len(w.Graph.Cables))
	seen := make([]int, w.Tables.Switches) // 1 + the last destination that passed
	var stack []int
	for d, to := range nics {
		enter := func(end topology.End) {
			peer, c, ok := w.Graph.Peer(end)
			if !ok {
				return
			}
			used[direction(w.Graph, c, end)] = true
			if sw := int(peer.Node) - w.Graph.Endpoints; sw >= 0 && seen[sw] != d+1 {
				seen[sw] = d + 1
				stack = append(stack, sw)
			}
		}
		var buf [16]uint16
		for _, from := range nics {
			if from == to || !w.joined(from, to) {
				continue
			}
			for _, port := range routing.FirstPorts(w.Graph, w.Tables, from, to, buf[:0]) {
				enter(topology.End{Node: topology.NodeID(from), Port: int32(port)})
			}
		}
		for len(stack) > 0 {
			sw := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, port := range w.choices(sw, to) {
				enter(topology.End{Node: topology.NodeID(w.Graph.Endpoints + sw), Port: int32(port)})
			}
		}
	}
	return used
}

// choices are the ports by which a switch may send to a NIC.
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
func (w *world) shared(a, b []int) (steps []Step) {
	ofA, ofB := w.traffic(w.nics(a)), w.traffic(w.nics(b))
	for i := range ofA {
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

// nics are those of some nodes that are NICs of the fabric.
func (w *world) nics(nodes []int) (out []int) {
	for _, at := range nodes {
		if at < w.Graph.Endpoints {
			out = append(out, at)
		}
	}
	return out
}
