package fabric

import "math/bits"

// arbiter is the state of the lane arbitration of one port.
type arbiter struct {
	high, low         uint8 // the entries being served
	highLeft, lowLeft int32 // bytes that they may still send
	limitLeft         int32 // bytes of high priority before low priority has a turn
}

const limitUnit = 4096 // bytes (IBA vol. 1, 7.6.9.2)

// arbitrate chooses among lanes that have packets; there are at least two. The weights are charged
// when a lane is chosen, with the packet at its head, so an entry may overdraw by less than one
// packet. Lanes that are in no table go last, the lowest number first.
func (a *VLArb) arbitrate(p *Partition, out int32, lanes uint16) uint8 {
	st := &p.net.arbiters[out]
	class, turn := st.turn(a, lanes)
	st.charge(turn, p.headSize(out, class))
	return class
}

// table is the arbitration table by which a lane was chosen.
type table uint8

const (
	noTable table = iota // the lane is in none
	highTable
	lowTable
)

// turn is the lane whose turn it is, and its table.
func (st *arbiter) turn(a *VLArb, lanes uint16) (class uint8, by table) {
	high, low := inTable(a.High, lanes), inTable(a.Low, lanes)
	switch {
	case high == 0 && low == 0:
		return uint8(bits.TrailingZeros16(lanes)), noTable
	case high != 0 && (low == 0 || a.Limit == 255 || st.limitLeft > 0):
		return serveTable(a.High, &st.high, &st.highLeft, high), highTable
	}
	st.limitLeft = max(1, int32(a.Limit)*limitUnit)
	return serveTable(a.Low, &st.low, &st.lowLeft, low), lowTable
}

// charge subtracts a lane's packet from the entry that is being served.
func (st *arbiter) charge(by table, size int32) {
	switch by {
	case noTable: // no entry is charged
	case highTable:
		st.highLeft -= size
		st.limitLeft -= size
	case lowTable:
		st.lowLeft -= size
	}
}

// inTable is the subset of lanes that a table serves.
func inTable(t []VLWeight, lanes uint16) (in uint16) {
	for _, e := range t {
		if e.Weight > 0 {
			in |= lanes & (1 << e.VL)
		}
	}
	return in
}

// serveTable advances a table to the next entry with a packet and weight left. At least one of
// lanes is in the table.
func serveTable(t []VLWeight, at *uint8, left *int32, lanes uint16) uint8 {
	if int(*at) >= len(t) || *left <= 0 || lanes>>t[*at].VL&1 == 0 {
		for {
			*at = uint8((int(*at) + 1) % len(t))
			if e := t[*at]; e.Weight > 0 && lanes>>e.VL&1 != 0 {
				*left = int32(e.Weight) * CreditBlock
				break
			}
		}
	}
	return t[*at].VL
}

// headSize is the size of an output's next packet on a lane.
func (p *Partition) headSize(out int32, class uint8) int32 {
	n := p.net
	nd := &n.nodes[n.ports[out].node]
	s := &n.infiniband[nd.state]
	w := s.wants(n, nd, out, class)
	input := nextSet(w, int32(n.turns[int(out)*n.classes+int(class)])+1)
	q := s.voqAt(n, nd, out, input, class)
	return int32(p.pool.hot[q.head].size)
}
