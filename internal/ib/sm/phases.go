package sm

import (
	"weft/units"
	"weft/wire/mad"
)

// startSweep begins a heavy sweep.
func (m *Manager) startSweep() {
	m.requests.forget()
	m.phase, m.again, m.settled = discover, false, false
	m.sweeping = m.outbox.now
	m.nextSweep = units.Forever
	m.discovery.start(m.mastery.state == mad.SMMaster)
}

// advance ends a phase of which no request is left, and enters the next. Each
// phase is entered by a method that queues its requests.
func (m *Manager) advance() {
	for _, n := range m.fabric.nodes {
		n.silent = false // it may answer what the next phase asks
	}
	switch m.phase {
	case discover:
		m.phase = consult
		m.mastery.consult()
	case consult:
		m.decide()
	case assign:
		m.phase = program
		m.delivery.start()
	case program:
		m.phase = arm
		m.ports.arm()
	case arm:
		m.phase = activate
		m.ports.activate()
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

// enterAssign gives every port its LID and computes the tables, then writes
// LIDs and keys to the end ports.
func (m *Manager) enterAssign() {
	m.phase = assign
	s, at := m.fabric.build()
	if !s.Origin.Exists() {
		m.abandon() // the manager's own node does not answer
		return
	}
	if err := m.lids.assign(s, at); err != nil {
		m.outbox.event(Event{Kind: NotAssigned, Err: err})
		m.abandon()
		return
	}
	tables, instead, err := m.cfg.Route(s)
	if err != nil {
		m.outbox.event(Event{Kind: NotRouted, Err: err})
		m.abandon()
		return
	}
	m.tellOfFallback(instead)
	m.routed = newRouted(s, tables, at, m.fabric.nodes)
	m.lids.keep(s)
	m.ports.writeEndPorts()
}

// tellOfFallback tells when routing begins, or ceases, to be other than it was asked for.
func (m *Manager) tellOfFallback(instead string) {
	switch {
	case instead == m.instead:
	case instead != "":
		m.outbox.event(Event{Kind: FellBack, Text: instead})
	default:
		m.outbox.event(Event{Kind: RoutedAsAsked})
	}
	m.instead = instead
}

// finish ends a heavy sweep. One that had gaps, or during which something
// changed, is followed by another.
func (m *Manager) finish() {
	m.phase, m.settled = idle, true
	if m.requests.givenUp == 0 && !m.discovery.moved {
		m.repeats = 0
	} else {
		m.repeats++
	}
	if m.requests.givenUp == 0 {
		m.outbox.event(Event{Kind: SubnetUp, Count: len(m.routed.sub.Nodes), Took: m.outbox.now - m.sweeping})
	}
	m.admin.subscriptions.reportPorts()
	m.nextSweep = m.outbox.now + m.cfg.Sweep
	m.protection.renewLater(m.mastery.state == mad.SMMaster)
	if m.mastery.heir >= 0 {
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
	case m.trees.groups.changed:
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
	m.nextSweep = m.outbox.now + min(settleTime, m.cfg.Sweep)
	m.repeats = max(m.repeats, 1) // a heavy one
}

// abandon ends a sweep that cannot be finished. What it saw may have changed while it
// looked.
func (m *Manager) abandon() {
	m.requests.forget()
	m.phase = idle
	m.repeats++
	m.nextSweep = m.outbox.now + m.cfg.Sweep
	if m.again && m.mastery.state == mad.SMMaster {
		m.followChange()
	}
}

// startLight begins a light sweep: every switch is asked whether a port changed,
// and every other manager how it is.
func (m *Manager) startLight() {
	m.requests.forget()
	m.phase, m.again = light, false
	m.nextSweep = units.Forever
	m.mastery.actCount++
	for i, n := range m.fabric.nodes {
		if n.isSwitch() && n.complete() {
			m.requests.get(int32(i), mad.AttrSwitchInfo, 0, 0)
		}
	}
	for i := range m.mastery.others {
		m.mastery.askInfo(i)
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
	m.nextSweep = m.outbox.now + m.cfg.Sweep
	if m.again || len(m.fabric.nodes) == 0 || m.routed.sub == nil || m.routed.sub.Switches() == 0 {
		m.startSweep()
	}
}

// groupsChanged has the multicast tables written anew: now, or when what is under
// way is over, for all groups that have changed until then. After a sweep that
// was abandoned it is the next one that does it.
func (m *Manager) groupsChanged() {
	if m.phase == idle && m.settled {
		m.startRegroup()
	}
}

// startRegroup writes multicast tables, and nothing else.
func (m *Manager) startRegroup() {
	m.phase, m.again, m.requests.givenUp = regroup, false, 0
	m.trees.rewrite()
}

// finishRegroup goes to sleep, or to what came up meanwhile.
func (m *Manager) finishRegroup() {
	m.phase = idle
	switch {
	case m.again || m.requests.givenUp > 0:
		m.startSweep()
	case m.trees.groups.changed:
		m.startRegroup()
	}
}

// startRenewal asks every end port whether it still has its M_Key.
func (m *Manager) startRenewal() {
	switch {
	case m.mastery.state != mad.SMMaster || !m.settled:
		m.protection.next = units.Forever
	case m.phase != idle: // a sweep, after which it is time again
		m.protection.next = m.outbox.now + m.cfg.Timeout
	default:
		m.phase, m.again = renew, false
		m.protection.renew()
	}
}

// finishRenewal goes to sleep, or to a heavy sweep, which writes what is not as it
// should be.
func (m *Manager) finishRenewal() {
	m.phase = idle
	m.protection.renewLater(m.mastery.state == mad.SMMaster)
	if m.again {
		m.startSweep()
	}
}

// trapped answers a trap, and looks after what it tells.
func (m *Manager) trapped(p *Packet) {
	var n mad.Notice
	_ = mad.Parse(p.MAD.SMPData(), &n)
	m.outbox.event(Event{Kind: TrapReceived, Trap: n.Number, LID: n.IssuerLID, Notice: n})
	answer := *p
	answer.MAD.SetMethod(mad.TrapRepress)
	answer.MAD.SetMKey(m.cfg.MKey.Key)
	answer.DLID, answer.SLID = p.SLID, p.DLID
	if p.SLID != 0 && p.SLID <= units.LastUnicastLID {
		m.outbox.send(answer)
	}
	if issuer, exists := m.routed.owner(n.IssuerLID); exists && m.mastery.state == mad.SMMaster {
		m.admin.subscriptions.report(&n, mad.GID{Prefix: mad.DefaultPrefix, GUID: m.routed.sub.Port(issuer).GUID})
	}
	if n.Generic && (n.Number == mad.TrapLinkState || n.Number == mad.TrapCapability) {
		m.changed()
	}
}
