package sm

import (
	"weft/units"
	"weft/wire/mad"
)

// otherManager is a Subnet Manager on another port.
type otherManager struct {
	info mad.SMInfo
	path []uint8 // to its node
}

// becomeDiscovering looks at the subnet before it is decided who is master (IBA
// vol. 1, 14.4.1).
func (m *Manager) becomeDiscovering() {
	m.enterState(mad.SMDiscovering)
	m.startSweep()
}

// becomeMaster takes the subnet over, after a sweep that found nobody better.
func (m *Manager) becomeMaster() {
	m.enterState(mad.SMMaster)
	m.master = -1
}

// becomeStandby watches another manager and does nothing else.
func (m *Manager) becomeStandby(master int) {
	m.forget()
	m.phase, m.master, m.heir, m.lostPoll = idle, master, -1, 0
	m.nextSweep, m.nextRenewal = m.now+m.cfg.Poll, units.Forever
	m.enterState(mad.SMStandby)
	m.claim()
}

// claim tells a master that ranks below this manager that a better one is there:
// a trap 144 makes it look, and hand over (IBA vol. 1, 14.4.1). A port that was
// never given a LID cannot.
func (m *Manager) claim() {
	if m.master < 0 || m.others[m.master].info.State != mad.SMMaster || m.before(&m.others[m.master]) {
		return
	}
	info := &m.portAt(m.own()).info
	if info.LID == 0 || info.MasterSMLID == 0 {
		return
	}
	notice := mad.Notice{Generic: true, Type: mad.NoticeInfo, Producer: uint32(m.nodes[0].info.Type), Number: mad.TrapCapability, IssuerLID: info.LID}
	notice.SetData(&mad.CapabilityNotice{LID: info.LID, OtherChanges: true, CapabilityMask: info.CapabilityMask, Priority: true})
	p := Packet{DLID: info.MasterSMLID, SLID: info.LID, MAD: mad.New(mad.SubnLID, mad.Trap, mad.AttrNotice, 0, uint64(m.nextTID))}
	m.nextTID++
	mad.Append(p.MAD.SMPData()[:0], &notice)
	m.out.Send = append(m.out.Send, p)
}

// becomeNotActive stops the manager until another starts it again.
func (m *Manager) becomeNotActive() {
	m.forget()
	m.phase, m.nextSweep, m.nextRenewal = idle, units.Forever, units.Forever
	m.enterState(mad.SMNotActive)
}

func (m *Manager) enterState(s mad.SMState) {
	if m.state != s {
		m.event(Event{Kind: Entered, State: s})
	}
	m.state = s
	m.actCount++
}

// enterConsult asks every other manager that discovery saw who it is.
func (m *Manager) enterConsult() {
	m.phase = consult
	m.others = m.others[:0]
	own := m.own()
	for i, n := range m.nodes {
		for p := range n.ports {
			q := &n.ports[p]
			if (end{int32(i), uint8(p)}) == own || !q.have || q.info.CapabilityMask&mad.CapIsSM == 0 || q.guid == 0 {
				continue
			}
			m.others = append(m.others, otherManager{info: mad.SMInfo{GUID: q.guid}, path: n.path})
			m.askSMInfo(len(m.others) - 1)
		}
	}
}

func (m *Manager) askSMInfo(other int) {
	m.ask(request{method: mad.Get, attr: mad.AttrSMInfo, node: unmet, other: int16(other), path: m.others[other].path})
}

// tookSMInfo takes in what another manager says of itself.
func (m *Manager) tookSMInfo(r *request, d *mad.MAD) {
	if int(r.other) >= len(m.others) {
		return
	}
	o := &m.others[r.other]
	_ = mad.Parse(d.SMPData(), &o.info)
	switch {
	case r.method == mad.Set && r.modifier == mad.SMHandover:
		return // its acknowledgement follows
	case m.state == mad.SMStandby:
		m.polled(int(r.other))
	case m.phase == light && m.before(o):
		m.again = true // a heavy sweep decides
	}
}

// lostSMInfo is what follows from a manager that does not answer.
func (m *Manager) lostSMInfo(r *request) {
	switch {
	case m.state == mad.SMStandby && int(r.other) == m.master:
		m.lostPoll++
		if m.lostPoll < pollsLost {
			m.nextSweep = m.now + m.cfg.Poll
			return
		}
		m.event(Event{Kind: MasterLost, GUID: m.others[m.master].info.GUID})
		m.becomeDiscovering()
	case m.phase == consult && int(r.other) < len(m.others):
		m.others[r.other].info.State = mad.SMNotActive
	}
}

// before reports whether another manager should be master rather than this one:
// its priority is higher, or equal and its GUID lower (IBA vol. 1, 14.4.1).
func (m *Manager) before(o *otherManager) bool {
	if o.info.State == mad.SMNotActive {
		return false
	}
	if o.info.Priority != m.cfg.Priority {
		return o.info.Priority > m.cfg.Priority
	}
	return o.info.GUID < m.guid
}

