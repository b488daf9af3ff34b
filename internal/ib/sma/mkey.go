package sma

import (
	"weft/units"
	"weft/wire/mad"
)

// SetNow sets the time, for leases of M_Keys and repeats of traps. It must not go back.
// Without SetNow no lease ends and no trap is repeated.
func (f *Fabric) SetNow(now units.Time) { f.now = now }

// admit checks the M_Key (IBA vol. 1, 14.2.4). A request with a wrong key is dropped without an
// answer; the port sends a trap and starts the lease of its key, if there is one. If no request
// with the right key arrives before the lease ends, the key becomes readable, so another manager
// can take the port over.
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
