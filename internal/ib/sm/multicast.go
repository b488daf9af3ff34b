package sm

import (
	"cmp"
	"slices"

	"weft/units"
	"weft/wire/mad"
)

// group is a multicast group.
type group struct {
	mad.MCMemberRecord          // of the group as a whole; JoinState and PortGID are 0
	members            []member // in the order in which they joined
	permanent          bool     // the group exists without members too, if a port has its P_Key
}

// permanentGroups are the groups that the manager makes by itself, on the first multicast LIDs. nil
// is the broadcast group of IP over InfiniBand for the default partition (RFC 4391, 4 and 5), with
// OpenSM's parameters.
func permanentGroups(records []mad.MCMemberRecord) (all []*group) {
	if records == nil {
		records = []mad.MCMemberRecord{{
			MGID: mad.GID{Prefix: 0xFF12_401B_FFFF_0000, GUID: 0xFFFF_FFFF}, QKey: 0xB1B,
			MTU: groupMTU, Rate: groupRate, PKey: mad.DefaultPKey, Scope: 2, // link-local
		}}
	}
	for i, r := range records[:min(len(records), maxGroups)] {
		r.MLID = units.FirstMulticastLID + units.LID(i)
		r.MTUSelector, r.RateSelector, r.LifetimeSelector, r.Lifetime = mad.Exactly, mad.Exactly, mad.Exactly, lifetime
		all = append(all, &group{permanent: true, MCMemberRecord: r})
	}
	return all
}

// member is a port that joined a group.
type member struct {
	gid  mad.GID
	join uint8 // bits of JoinState
}

// groups is the multicast groups of the subnet.
type groups struct {
	all           []*group
	changed       bool // since the trees were computed
	subscriptions *subscriptions
	access        *access
}

// createComponents is the components that a request must have to create a group (IBA
// vol. 1, 15.2.5.17.2).
const createComponents = mad.MCMGID | mad.MCPortGID | mad.MCJoinState | mad.MCQKey | mad.MCTClass | mad.MCPKey | mad.MCSL | mad.MCFlowLabel

// answer answers queries for groups, and lets ports join and leave (IBA
// vol. 1, 15.2.5.17).
func (s *groups) answer(q *query) {
	var want mad.MCMemberRecord
	_ = mad.Parse(q.data, &want)
	switch q.p.MAD.Method() {
	case mad.Get, mad.GetTable:
		s.find(q, &want)
	case mad.Set:
		s.join(q, &want)
	case mad.Delete:
		s.quit(q, &want)
	default:
		q.status = mad.BadMethod
	}
}

// find answers with the groups of the asker's partitions, in the order of their addresses: with
// members if the query names a port or has the manager's key, otherwise with the groups themselves
// (IBA vol. 1, 15.2.5.17).
func (s *groups) find(q *query, want *mad.MCMemberRecord) {
	if !q.only(mad.MCMGID | mad.MCPortGID | mad.MCMLID | mad.MCPKey | mad.MCQKey) {
		return
	}
	for _, g := range s.sorted() {
		if !s.access.hasKey(q.p.SLID, g.PKey) {
			continue
		}
		if !wants(q, mad.MCMGID, want.MGID, g.MGID) || !wants(q, mad.MCMLID, want.MLID, g.MLID) ||
			!wants(q, mad.MCPKey, want.PKey, g.PKey) || !wants(q, mad.MCQKey, want.QKey, g.QKey) {
			continue
		}
		trusted := s.access.trusts(q)
		if q.mask&mad.MCPortGID == 0 && !trusted {
			if !q.add(&g.MCMemberRecord) {
				return
			}
			continue
		}
		for i := range g.members {
			if wants(q, mad.MCPortGID, want.PortGID, g.members[i].gid) && !q.add(g.of(i)) {
				return
			}
		}
	}
}

// sorted is the groups in the order of their addresses.
func (s *groups) sorted() []*group {
	return slices.SortedFunc(slices.Values(s.all), func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.MGID.Prefix, b.MGID.Prefix), cmp.Compare(a.MGID.GUID, b.MGID.GUID))
	})
}

func (g *group) find(gid mad.GID) int {
	return slices.IndexFunc(g.members, func(x member) bool { return x.gid == gid })
}

// of is the record of a member.
func (g *group) of(i int) *mad.MCMemberRecord {
	r := g.MCMemberRecord
	r.PortGID, r.JoinState = g.members[i].gid, g.members[i].join
	return &r
}

