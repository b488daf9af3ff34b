package sm

import (
	"weft/units"
	"weft/wire/mad"
)

// MKey is how a manager protects ports from others (IBA vol. 1, 14.2.4).
type MKey struct {
	Key uint64 // 0: no protection
	// Level is what ports refuse to who does not know the key: 0 and 1 writing, 1
	// tells the key to nobody else, 2 and 3 reading as well.
	Level uint8
	// Lease is for how many seconds a port keeps its key to itself after someone
	// came with another and the manager did not; 0 is for ever. The manager comes by
	// every half lease.
	Lease uint16
}

// period is the time between two renewals.
func (k *MKey) period() units.Time { return units.Time(k.Lease) * units.Second / 2 }

// renewLater sets the time of the next renewal. A heavy sweep renews too: it shows
// the key to every port.
func (m *Manager) renewLater() {
	m.nextRenewal = units.Forever
	if m.state == mad.SMMaster && m.cfg.MKey.Key != 0 && m.cfg.MKey.Lease != 0 {
		m.nextRenewal = m.now + m.cfg.MKey.period()
	}
}

// startRenewal asks every end port for its PortInfo with the key, which stops the
// lease of the key if one runs.
func (m *Manager) startRenewal() {
	switch {
	case m.state != mad.SMMaster || !m.settled:
		m.nextRenewal = units.Forever
		return
	case m.phase != idle: // a sweep, after which it is time again
		m.nextRenewal = m.now + m.cfg.Timeout
		return
	}
	m.phase, m.again, m.nextRenewal = renew, false, units.Forever
	for i := range m.sub.Nodes {
		for p := range m.sub.Nodes[i].Ports {
			if m.sub.Nodes[i].Ports[p].LID != 0 {
				m.get(m.at[i], mad.AttrPortInfo, uint32(p), uint8(p))
			}
		}
	}
}

// tookRenewal looks whether a port still has the key, and its protection: a lease
// that ran out, or another manager, has taken them.
func (m *Manager) tookRenewal(d *mad.MAD) {
	var info mad.PortInfo
	_ = mad.Parse(d.SMPData(), &info)
	if info.MKey != m.cfg.MKey.Key || info.MKeyProtect != m.cfg.MKey.Level {
		m.again = true
	}
}

// finishRenewal goes to sleep, or to a heavy sweep, which writes what is not as it
// should be.
func (m *Manager) finishRenewal() {
	m.phase = idle
	m.renewLater()
	if m.again {
		m.startSweep()
	}
}

// keyFor is the M_Key of a request: that of another manager where the port told it,
// since its lease had run out or it keeps it from nobody.
func (m *Manager) keyFor(r *request) uint64 {
	if r.node != unmet && int(r.node) < len(m.nodes) && m.nodes[r.node].key != 0 {
		return m.nodes[r.node].key
	}
	return m.cfg.MKey.Key
}

// tookKey notes the key that a node's agent wants, if the PortInfo of its port says.
func (n *node) tookKey(port uint8, info *mad.PortInfo) {
	if (port == 0 || !n.isSwitch()) && info.MKey != 0 {
		n.key = info.MKey
	}
}
