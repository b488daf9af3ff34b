package sm

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// subscriber is a port that has subscribed to reports of events (IBA vol. 1, 13.4.11).
type subscriber struct {
	lid  units.LID
	pkey mad.PKey // of its subscription
	mad.InformInfo
}

// The values in an InformInfo that stand for "all".
const (
	anyTrap mad.TrapNumber = 0xFFFF
	anyType uint16         = 0xFFFF
)

// byManager is the Notice.ProducerType of a class manager (IBA vol. 1, 13.4.8.2).
const byManager = 4

// subscriptions is the subscribers and the ports of the last sweep.
type subscriptions struct {
	*outbox
	*fabric
	*routed
	all   []subscriber
	ports []units.GUID // end ports of the last sweep, sorted
}

// answer takes a subscription, or ends it.
func (s *subscriptions) answer(q *query) {
	if q.p.MAD.Method() != mad.Set {
		q.status = mad.BadMethod
		return
	}
	var want mad.InformInfo
	_ = mad.Parse(q.data, &want)
	who := subscriber{q.p.SLID, q.p.PKey, want}
	who.Subscribe = 1
	at := slices.Index(s.all, who)
	switch {
	case want.Subscribe > 1:
		q.status = mad.ReqInvalid
		return
	case want.Subscribe == 0 && at >= 0:
		s.all = slices.Delete(s.all, at, at+1)
	case want.Subscribe == 1 && at < 0:
		if len(s.all) >= maxSubscribers {
			q.status = mad.NoResources
			return
		}
		s.all = append(s.all, who)
	}
	q.add(&want)
}

// report sends a report of an event to its subscribers. A lost report is not repeated.
func (s *subscriptions) report(n *mad.Notice, issuer mad.GID) {
	for i := range s.all {
		to := &s.all[i]
		if to.Trap != anyTrap && to.Trap != n.Number || to.Type != anyType && to.Type != uint16(n.Type) {
			continue
		}
		p := Packet{DLID: to.lid, SLID: s.managerLID(), PKey: to.pkey, MAD: mad.New(mad.SubnAdm, mad.Report, mad.AttrNotice, 0, uint64(s.newTID()))}
		mad.Append(p.MAD.SAData()[:0], &mad.NoticeReport{Notice: *n, Issuer: issuer})
		s.send(p)
	}
}

// reportGID reports a port or a group that appeared or disappeared: traps 64 to 67.
func (s *subscriptions) reportGID(number mad.TrapNumber, gid mad.GID) {
	if len(s.all) == 0 {
		return
	}
	n := mad.Notice{Generic: true, Type: mad.NoticeManager, Producer: byManager, Number: number, IssuerLID: s.managerLID()}
	n.SetData(&mad.GIDNotice{GID: gid})
	s.report(&n, mad.GID{Prefix: mad.DefaultPrefix, GUID: s.guid})
}

// reportPorts reports the ports that appeared or disappeared since the previous sweep.
func (s *subscriptions) reportPorts() {
	var now []units.GUID
	s.eachEndPort(func(_ subnet.End, p *subnet.Port) bool {
		now = append(now, p.GUID)
		return true
	})
	slices.Sort(now)
	before := s.ports
	s.ports = now
	if before == nil {
		return // this was the first sweep
	}
	for i, j := 0, 0; i < len(before) || j < len(now); {
		switch {
		case j == len(now) || i < len(before) && before[i] < now[j]:
			s.reportGID(mad.TrapOutOfService, mad.GID{Prefix: mad.DefaultPrefix, GUID: before[i]})
			i++
		case i == len(before) || now[j] < before[i]:
			s.reportGID(mad.TrapInService, mad.GID{Prefix: mad.DefaultPrefix, GUID: now[j]})
			j++
		default:
			i++
			j++
		}
	}
}
