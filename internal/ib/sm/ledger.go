package sm

import (
	"bytes"

	"weft/units"
	"weft/wire/mad"
)

// ledger is the contents of nodes' tables that this manager has written, by node GUID.
type ledger map[units.GUID]*written

// of is the entry of a node; it makes the entry if there is none.
func (l ledger) of(n *node) *written {
	w := l[n.info.NodeGUID]
	if w == nil {
		w = &written{}
		l[n.info.NodeGUID] = w
	}
	return w
}

// written is the contents of a node's tables.
type written struct {
	top   units.LID
	lft   []uint8 // by LID
	known []bool  // by block of lft
	sl2vl map[uint32]mad.SLToVL
	arb   map[uint32]mad.VLArb
	mft   map[uint32]mad.MulticastFDB
}

// forget marks all contents as unknown, so that they are written again.
func (w *written) forget() { *w = written{} }

// holds reports whether a switch is known to hold a block.
func (w *written) holds(block int, b *mad.LinearFDB) bool {
	return block < len(w.known) && w.known[block] && bytes.Equal(w.lft[block*mad.LIDsPerBlock:(block+1)*mad.LIDsPerBlock], b[:])
}

// tookBlock notes a block of the linear forwarding table that a switch has taken.
func (w *written) tookBlock(r *request) {
	block := int(r.modifier)
	for block >= len(w.known) {
		w.known = append(w.known, false)
		w.lft = append(w.lft, make([]uint8, mad.LIDsPerBlock)...)
	}
	w.known[block] = true
	copy(w.lft[block*mad.LIDsPerBlock:], r.data[:])
}
