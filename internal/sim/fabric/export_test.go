package fabric

import (
	"weft/internal/sim/state"
	"weft/internal/sim/transport"
	"weft/units"
)

// LookAhead makes a network look ahead, however few links it has.
func (n *Network) LookAhead() {
	for _, p := range n.parts {
		p.wide = true
	}
}

// Cell is the cell of a node.
func (n *Network) Cell(node int) uint16 { return n.nodes[node].cell }

// HandleAlike makes no switch handle the events of its cell itself.
func (n *Network) HandleAlike() { clear(n.alone) }

// JoinCells puts all nodes into one cell.
func (n *Network) JoinCells() { n.join() }

// Alone is the number of switches that handle the events of their cells themselves.
func (n *Network) Alone() (count int) {
	for _, nd := range n.alone {
		if nd != nil {
			count++
		}
	}
	return count
}

// Changed compares the network's state with itself after a change of the packets on its wires: it is the first field
// that differs, and the number of packets.
func (n *Network) Changed(now units.Time, app Periodic, change func(h *transport.Packet)) (where string, packets int) {
	n.SkipPeriods(app, 1)
	record := state.Record(now, nil)
	n.walk(record)
	for _, p := range n.parts {
		for i := range p.pool.hot {
			if p.pool.hot[i].role == roleData {
				change(&p.pool.cold[i])
				packets++
			}
		}
	}
	w := state.Compare(now, record, nil)
	n.walk(w)
	return w.Where(), packets
}
