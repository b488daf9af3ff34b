package sm

import (
	"bytes"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// written is what a switch's tables hold, as far as this manager wrote them.
type written struct {
	top   units.LID
	lft   []uint8 // by LID
	known []bool  // by block of lft
	sl2vl map[uint32]mad.SLToVL
	arb   map[uint32]mad.VLArb
	mft   map[uint32]mad.MulticastFDB
}

// forget says that nothing is known any more: all is written again.
func (w *written) forget() { *w = written{} }

// cursor is how far the phase program has got: blocks are made one at a time,
// as the window asks for them, since a large subnet has millions.
type cursor struct {
	sw    int // in the dense order of tables
	block int
	lanes bool // all blocks have been sent, and lanes are queued
}

// enterProgram writes what routing computed: the top of each switch's table, block
// after block of forwarding tables, then the lanes. As OpenSM (osm_state_mgr.c:
// osm_ucast_mgr_process, then osm_qos_setup) it does not wait in between for the
// answers to the blocks.
func (m *Manager) enterProgram() {
	m.phase, m.cursor = program, cursor{}
	m.plantTrees()
	for dense, at := range m.tables.Switch {
		i := m.at[at]
		n := m.nodes[i]
		w := m.writtenTo(n)
		if w.top != 0 && w.top != n.sw.LinearFDBTop {
			w.forget() // the switch was restarted, or someone else wrote to it
		}
		if n.sw.LinearFDBTop != m.tables.Top || n.sw.LifeTime != packetLifetime {
			n.sw.LinearFDBTop, n.sw.LifeTime = m.tables.Top, packetLifetime
			want := n.sw
			want.PortStateChange = false
			m.ask(m.set(i, mad.AttrSwitchInfo, 0, 0, &want))
		}
		w.top = m.tables.Top
		m.writeMulticast(i, dense, w)
	}
}

// nextProgram is the next block, and after the last the first request for lanes.
func (m *Manager) nextProgram() (request, bool) {
	if r, more := m.nextBlock(); more {
		return r, true
	}
	if m.cursor.lanes {
		return request{}, false
	}
	m.cursor.lanes = true
	m.writeLanes()
	return m.dequeue()
}

// writtenTo is what a node holds.
func (m *Manager) writtenTo(n *node) *written {
	w := m.written[n.info.NodeGUID]
	if w == nil {
		w = &written{}
		m.written[n.info.NodeGUID] = w
	}
	return w
}

// writeMulticast writes the blocks of a switch's multicast table that changed.
func (m *Manager) writeMulticast(i int32, dense int, w *written) {
	blocks := m.multicastBlocks(dense, w)
	if w.mft == nil {
		w.mft = map[uint32]mad.MulticastFDB{}
	}
	for _, b := range blocks {
		if had, ok := w.mft[b.modifier]; (ok || b.table == (mad.MulticastFDB{})) && had == b.table {
			continue
		}
		w.mft[b.modifier] = b.table
		m.ask(m.set(i, mad.AttrMulticastFDB, b.modifier, 0, &b.table))
	}
}

// nextBlock is the next block of a linear forwarding table that differs from
// what the switch holds.
func (m *Manager) nextBlock() (request, bool) {
	for ; m.cursor.sw < len(m.tables.Switch); m.cursor = (cursor{sw: m.cursor.sw + 1}) {
		i := m.at[m.tables.Switch[m.cursor.sw]]
		w := m.written[m.nodes[i].info.NodeGUID]
		table := m.tables.LFT[m.cursor.sw]
		for ; m.cursor.block*mad.LIDsPerBlock < len(table); m.cursor.block++ {
			block := linearBlock(table, m.cursor.block)
			if w.holds(m.cursor.block, &block) {
				continue
			}
			r := m.set(i, mad.AttrLinearFDB, uint32(m.cursor.block), 0, &block)
			m.cursor.block++
			return r, true
		}
	}
	return request{}, false
}

// linearBlock is a block of a table; what is behind its end goes nowhere.
func linearBlock(table []uint8, block int) mad.LinearFDB {
	var b mad.LinearFDB
	have := copy(b[:], table[block*mad.LIDsPerBlock:])
	for i := have; i < len(b); i++ {
		b[i] = subnet.NoPort
	}
	return b
}

// holds reports whether a switch is known to hold a block.
func (w *written) holds(block int, b *mad.LinearFDB) bool {
	return block < len(w.known) && w.known[block] && bytes.Equal(w.lft[block*mad.LIDsPerBlock:(block+1)*mad.LIDsPerBlock], b[:])
}

// wroteBlock notes a block that a switch has taken.
func (m *Manager) wroteBlock(r *request) {
	w := m.written[m.guidOf(r.node)]
	block := int(r.modifier)
	for block >= len(w.known) {
		w.known = append(w.known, false)
		w.lft = append(w.lft, make([]uint8, mad.LIDsPerBlock)...)
	}
	w.known[block] = true
	copy(w.lft[block*mad.LIDsPerBlock:], r.data[:])
}
