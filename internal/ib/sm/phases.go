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

// advance ends a phase whose requests are all done, and enters the next. A phase begins
// with a method that queues its requests.
func (m *Manager) advance() {
	for _, n := range m.fabric.nodes {
		for p := range n.ports {
			n.ports[p].agent.silent = false // it may answer in the next phase
		}
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
		m.outbox.complain(Event{Kind: NotAssigned, Err: err})
		m.abandon()
		return
	}
	tables, instead, err := m.cfg.Route(s)
	if err != nil {
		m.outbox.complain(Event{Kind: NotRouted, Err: err})
		m.abandon()
		return
	}
	m.tellOfFallback(instead)
	m.routed = newRouted(s, tables, at, m.fabric.nodes)
	m.lids.keep(s)
	m.ports.writeEndPorts()
}

// tellOfFallback reports when routing begins or stops to use another engine than the configured
// one.
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

// finish ends a heavy sweep. Another follows if requests were given up or the fabric
// changed meanwhile.
func (m *Manager) finish() {
	m.phase, m.settled = idle, true
	if m.requests.givenUp == 0 && !m.discovery.moved {
		m.repeats = 0
	} else {
		m.repeats++
	}
	up := m.requests.givenUp == 0
	if nodes := len(m.routed.sub.Nodes); up {
		m.outbox.event(Event{Kind: SubnetUp, Count: nodes, Took: m.outbox.now - m.sweeping})
	} else {
		m.outbox.complain(Event{Kind: SubnetNotUp, Count: nodes})
	}
	m.outbox.swept(up)
	m.admin.subscriptions.reportPorts()
	m.nextSweep = m.outbox.now + m.cfg.Sweep
	m.protection.renewLater(m.mastery.state == mad.SMMaster)
	if m.mastery.successor >= 0 {
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

// followChange starts another sweep because the fabric changed during the last one: at
// once, or after settleTime if it has changed too often.
func (m *Manager) followChange() {
	if m.changes++; m.changes <= maxChanges {
		m.startSweep()
		return
	}
	m.nextSweep = m.outbox.now + min(settleTime, m.cfg.Sweep)
	m.repeats = max(m.repeats, 1) // a heavy one
}

// abandon ends a sweep that cannot be finished, perhaps because the fabric changed during
// it.
func (m *Manager) abandon() {
	m.outbox.swept(false)
	m.requests.forget()
	m.phase = idle
	m.repeats++
	m.nextSweep = m.outbox.now + m.cfg.Sweep
	if m.again && m.mastery.state == mad.SMMaster {
		m.followChange()
	}
}

// startLight begins a light sweep: it asks every switch for a change of its ports, and every other
// manager for its SMInfo.
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

// tookLight reads the change bit in a switch's answer.
func (m *Manager) tookLight(d *mad.MAD) {
	var sw mad.SwitchInfo
	_ = mad.Parse(d.SMPData(), &sw)
	if sw.PortStateChange {
		m.again = true
	}
}

// finishLight ends a light sweep, or begins a heavy one. A subnet without switches has no
// change bit: there a heavy sweep follows every light one.
func (m *Manager) finishLight() {
	m.phase = idle
	m.nextSweep = m.outbox.now + m.cfg.Sweep
	if m.again || len(m.fabric.nodes) == 0 || m.routed.sub == nil || m.routed.sub.Switches() == 0 {
		m.startSweep()
	}
}

// groupsChanged writes the multicast tables if the manager is idle. Otherwise the end of the
// current phase writes them, for all groups that have changed by then; after an abandoned sweep,
// the next sweep does.
func (m *Manager) groupsChanged() {
	if m.phase == idle && m.settled {
		m.startRegroup()
	}
}

// startRegroup writes only the multicast tables.
func (m *Manager) startRegroup() {
	m.phase, m.again, m.requests.givenUp = regroup, false, 0
	m.trees.rewrite()
}

// finishRegroup ends the writing of multicast tables, and begins work that arrived meanwhile.
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
	case m.phase != idle: // busy: try again later
		m.protection.next = m.outbox.now + m.cfg.Timeout
	default:
		m.phase, m.again = renew, false
		m.protection.renew()
	}
}

// finishRenewal ends a renewal. If a port has lost its key, a heavy sweep writes it.
func (m *Manager) finishRenewal() {
	m.phase = idle
	m.protection.renewLater(m.mastery.state == mad.SMMaster)
	if m.again {
		m.startSweep()
	}
}

// trapped answers a trap, reports it to subscribers, and starts a sweep if the trap says
// that the fabric changed.
func (m *Manager) trapped(p *Packet) {
	var n mad.Notice
	_ = mad.Parse(p.MAD.SMPData(), &n)
	if !m.accused(&n) {
		m.outbox.event(Event{Kind: TrapReceived, Trap: n.Number, LID: n.IssuerLID, Notice: n})
	}
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

// accused reports whether a trap says that a port refuses the M_Key of this manager. If the request
// is under way, the fault is told when that is given up, otherwise at once.
func (m *Manager) accused(n *mad.Notice) bool {
	if !n.Generic || n.Number != mad.TrapBadMKey {
		return false
	}
	var k mad.MKeyNotice
	n.GetData(&k)
	if m.requests.accuse(&k) {
		return true
	}
	r := request{node: unmet}
	if at := m.fabric.holder(n.IssuerLID); at != none {
		r.node, r.port, r.path = at.node, at.port, m.fabric.nodes[at.node].agentOf(at.port).path
	}
	if k.MKey != m.requests.keyFor(&r) {
		return false // of another manager's request
	}
	e := m.requests.about(&r, Protected, mad.OK)
	e.LID = n.IssuerLID
	m.outbox.complain(e)
	return true
}
