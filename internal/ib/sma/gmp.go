package sma

import (
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// Datagrams of general services travel between queue pairs 1. Their P_Key must be in the
// table of the receiving port, at any index. Datagrams of subnet management, between queue
// pairs 0, are not checked (IBA vol. 1, 9.6.1.2.3, 10.9.7 and 13.5.1, recalled). Switch
// ports that enforce partitions check them like data (10.9.7, 18.2.4.2.1): as in
// internal/sim/fabric, the table of the port must have the key, for a full member if the datagram's
// key says so.

// entry is the key of a port's table that a key matches.
func (q *port) entry(match func(mad.PKey) bool) (mad.PKey, bool) {
	for b := range q.pkeys {
		for _, key := range q.pkeys[b] {
			if key.Partition() != 0 && match(key) {
				return key, true
			}
		}
	}
	return 0, false
}

// firstKey is the default key of programs: index 0 of their port's table.
func (f *Fabric) firstKey(at subnet.End) mad.PKey { return f.endport(at).pkeys[0][0] }

// accepts reports whether the receiving port accepts a datagram. It then sets the datagram's key to
// the matching key in the port's table, which the answer uses.
func (f *Fabric) accepts(at subnet.End, p *Packet) bool {
	if p.MAD.Class().Subnet() {
		return true
	}
	own, ok := f.endport(at).entry(p.PKey.Matches)
	if !ok {
		f.refuseKey(at, true, p)
		return false
	}
	p.PKey = own
	return true
}

// enforced reports whether a port of a switch allows a datagram in or out.
func (f *Fabric) enforced(at subnet.End, in bool, p *Packet) bool {
	if p.MAD.Class().Subnet() || at.Port == 0 || f.sub.Nodes[at.Node].Kind != subnet.Switch {
		return true
	}
	q := &f.nodes[at.Node].ports[at.Port]
	match := p.PKey.Matches
	switch {
	case in && !q.info.PartitionIn, !in && !q.info.PartitionOut:
		return true
	case in:
		match = func(key mad.PKey) bool { return key == p.PKey || key.Full() && key.Partition() == p.PKey }
	}
	if _, ok := q.entry(match); !ok {
		f.refuseKey(at, in, p)
		return false
	}
	return true
}

// refuseKey counts a datagram whose key does not match a port's, and sends a trap.
func (f *Fabric) refuseKey(at subnet.End, in bool, p *Packet) {
	f.PKeyViolation(at, in, 1, &mad.KeyNotice{LID1: p.SLID, LID2: p.DLID, Key: uint32(p.PKey), QP1: 1, QP2: 1})
}
