package sm

import (
	"slices"

	"weft/units"
	"weft/wire/mad"
)

// becomeDiscovering begins a sweep, which decides whether this manager becomes master
// (IBA vol. 1, 14.4.1).
func (m *Manager) becomeDiscovering() {
	m.mastery.enter(mad.SMDiscovering)
	m.startSweep()
}

// becomeMaster takes the subnet over, after a sweep that found no better manager. Another manager
// may have written to any table since this one was master.
func (m *Manager) becomeMaster() {
	clear(m.delivery.written)
	m.mastery.enter(mad.SMMaster)
	m.mastery.master = -1
}

// becomeStandby stops all work except the polling of another manager.
func (m *Manager) becomeStandby(master int) {
	m.requests.forget()
	m.phase = idle
	m.nextSweep, m.protection.next = m.outbox.now+m.cfg.Poll, units.Forever
	m.mastery.watch(master)
}

// becomeNotActive stops the manager until another starts it again.
func (m *Manager) becomeNotActive() {
	m.requests.forget()
	m.phase, m.nextSweep, m.protection.next = idle, units.Forever, units.Forever
	m.mastery.enter(mad.SMNotActive)
}

// decide ends the phase consult. A manager that finds a master becomes standby until the
// master hands over. A manager that finds a better manager, not yet master, becomes standby too. A
// master that finds a better standby hands over after this sweep.
func (m *Manager) decide() {
	s := &m.mastery
	master, best := s.rank()
	s.successor = -1
	switch {
	case s.state == mad.SMMaster && master >= 0 && s.before(&s.others[master]):
		m.becomeStandby(master) // of two masters, the lower-ranking yields
	case s.state == mad.SMMaster:
		if best >= 0 && s.others[best].info.State == mad.SMStandby {
			s.successor = best
		}
		m.enterAssign()
	case master >= 0:
		m.becomeStandby(master)
	case best >= 0:
		m.becomeStandby(best)
	default:
		m.becomeMaster()
		m.enterAssign()
	}
}

// pollMaster asks the master for its SMInfo, and the manager's own port for the LID that the master
// assigned.
func (m *Manager) pollMaster() {
	m.requests.forget()
	m.nextSweep = units.Forever
	if m.mastery.master < 0 || m.mastery.master >= len(m.mastery.others) {
		m.becomeDiscovering()
		return
	}
	if own := m.fabric.own(); own != none {
		m.requests.get(own.node, mad.AttrPortInfo, uint32(own.port), own.port)
	}
	m.mastery.askInfo(m.mastery.master)
}

// tookSMInfo handles another manager's SMInfo.
func (m *Manager) tookSMInfo(r *request, d *mad.MAD) {
	s := &m.mastery
	if int(r.other) >= len(s.others) {
		return
	}
	o := &s.others[r.other]
	_ = mad.Parse(d.SMPData(), &o.info)
	switch {
	case r.method == mad.Set && r.modifier == mad.SMHandover:
		return // its acknowledgement follows
	case s.state == mad.SMStandby:
		m.polled(o)
	case m.phase == light && s.before(o):
		m.again = true // a heavy sweep decides
	}
}

// polled handles the answer of the watched manager. If that manager is neither master nor better,
// this manager begins a sweep of its own.
func (m *Manager) polled(o *otherManager) {
	m.mastery.lostPolls = 0
	m.nextSweep = m.outbox.now + m.cfg.Poll
	if o.info.State != mad.SMMaster && !m.mastery.before(o) {
		m.becomeDiscovering()
		return
	}
	m.mastery.claim()
}

// lostSMInfo handles a manager that does not answer.
func (m *Manager) lostSMInfo(r *request) {
	s := &m.mastery
	switch {
	case s.state == mad.SMStandby && int(r.other) == s.master:
		s.lostPolls++
		if s.lostPolls < m.cfg.LostPolls {
			m.nextSweep = m.outbox.now + m.cfg.Poll
			return
		}
		m.outbox.event(Event{Kind: MasterLost, GUID: s.others[s.master].info.GUID})
		m.becomeDiscovering()
	case m.phase == consult && int(r.other) < len(s.others):
		s.others[r.other].info.State = mad.SMNotActive
	}
}

// handOver offers the subnet to a better manager, which acknowledges when it is master.
func (m *Manager) handOver() {
	s := &m.mastery
	r := s.tell(s.successor, mad.SMHandover)
	m.outbox.event(Event{Kind: HandedOver, GUID: s.others[s.successor].info.GUID})
	m.becomeStandby(s.successor)
	m.requests.ask(r)
}

// askedSMInfo answers another manager, and carries out its command if the states of both
// allow it (IBA vol. 1, 14.4.1).
func (m *Manager) askedSMInfo(p *Packet) {
	state, status := m.mastery.state, mad.OK
	next := func() {}
	if p.MAD.Method() == mad.Set {
		switch modifier := p.MAD.Modifier(); {
		case modifier == mad.SMHandover && (state == mad.SMStandby || state == mad.SMMaster):
			next = func() { m.inherit(p) }
		case modifier == mad.SMAcknowledge && state == mad.SMStandby:
			// the successor has taken over
		case modifier == mad.SMDisable && state == mad.SMStandby:
			next = m.becomeNotActive
		case modifier == mad.SMStandbyCmd && state == mad.SMNotActive:
			next = func() { m.becomeStandby(m.mastery.master) }
		case modifier == mad.SMDiscover && state == mad.SMStandby:
			next = m.becomeDiscovering
		default:
			status = mad.BadField
		}
	} else if p.MAD.Method() != mad.Get {
		return
	}
	m.mastery.reply(p, status)
	next()
}

// inherit takes the subnet over from a master that hands it over, and
// acknowledges.
func (m *Manager) inherit(offer *Packet) {
	var from mad.SMInfo
	_ = mad.Parse(offer.MAD.SMPData(), &from)
	s := &m.mastery
	i := slices.IndexFunc(s.others, func(o otherManager) bool { return o.info.GUID == from.GUID })
	if i < 0 {
		m.becomeMaster()
		m.startSweep()
		return
	}
	r := s.tell(i, mad.SMAcknowledge)
	m.becomeMaster()
	m.startSweep()
	m.requests.askFirst(r)
}
