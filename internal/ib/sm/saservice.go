package sm

import (
	"slices"

	"weft/units"
	"weft/wire/mad"
)

// service is an announced service, until its lease ends.
type service struct {
	mad.ServiceRecord
	until units.Time
}

// services is the announced services. The key of a service is its ID, its port and its partition.
type services struct {
	*outbox
	all []service
}

// answer answers queries for services, and takes announcements (IBA vol. 1, 15.2.5.14
// and 15.4.1).
func (s *services) answer(q *query) {
	s.all = slices.DeleteFunc(s.all, func(x service) bool { return x.until <= s.now })
	var want mad.ServiceRecord
	_ = mad.Parse(q.data, &want)
	switch q.p.MAD.Method() {
	case mad.Get, mad.GetTable:
		s.find(q, &want)
	case mad.Set:
		s.announce(q, &want)
	case mad.Delete:
		if i := s.index(&want); i >= 0 {
			q.add(&s.all[i].ServiceRecord)
			s.all = slices.Delete(s.all, i, i+1)
		}
	default:
		q.status = mad.BadMethod
	}
}

// index is the place of a service, -1 if it was not announced.
func (s *services) index(want *mad.ServiceRecord) int {
	return slices.IndexFunc(s.all, func(x service) bool { return x.ID == want.ID && x.GID == want.GID && x.PKey == want.PKey })
}

func (s *services) find(q *query, want *mad.ServiceRecord) {
	if !q.only(mad.ServiceRecID | mad.ServiceRecGID | mad.ServiceRecPKey | mad.ServiceRecName) {
		return
	}
	for i := range s.all {
		x := &s.all[i]
		if wants(q, mad.ServiceRecID, want.ID, x.ID) && wants(q, mad.ServiceRecGID, want.GID, x.GID) &&
			wants(q, mad.ServiceRecPKey, want.PKey, x.PKey) && wants(q, mad.ServiceRecName, want.Name, x.Name) &&
			!q.add(&x.ServiceRecord) {
			return
		}
	}
}

// announce adds or renews a service.
func (s *services) announce(q *query, want *mad.ServiceRecord) {
	if need := mad.ServiceRecID | mad.ServiceRecGID; q.mask&need != need {
		q.status = mad.MissingComponent
		return
	}
	until := units.Forever
	if want.Lease != ^uint32(0) {
		until = s.now + units.Time(want.Lease)*units.Second
	}
	q.add(want)
	if i := s.index(want); i >= 0 {
		s.all[i] = service{*want, until}
		return
	}
	if len(s.all) >= maxServices {
		q.status = mad.NoResources
		return
	}
	s.all = append(s.all, service{*want, until})
}
