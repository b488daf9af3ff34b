package sm

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// subscriber is a port that wants to be told of events (IBA vol. 1, 13.4.11).
type subscriber struct {
	lid  units.LID
	pkey mad.PKey // by which it asked
	mad.InformInfo
}

// What an InformInfo says for "all".
const (
	anyTrap mad.TrapNumber = 0xFFFF
	anyType uint16         = 0xFFFF
)

// byManager is the Notice.ProducerType of a class manager (IBA vol. 1, 13.4.8.2).
const byManager = 4

// inform takes a subscription, or ends it.
func (m *Manager) inform(q *query) {
	if q.p.MAD.Method() != mad.Set {
		q.status = mad.BadMethod
		return
	}
	var want mad.InformInfo
	_ = mad.Parse(q.data, &want)
	who := subscriber{q.p.SLID, q.p.PKey, want}
	who.Subscribe = 1
	at := slices.Index(m.admin.subscribers, who)
	switch {
	case want.Subscribe > 1:
		q.status = mad.ReqInvalid
		return
	case want.Subscribe == 0 && at >= 0:
		m.admin.subscribers = slices.Delete(m.admin.subscribers, at, at+1)
	case want.Subscribe == 1 && at < 0:
		if len(m.admin.subscribers) >= maxSubscribers {
			q.status = mad.NoResources
			return
		}
		m.admin.subscribers = append(m.admin.subscribers, who)
	}
	q.add(&want)
}

// report tells subscribers of an event, once: a report that is lost is not
// repeated.
func (m *Manager) report(n *mad.Notice, issuer mad.GID) {
	for i := range m.admin.subscribers {
		s := &m.admin.subscribers[i]
		if s.Trap != anyTrap && s.Trap != n.Number || s.Type != anyType && s.Type != uint16(n.Type) {
			continue
		}
		p := Packet{DLID: s.lid, SLID: m.managerLID(), PKey: s.pkey, MAD: mad.New(mad.SubnAdm, mad.Report, mad.AttrNotice, 0, uint64(m.nextTID))}
		m.nextTID++
		mad.Append(p.MAD.SAData()[:0], &mad.NoticeReport{Notice: *n, Issuer: issuer})
		m.out.Send = append(m.out.Send, p)
	}
}

// reportGID tells of a port or a group that came or went: traps 64 to 67.
func (m *Manager) reportGID(number mad.TrapNumber, gid mad.GID) {
	if len(m.admin.subscribers) == 0 {
		return
	}
	n := mad.Notice{Generic: true, Type: mad.NoticeManager, Producer: byManager, Number: number, IssuerLID: m.managerLID()}
	n.SetData(&mad.GIDNotice{GID: gid})
	m.report(&n, mad.GID{Prefix: mad.DefaultPrefix, GUID: m.guid})
}

// reportPorts tells which ports are new and which are gone since the sweep
// before.
func (m *Manager) reportPorts() {
	var now []units.GUID
	m.eachEndPort(func(_ subnet.End, p *subnet.Port) bool {
		now = append(now, p.GUID)
		return true
	})
	slices.Sort(now)
	before := m.admin.ports
	m.admin.ports = now
	if before == nil {
		return // nobody was there before the first sweep
	}
	for i, j := 0, 0; i < len(before) || j < len(now); {
		switch {
		case j == len(now) || i < len(before) && before[i] < now[j]:
			m.reportGID(mad.TrapOutOfService, mad.GID{Prefix: mad.DefaultPrefix, GUID: before[i]})
			i++
		case i == len(before) || now[j] < before[i]:
			m.reportGID(mad.TrapInService, mad.GID{Prefix: mad.DefaultPrefix, GUID: now[j]})
			j++
		default:
			i++
			j++
		}
	}
}