// join makes a port a member; it creates the group if there is none.
func (s *groups) join(q *query, want *mad.MCMemberRecord) {
	if need := mad.MCMGID | mad.MCPortGID | mad.MCJoinState; q.mask&need != need {
		q.status = mad.MissingComponent
		return
	}
	if !want.MGID.Multicast() || want.JoinState == 0 {
		q.status = mad.ReqInvalid
		return
	}
	at := slices.IndexFunc(s.all, func(g *group) bool { return g.MGID == want.MGID })
	created := at < 0
	if created {
		if at = s.create(q, want); at < 0 {
			return
		}
	}
	g := s.all[at]
	if !wants(q, mad.MCPKey, want.PKey&0x7FFF, g.PKey&0x7FFF) || !wants(q, mad.MCQKey, want.QKey, g.QKey) || !s.mayJoin(q, g, want.PortGID) {
		q.status = mad.ReqInvalid
		if created {
			s.all = s.all[:at]
		}
		return
	}
	if created {
		s.subscriptions.reportGID(mad.TrapGroupCreated, g.MGID)
	}
	i := g.find(want.PortGID)
	if i < 0 {
		if len(g.members) >= maxMembers {
			q.status = mad.NoResources
			return
		}
		g.members = append(g.members, member{gid: want.PortGID})
		i = len(g.members) - 1
	}
	g.members[i].join |= want.JoinState
	q.add(g.of(i))
	s.changed, q.regroup = true, true
}

// mayJoin reports whether a port can be a member of a group: it has the group's P_Key, and its link
// has the group's MTU and rate. The asker is the port, or shares a partition with it (IBA vol. 1,
// 15.2.5.17; o15-0.2.1 to o15-0.2.4).
func (s *groups) mayJoin(q *query, g *group, gid mad.GID) bool {
	x := s.access
	port, known := x.byPort[gid.GUID]
	asker, exists := x.owner(q.p.SLID)
	if !known || !exists {
		return false
	}
	if _, shared := x.partitions.shared(asker, port); !shared {
		return false
	}
	info := &x.behind[port.Node].ports[port.Port].info
	fast := info.NeighborMTU >= g.MTU && rateOf(rateCode(linkOf(info))) >= rateOf(g.Rate)
	if port.Port == 0 {
		fast = true // a switch's own port has no link
	}
	return fast && x.hasKey(x.sub.Port(port).LID, g.PKey)
}

// create makes a group with the lowest free LID.
func (s *groups) create(q *query, want *mad.MCMemberRecord) int {
	if q.mask&createComponents != createComponents || want.JoinState&mad.JoinFull == 0 {
		q.status = mad.MissingComponent // only a full member can create a group
		return -1
	}
	if len(s.all) >= maxGroups {
		q.status = mad.NoResources
		return -1
	}
	g := &group{MCMemberRecord: *want}
	g.PortGID, g.JoinState = mad.GID{}, 0
	g.MLID = units.FirstMulticastLID
	for slices.ContainsFunc(s.all, func(x *group) bool { return x.MLID == g.MLID }) {
		g.MLID++
	}
	g.LifetimeSelector, g.Lifetime = mad.Exactly, lifetime
	if g.MTU == 0 {
		g.MTUSelector, g.MTU = mad.Exactly, groupMTU
	}
	if g.Rate == 0 {
		g.RateSelector, g.Rate = mad.Exactly, groupRate
	}
	s.all = append(s.all, g)
	return len(s.all) - 1
}

// The MTU and rate of a group whose creator names none: 2048 bytes and 4x SDR, as with
// OpenSM.
const (
	groupMTU  = 4
	groupRate = 3
)

// quit ends a membership, and the group if it was the last member.
func (s *groups) quit(q *query, want *mad.MCMemberRecord) {
	at := slices.IndexFunc(s.all, func(g *group) bool { return g.MGID == want.MGID })
	if at < 0 {
		return
	}
	g := s.all[at]
	i := g.find(want.PortGID)
	if i < 0 {
		return
	}
	q.add(g.of(i))
	if g.members[i].join &^= want.JoinState; g.members[i].join == 0 {
		g.members = slices.Delete(g.members, i, i+1)
	}
	if len(g.members) == 0 && !g.permanent {
		s.all = slices.Delete(s.all, at, at+1)
		s.subscriptions.reportGID(mad.TrapGroupDeleted, g.MGID)
	}
	s.changed, q.regroup = true, true
}
