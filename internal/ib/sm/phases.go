package sm

import (
	"weft/units"
	"weft/wire/mad"
)

// advance ends a phase of which no request is left, and enters the next. Each
// phase is entered by a method that queues its requests.
func (m *Manager) advance() {
	for _, n := range m.nodes {
		n.silent = false // it may answer what the next phase asks
	}
	switch m.phase {
	case discover:
		m.enterConsult()
	case consult:
		m.decide()
	case assign:
		m.enterProgram()
	case program:
		m.enterArm()
	case arm:
		m.enterActivate()
	case activate:
		m.finish()
	case light:
		m.finishLight()
	case regroup:
		m.finishRegroup()
	case renew:
		m.finishRenewal()
	}
}

// finish ends a heavy sweep. One that had gaps, or during which something
// changed, is followed by another.
func (m *Manager) finish() {
	m.phase, m.settled = idle, true
	if m.givenUp == 0 && !m.moved {
		m.repeats = 0
	} else {
		m.repeats++
	}
	if m.givenUp == 0 {
		m.event(Event{Kind: SubnetUp, Count: len(m.sub.Nodes), Took: m.now - m.sweeping})
	}
	m.reportPorts()
	m.nextSweep = m.now + m.cfg.Sweep
	m.renewLater()
	if m.heir >= 0 {
		m.handOver()
		return
	}
	if m.again {
		m.followChange()
		return
	}
	m.changes = 0
	switch {
	case m.repeats > 0 && m.repeats <= maxRepeats:
		m.startSweep()
	case m.admin.regroup:
		m.startRegroup()
	}
}

// followChange starts a sweep because something changed during the one that is over: at
// once, but for what changes without end.
func (m *Manager) followChange() {
	if m.changes++; m.changes <= maxChanges {
		m.startSweep()
		return
	}
	m.nextSweep = m.now + min(settleTime, m.cfg.Sweep)
	m.repeats = max(m.repeats, 1) // a heavy one
}

// abandon ends a sweep that cannot be finished. What it saw may have changed while it
// looked.
func (m *Manager) abandon() {
	m.forget()
	m.phase = idle
	m.repeats++
	m.nextSweep = m.now + m.cfg.Sweep
	if m.again && m.state == mad.SMMaster {
		m.followChange()
	}
}

// startLight begins a light sweep: every switch is asked whether a port changed,
// and every other manager how it is.
func (m *Manager) startLight() {
	m.forget()
	m.phase, m.again = light, false
	m.nextSweep = units.Forever
	m.actCount++
	for i, n := range m.nodes {
		if n.isSwitch() && n.complete() {
			m.get(int32(i), mad.AttrSwitchInfo, 0, 0)
		}
	}
	for i := range m.others {
		m.askSMInfo(i)
	}
}

// tookLight looks at what a light sweep brings.
func (m *Manager) tookLight(d *mad.MAD) {
	var sw mad.SwitchInfo
	_ = mad.Parse(d.SMPData(), &sw)
	if sw.PortStateChange {
		m.again = true
	}
}

// finishLight goes to sleep, or to a heavy sweep. A subnet without switches has
// nobody to tell of a change: the one port is looked at each time.
func (m *Manager) finishLight() {
	m.phase = idle
	m.nextSweep = m.now + m.cfg.Sweep
	if m.again || len(m.nodes) == 0 || m.sub == nil || m.sub.Switches() == 0 {
		m.startSweep()
	}
}

// trapped answers a trap, and looks after what it tells.
func (m *Manager) trapped(p *Packet) {
	var n mad.Notice
	_ = mad.Parse(p.MAD.SMPData(), &n)
	m.event(Event{Kind: TrapReceived, Trap: n.Number, LID: n.IssuerLID, Notice: n})
	answer := *p
	answer.MAD.SetMethod(mad.TrapRepress)
	answer.MAD.SetMKey(m.cfg.MKey.Key)
	answer.DLID, answer.SLID = p.SLID, p.DLID
	if p.SLID != 0 && p.SLID <= units.LastUnicastLID {
		m.out.Send = append(m.out.Send, answer)
	}
	if m.state == mad.SMMaster && m.sub != nil && int(n.IssuerLID) < len(m.owners) && m.owners[n.IssuerLID].Exists() {
		m.report(&n, mad.GID{Prefix: mad.DefaultPrefix, GUID: m.sub.Port(m.owners[n.IssuerLID]).GUID})
	}
	if n.Generic && (n.Number == mad.TrapLinkState || n.Number == mad.TrapCapability) {
		m.changed()
	}
}
