package audit

import "weft/internal/base/topology"

// cableMoves are the moves from a node by cables alone: over each of its cables, and through its
// machine. A packet ends at a machine that does not forward.
func (w *world) cableMoves(_ *search, s state, found func(move)) {
	w.throughMachine(s, found)
	if w.nodes[s.node].kind == endKind && !s.out {
		return
	}
	if s.node < len(w.Graph.Nodes) {
		w.fabricCables(s.node, func(to int, step func() []Step) {
			found(move{state{node: to}, step})
		})
	}
	for _, c := range w.nodes[s.node].cables {
		c := &w.cables[c]
		side := c.other(s.node)
		found(move{state{node: c.ends[side]}, w.across(c, side, "cable")})
	}
}

// throughMachine are the moves from one port of a forwarding machine to its others.
func (w *world) throughMachine(s state, found func(move)) {
	if w.nodes[s.node].kind != endKind || !w.forwards(s.node) {
		return
	}
	machine := w.nodes[s.node].machine
	for _, at := range w.machines[machine] {
		steps := func() []Step {
			if at == s.node {
				return nil
			}
			return []Step{{w.nodes[s.node].name, w.nodes[at].name, machine + " forwards"}}
		}
		found(move{state{node: at, out: true}, steps})
	}
}

// fabricCables are the nodes at the other ends of a node's cables of the fabric.
func (w *world) fabricCables(at int, found func(to int, step func() []Step)) {
	for port := range w.Graph.Nodes[at].Cables {
		peer, _, ok := w.Graph.Peer(topology.End{Node: topology.NodeID(at), Port: int32(port)})
		if ok {
			found(int(peer.Node), func() []Step {
				return []Step{{w.portName(at, port+1), w.portName(int(peer.Node), int(peer.Port)+1), "cable"}}
			})
		}
	}
}

// across is the step over a cable to one of its sides.
func (w *world) across(c *cable, side int, by string) func() []Step {
	return func() []Step {
		return []Step{{w.portName(c.ends[1-side], c.ports[1-side]), w.portName(c.ends[side], c.ports[side]), by}}
	}
}

// cableStarts are the states in which a search by cables begins.
func cableStarts(members []int) (starts []state) {
	for _, at := range members {
		starts = append(starts, state{node: at, out: true})
	}
	return starts
}
