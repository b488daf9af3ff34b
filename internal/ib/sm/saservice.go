package sm

import (
	"weft/units"
	"weft/wire/mad"
)

// service is what someone announced, until its lease ends.
type service struct {
	mad.ServiceRecord
	until units.Time
}

// services answers queries for services, and takes announcements (IBA vol. 1,
// 15.2.5.14 and 15.4.1). A service is known by its ID, its port and its
// partition.
func (m *Manager) services(q *query) {
	kept := m.admin.services[:0]
	for _, s := range m.admin.services {
		if s.until > m.now {
			kept = append(kept, s)
		}
	}
	m.admin.services = kept
	var want mad.ServiceRecord
	_ = mad.Parse(q.data, &want)
	switch q.p.MAD.Method() {
	case mad.Get, mad.GetTable:
		m.findServices(q, &want)
	case mad.Set:
		m.announce(q, &want)
	case mad.Delete:
		for i := range m.admin.services {
			if s := &m.admin.services[i]; s.ID == want.ID && s.GID == want.GID && s.PKey == want.PKey {
				q.add(&s.ServiceRecord)
				m.admin.services = append(m.admin.services[:i], m.admin.services[i+1:]...)
				return
			}
		}
	default:
		q.status = mad.BadMethod
	}
}

func (m *Manager) findServices(q *query, want *mad.ServiceRecord) {
	if !q.only(mad.ServiceRecID | mad.ServiceRecGID | mad.ServiceRecPKey | mad.ServiceRecName) {
		return
	}
	for i := range m.admin.services {
		s := &m.admin.services[i]
		if wants(q, mad.ServiceRecID, want.ID, s.ID) && wants(q, mad.ServiceRecGID, want.GID, s.GID) &&
			wants(q, mad.ServiceRecPKey, want.PKey, s.PKey) && wants(q, mad.ServiceRecName, want.Name, s.Name) &&
			!q.add(&s.ServiceRecord) {
			return
		}
	}
}

// announce takes a service in, or renews it.
func (m *Manager) announce(q *query, want *mad.ServiceRecord) {
	if need := mad.ServiceRecID | mad.ServiceRecGID; q.mask&need != need {
		q.status = mad.MissingComponent
		return
	}
	until := units.Forever
	if want.Lease != ^uint32(0) {
		until = m.now + units.Time(want.Lease)*units.Second
	}
	q.add(want)
	for i := range m.admin.services {
		if s := &m.admin.services[i]; s.ID == want.ID && s.GID == want.GID && s.PKey == want.PKey {
			*s = service{*want, until}
			return
		}
	}
	if len(m.admin.services) >= maxServices {
		q.status = mad.NoResources
		return
	}
	m.admin.services = append(m.admin.services, service{*want, until})
}
