package sm

import (
	"weft/units"
	"weft/wire/mad"
)

// MKey is a manager's protection of ports from others (IBA vol. 1, 14.2.4).
type MKey struct {
	Key uint64 // 0: no protection
	// Level is M_KeyProtectBits. Without the key, a port refuses Set at every level; at
	// level 1 Get returns no key; at levels 2 and 3 it refuses Get too.
	Level uint8
	// Lease is M_KeyLeasePeriod in seconds: a request with a wrong key starts it, a request with
	// the right key stops it, and when it ends the port loses its protection. 0 never ends. The
	// manager sends a request with its key every half lease.
	Lease uint16
}

// period is the time between two renewals.
func (k *MKey) period() units.Time { return units.Time(k.Lease) * units.Second / 2 }

// protection renews the leases of the M_Keys of end ports.
type protection struct {
	*writer
	mkey *MKey
	next units.Time // of the next renewal
}

// renewLater sets the time of the next renewal. A heavy sweep renews too: it sends requests with
// the key to every port.
func (k *protection) renewLater(master bool) {
	k.next = units.Forever
	if master && k.mkey.Key != 0 && k.mkey.Lease != 0 {
		k.next = k.now + k.mkey.period()
	}
}

// renew asks every end port for its PortInfo with the key, which stops the lease of the
// key if one runs.
func (k *protection) renew() {
	k.next = units.Forever
	for i := range k.sub.Nodes {
		for p := range k.sub.Nodes[i].Ports {
			if k.sub.Nodes[i].Ports[p].LID != 0 {
				k.get(k.at[i], mad.AttrPortInfo, uint32(p), uint8(p))
			}
		}
	}
}

// holds reports whether a port still has the key and its protection. A lease that ran out, or
// another manager, can remove them.
func (k *protection) holds(d *mad.MAD) bool {
	var info mad.PortInfo
	_ = mad.Parse(d.SMPData(), &info)
	return info.MKey == k.mkey.Key && info.MKeyProtect == k.mkey.Level
}
