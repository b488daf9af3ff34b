package sma

import (
	"weft/units"
	"weft/wire/mad"
)

// SetNow says what time it is, which leases of M_Keys end by and traps are
// repeated by. It must not go back; without it no lease ends and no port sends a
// second trap.
func (f *Fabric) SetNow(now units.Time) { f.now = now }

// admit checks the M_Key (IBA vol. 1, 14.2.4). What a wrong key asks for is
// dropped without an answer, and trapped. It starts the lease of a key that has
// one: if nobody who knows the key shows up until it ends, the key may be read,
// so that another manager can take the port over.
func (f *Fabric) admit(r *request, m *mad.MAD) bool {
	port := f.endport(r.at)
	q := &port.info
	if port.leaseEnds > 0 && f.now >= port.leaseEnds {
		q.MKeyProtect, port.leaseEnds = 0, 0
	}
	if q.MKey == 0 || m.MKey() == q.MKey {
		port.leaseEnds = 0
		return true
	}
	if !r.set && q.MKeyProtect < 2 {
		return true
	}
	if q.MKeyViolations < 0xFFFF {
		q.MKeyViolations++
	}
	if q.MKeyLease > 0 && port.leaseEnds == 0 {
		port.leaseEnds = f.now + units.Time(q.MKeyLease)*units.Second
	}
	f.trap(r.at, mad.NoticeSecurity, mad.TrapBadMKey, &mad.MKeyNotice{
		LID: q.LID, DrSLID: m.DrSLID(), Method: m.Method(), Attribute: m.Attribute(), Modifier: m.Modifier(),
		MKey: m.MKey(), Directed: m.Class() == mad.SubnDirected, Hops: m.HopCount() & mad.MaxHops,
	})
	return false
}