// decide ends the consultation. Whoever finds a master stands by until it hands
// over; whoever finds a better one that is no master stands by until that one
// is; a master that finds a better one will hand over after this sweep.
func (m *Manager) decide() {
	best, master := -1, -1
	for i := range m.others {
		o := &m.others[i]
		if o.info.State == mad.SMMaster && (master < 0 || m.better(i, master)) {
			master = i
		}
		if m.before(o) && (best < 0 || m.better(i, best)) {
			best = i
		}
	}
	m.heir = -1
	if m.state == mad.SMMaster {
		if master >= 0 && m.before(&m.others[master]) {
			m.becomeStandby(master) // two masters met: the lesser one yields
			return
		}
		if best >= 0 && m.others[best].info.State == mad.SMStandby {
			m.heir = best
		}
		m.enterAssign()
		return
	}
	switch {
	case master >= 0:
		m.becomeStandby(master)
	case best >= 0:
		m.becomeStandby(best)
	default:
		m.becomeMaster()
		m.enterAssign()
	}
}

// better compares two other managers.
func (m *Manager) better(a, b int) bool {
	x, y := &m.others[a].info, &m.others[b].info
	if x.Priority != y.Priority {
		return x.Priority > y.Priority
	}
	return x.GUID < y.GUID
}

// pollMaster asks the master whether it lives, and the own port which LID the
// master gave it.
func (m *Manager) pollMaster() {
	m.forget()
	m.nextSweep = units.Forever
	if m.master < 0 || m.master >= len(m.others) {
		m.becomeDiscovering()
		return
	}
	if own := m.own(); own != none {
		m.get(own.node, mad.AttrPortInfo, uint32(own.port), own.port)
	}
	m.askSMInfo(m.master)
}

// polled looks at the answer. A manager that is neither master nor better than
// this one leaves the subnet without one.
func (m *Manager) polled(other int) {
	m.lostPoll = 0
	m.nextSweep = m.now + m.cfg.Poll
	o := &m.others[other]
	if o.info.State != mad.SMMaster && !m.before(o) {
		m.becomeDiscovering()
		return
	}
	m.claim()
}

// handOver offers the subnet to a better manager, which acknowledges when it has
// taken it.
func (m *Manager) handOver() {
	info := m.smInfo()
	r := request{method: mad.Set, attr: mad.AttrSMInfo, modifier: mad.SMHandover, node: unmet, other: int16(m.heir), path: m.others[m.heir].path}
	mad.Append(r.data[:0], &info)
	m.event(Event{Kind: HandedOver, GUID: m.others[m.heir].info.GUID})
	heir := m.heir
	m.becomeStandby(heir)
	m.ask(r)
}

// smInfo is what the manager says of itself.
func (m *Manager) smInfo() mad.SMInfo {
	return mad.SMInfo{GUID: m.guid, SMKey: m.cfg.SMKey, ActCount: m.actCount, Priority: m.cfg.Priority, State: m.state}
}

// askedSMInfo answers another manager, and does what it says if the states allow
// it (IBA vol. 1, 14.4.1).
func (m *Manager) askedSMInfo(p *Packet) {
	answer := *p
	status := mad.OK
	var from mad.SMInfo
	_ = mad.Parse(p.MAD.SMPData(), &from)
	next := func() {}
	if p.MAD.Method() == mad.Set {
		switch modifier := p.MAD.Modifier(); {
		case modifier == mad.SMHandover && (m.state == mad.SMStandby || m.state == mad.SMMaster):
			next = func() { m.inherit(&from) }
		case modifier == mad.SMAcknowledge && m.state == mad.SMStandby:
			// the heir has taken what it was given
		case modifier == mad.SMDisable && m.state == mad.SMStandby:
			next = m.becomeNotActive
		case modifier == mad.SMStandbyCmd && m.state == mad.SMNotActive:
			next = func() { m.becomeStandby(m.master) }
		case modifier == mad.SMDiscover && m.state == mad.SMStandby:
			next = m.becomeDiscovering
		default:
			status = mad.BadField
		}
	} else if p.MAD.Method() != mad.Get {
		return
	}
	info := m.smInfo()
	clear(answer.MAD.SMPData())
	mad.Append(answer.MAD.SMPData()[:0], &info)
	m.reply(&answer, status)
	next()
}

// reply turns a datagram of subnet management round.
func (m *Manager) reply(p *Packet, status mad.Status) {
	p.MAD.SetMethod(p.MAD.Method().Answer())
	if p.MAD.Class() == mad.SubnDirected {
		p.MAD.SetReturning()
	} else {
		p.DLID, p.SLID = p.SLID, p.DLID
	}
	p.MAD.SetStatus(status)
	m.out.Send = append(m.out.Send, *p)
}

// inherit takes the subnet over from a master that hands it over, and
// acknowledges.
func (m *Manager) inherit(from *mad.SMInfo) {
	for i := range m.others {
		if m.others[i].info.GUID != from.GUID {
			continue
		}
		info := m.smInfo()
		r := request{method: mad.Set, attr: mad.AttrSMInfo, modifier: mad.SMAcknowledge, node: unmet, other: int16(i), path: m.others[i].path}
		mad.Append(r.data[:0], &info)
		m.becomeMaster()
		m.startSweep()
		m.queue = append([]request{r}, m.queue...)
		return
	}
	m.becomeMaster()
	m.startSweep()
}
