package arbitration

import "math/bits"

// VLArb is the arbitration between lanes (IBA vol. 1, 7.6.9).
type VLArb struct {
	High, Low []VLWeight
	// Limit is the limit of high priority in units of 4096 bytes; 255 is no
	// limit, 0 one packet.
	Limit uint8
}

// VLWeight is one entry of an arbitration table; the weight is in units of 64
// bytes, 0 skips the entry.
type VLWeight struct {
	VL     uint8
	Weight uint8
}

// Lanes is the state of the lane arbitration of one port.
type Lanes struct {
	high, low         uint8 // the entries being served
	highLeft, lowLeft int32 // bytes that they may still send
	limitLeft         int32 // bytes of high priority before low priority has a turn
}

// The units of limits and weights, in bytes (IBA vol. 1, 7.6.9.2).
const (
	limitUnit  = 4096
	weightUnit = 64
)

// Table is the arbitration table by which a lane was chosen.
type Table uint8

// The tables of InfiniBand's VL arbitration.
const (
	NoTable Table = iota // the lane is in none
	HighTable
	LowTable
)

// Choose is the lane whose turn it is, among lanes that have packets, and its table. Lanes that are in
// no table go last, the lowest number first.
func (l *Lanes) Choose(a *VLArb, lanes uint16) (class uint8, by Table) {
	high, low := inTable(a.High, lanes), inTable(a.Low, lanes)
	switch {
	case high == 0 && low == 0:
		return uint8(bits.TrailingZeros16(lanes)), NoTable
	case high != 0 && (low == 0 || a.Limit == 255 || l.limitLeft > 0):
		return serveTable(a.High, &l.high, &l.highLeft, high), HighTable
	}
	l.limitLeft = max(1, int32(a.Limit)*limitUnit)
	return serveTable(a.Low, &l.low, &l.lowLeft, low), LowTable
}

// Charge subtracts a lane's packet from the entry that is being served. So an entry may overdraw by
// less than one packet.
func (l *Lanes) Charge(by Table, size int32) {
	switch by {
	case NoTable: // no entry is charged
	case HighTable:
		l.highLeft -= size
		l.limitLeft -= size
	case LowTable:
		l.lowLeft -= size
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
func serveTable(t []VLWeight, entry *uint8, left *int32, lanes uint16) uint8 {
	if int(*entry) >= len(t) || *left <= 0 || lanes>>t[*entry].VL&1 == 0 {
		for {
			*entry = uint8((int(*entry) + 1) % len(t))
			if e := t[*entry]; e.Weight > 0 && lanes>>e.VL&1 != 0 {
				*left = int32(e.Weight) * weightUnit
				break
			}
		}
	}
	return t[*entry].VL
}
