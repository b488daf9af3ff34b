package sm

import (
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// delivery writes the tables of switches: changed blocks only.
type delivery struct {
	*writer
	trees   *trees
	lanes   *laneTables
	written ledger
	cursor  cursor

	packetLife uint8
}

// cursor is the progress of the phase program. Blocks are made one at a time, when the window has
// room: a large subnet has millions.
type cursor struct {
	sw    int // number of the switch in the tables
	block int
	lanes bool // all blocks have been sent, and lanes are queued
}

// start queues the first requests: LinearFDBTop of each switch and the multicast tables. next makes
// the blocks of the linear tables and the lanes. Like OpenSM (osm_state_mgr.c:
// osm_ucast_mgr_process, then osm_qos_setup) it does not wait for the answers to the blocks before
// it writes lanes.
func (d *delivery) start() {
	d.cursor = cursor{}
	d.trees.compute()
	for dense, at := range d.tables.Switch {
		i := d.at[at]
		n := d.nodes[i]
		w := d.written.of(n)
		if w.top != 0 && w.top != n.sw.LinearFDBTop {
			w.forget() // the switch was restarted, or another manager wrote to it
		}
		if n.sw.LinearFDBTop != d.tables.Top || n.sw.LifeTime != d.packetLife {
			n.sw.LinearFDBTop, n.sw.LifeTime = d.tables.Top, d.packetLife
			want := n.sw
			want.PortStateChange = false
			d.ask(d.set(i, mad.AttrSwitchInfo, 0, 0, &want))
		}
		w.top = d.tables.Top
		d.trees.write(i, dense, w)
	}
}

// next is the next block, and after the last the first request for lanes.
func (d *delivery) next() (request, bool) {
	if r, more := d.nextBlock(); more {
		return r, true
	}
	if d.cursor.lanes {
		return request{}, false
	}
	d.cursor.lanes = true
	d.lanes.write()
	return d.dequeue()
}

// nextBlock is the next block of a linear forwarding table that differs from the block in
// the switch.
func (d *delivery) nextBlock() (request, bool) {
	for ; d.cursor.sw < len(d.tables.Switch); d.cursor = (cursor{sw: d.cursor.sw + 1}) {
		i := d.at[d.tables.Switch[d.cursor.sw]]
		w := d.written[d.nodes[i].info.NodeGUID]
		table := d.tables.LFT[d.cursor.sw]
		for ; d.cursor.block*mad.LIDsPerBlock < len(table); d.cursor.block++ {
			block := linearBlock(table, d.cursor.block)
			if w.holds(d.cursor.block, &block) {
				continue
			}
			r := d.set(i, mad.AttrLinearFDB, uint32(d.cursor.block), 0, &block)
			d.cursor.block++
			return r, true
		}
	}
	return request{}, false
}

// linearBlock is a block of a table; LIDs beyond its end have no port.
func linearBlock(table []uint8, block int) mad.LinearFDB {
	var b mad.LinearFDB
	have := copy(b[:], table[block*mad.LIDsPerBlock:])
	for i := have; i < len(b); i++ {
		b[i] = subnet.NoPort
	}
	return b
}
