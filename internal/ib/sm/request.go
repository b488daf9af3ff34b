package sm

import (
	"weft/units"
	"weft/wire/mad"
)

// request is a datagram of subnet management that waits, or is under way.
type request struct {
	method   mad.Method
	attr     mad.Attribute
	modifier uint32
	node     int32 // that it is about; unmet for one not met yet
	port     uint8
	near     int32   // of one not met: the node before it
	other    int16   // of others, for SMInfo
	path     []uint8 // directed route; shared, never written to
	data     [mad.SMPDataBytes]byte

	tid      uint32
	tries    int
	deadline units.Time
}

// unmet stands for the node behind a port, before it is asked who it is. The
// request then has the near end of the link.
const unmet int32 = -1

// ask queues a request.
func (m *Manager) ask(r request) {
	if len(m.queue)-m.head >= maxQueue {
		m.givenUp++
		return
	}
	m.queue = append(m.queue, r)
}

// get asks for an attribute of a node.
func (m *Manager) get(n int32, attr mad.Attribute, modifier uint32, port uint8) {
	m.ask(request{method: mad.Get, attr: attr, modifier: modifier, node: n, port: port, path: m.nodes[n].path})
}

// set is a request to write an attribute of a node.
func (m *Manager) set(n int32, attr mad.Attribute, modifier uint32, port uint8, value mad.Structure) request {
	r := request{method: mad.Set, attr: attr, modifier: modifier, node: n, port: port, path: m.nodes[n].path}
	mad.Append(r.data[:0], value)
	return r
}

// fill sends requests until the window is full or there are no more.
func (m *Manager) fill() {
	for len(m.wire) < m.cfg.Window {
		r, more := m.dequeue()
		if !more && m.phase == program {
			r, more = m.nextProgram()
		}
		if !more {
			return
		}
		if r.node != unmet && m.nodes[r.node].silent {
			m.gaveUp(&r) // nor would it answer this
			continue
		}
		r.tid = m.nextTID
		m.nextTID = max(m.nextTID+1, 1) // 0 is nobody's
		m.transmit(&r)
		m.wire = append(m.wire, r)
	}
}

// dequeue takes the first request that waits.
func (m *Manager) dequeue() (r request, more bool) {
	if m.head == len(m.queue) {
		return r, false
	}
	r = m.queue[m.head]
	m.head++
	if m.head == len(m.queue) {
		m.queue, m.head = m.queue[:0], 0
	}
	return r, true
}

// transmit sends a request, the first time or again.
func (m *Manager) transmit(r *request) {
	r.tries++
	r.deadline = m.now + m.cfg.Timeout
	d := mad.NewDirected(r.method, r.attr, r.modifier, uint64(r.tid), r.path)
	d.SetMKey(m.keyFor(r))
	copy(d.SMPData(), r.data[:])
	m.out.Send = append(m.out.Send, Packet{DLID: units.PermissiveLID, SLID: units.PermissiveLID, MAD: d})
}

// forget drops all requests: what they were for is over. Late answers find
// nobody.
func (m *Manager) forget() {
	m.queue, m.head, m.wire = m.queue[:0], 0, m.wire[:0]
}

// answered takes the answer to a request. One that nobody waits for is dropped:
// it came twice, or too late. The upper half of a transaction ID belongs to who
// carries datagrams (IBA vol. 1, 13.4.6.4; Linux's umad).
func (m *Manager) answered(d *mad.MAD) {
	for i := range m.wire {
		r := &m.wire[i]
		if uint64(r.tid) != d.TID()&0xFFFF_FFFF || r.attr != d.Attribute() || r.modifier != d.Modifier() {
			continue
		}
		if d.Status()&mad.Busy != 0 {
			return // the deadline repeats it
		}
		done := *r
		m.wire = append(m.wire[:i], m.wire[i+1:]...)
		if d.Status() != mad.OK {
			m.event(Event{Kind: Refused, Attr: done.attr, Path: done.path, Status: d.Status()})
			m.gaveUp(&done)
			return
		}
		m.take(&done, d)
		return
	}
}

// expire repeats what has waited too long, and gives up what was repeated often
// enough.
func (m *Manager) expire() {
	kept := m.wire[:0]
	var lost []request
	for _, r := range m.wire {
		switch {
		case r.deadline > m.now:
			kept = append(kept, r)
		case r.tries <= m.cfg.Retries:
			m.transmit(&r)
			kept = append(kept, r)
		default:
			lost = append(lost, r)
		}
	}
	m.wire = kept
	for i := range lost {
		m.event(Event{Kind: Unanswered, Attr: lost[i].attr, Path: lost[i].path})
		m.gaveUp(&lost[i])
		if n := lost[i].node; n != unmet {
			m.nodes[n].silent = true
		}
	}
}

// take hands an answer to the phase that asked.
func (m *Manager) take(r *request, d *mad.MAD) {
	switch {
	case r.attr == mad.AttrSMInfo:
		m.tookSMInfo(r, d)
	case m.phase == discover:
		m.tookDiscovery(r, d)
	case m.phase == light:
		m.tookLight(d)
	case m.phase == renew:
		m.tookRenewal(d)
	case r.attr == mad.AttrPortInfo: // what was written, or of a standby's own port
		n := m.nodes[r.node]
		_ = mad.Parse(d.SMPData(), &n.ports[r.port].info)
		n.tookKey(r.port, &n.ports[r.port].info)
	case r.attr == mad.AttrLinearFDB:
		m.wroteBlock(r)
	}
}

// gaveUp is what follows from a request without a useful answer.
func (m *Manager) gaveUp(r *request) {
	switch {
	case r.attr == mad.AttrSMInfo:
		m.lostSMInfo(r)
		return
	case m.phase == light || m.phase == renew:
		m.again = true
		return
	}
	m.givenUp++
	if w := m.written[m.guidOf(r.node)]; w != nil && m.phase != discover {
		w.forget() // what the node holds is not known
	}
}

// guidOf is the GUID of a node, 0 of one not met.
func (m *Manager) guidOf(n int32) units.GUID {
	if n == unmet || int(n) >= len(m.nodes) {
		return 0
	}
	return m.nodes[n].info.NodeGUID
}
