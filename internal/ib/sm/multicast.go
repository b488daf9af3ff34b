package sm

import (
	"cmp"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// group is a multicast group.
type group struct {
	mad.MCMemberRecord          // of the group as a whole; JoinState and PortGID of nobody
	members            []member // in the order in which they joined
	permanent          bool     // it stays without members
}

// broadcastGroup is the group that IP over InfiniBand needs before anything else
// (RFC 4391, 4 and 5): the manager makes it for the default partition, on the
// first multicast LID, and it stays without members. Its terms are OpenSM's.
func broadcastGroup() *group {
	return &group{permanent: true, MCMemberRecord: mad.MCMemberRecord{
		MGID: mad.GID{Prefix: 0xFF12_401B_FFFF_0000, GUID: 0xFFFF_FFFF}, QKey: 0xB1B, MLID: units.FirstMulticastLID,
		MTUSelector: mad.Exactly, MTU: groupMTU, RateSelector: mad.Exactly, Rate: groupRate,
		LifetimeSelector: mad.Exactly, Lifetime: lifetime, PKey: mad.DefaultPKey, Scope: 2, // link-local
	}}
}

// member is a port that joined a group.
type member struct {
	gid  mad.GID
	join uint8 // bits of JoinState
}

// What a group that does not exist yet needs to be told (IBA vol. 1,
// 15.2.5.17.2).
const createComponents = mad.MCMGID | mad.MCPortGID | mad.MCJoinState | mad.MCQKey | mad.MCTClass | mad.MCPKey | mad.MCSL | mad.MCFlowLabel

// multicast answers queries for groups, and lets ports join and leave (IBA
// vol. 1, 15.2.5.17).
func (m *Manager) multicast(q *query) {
	var want mad.MCMemberRecord
	_ = mad.Parse(q.data, &want)
	switch q.p.MAD.Method() {
	case mad.Get, mad.GetTable:
		m.findGroups(q, &want)
	case mad.Set:
		m.join(q, &want)
	case mad.Delete:
		m.quit(q, &want)
	default:
		q.status = mad.BadMethod
	}
}

// findGroups answers with groups, and with members where a port is asked for.
func (m *Manager) findGroups(q *query, want *mad.MCMemberRecord) {
	if !q.only(mad.MCMGID | mad.MCPortGID | mad.MCMLID | mad.MCPKey | mad.MCQKey) {
		return
	}
	for _, g := range m.admin.groups {
		if !wants(q, mad.MCMGID, want.MGID, g.MGID) || !wants(q, mad.MCMLID, want.MLID, g.MLID) ||
			!wants(q, mad.MCPKey, want.PKey, g.PKey) || !wants(q, mad.MCQKey, want.QKey, g.QKey) {
			continue
		}
		if q.mask&mad.MCPortGID == 0 {
			if !q.add(&g.MCMemberRecord) {
				return
			}
			continue
		}
		if i := g.find(want.PortGID); i >= 0 {
			q.add(g.of(i))
		}
	}
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

// join makes a port a member, and the group if there is none.
func (m *Manager) join(q *query, want *mad.MCMemberRecord) {
	if need := mad.MCMGID | mad.MCPortGID | mad.MCJoinState; q.mask&need != need {
		q.status = mad.MissingComponent
		return
	}
	if !want.MGID.Multicast() || want.JoinState == 0 {
		q.status = mad.ReqInvalid
		return
	}
	at := slices.IndexFunc(m.admin.groups, func(g *group) bool { return g.MGID == want.MGID })
	if at < 0 {
		if at = m.create(q, want); at < 0 {
			return
		}
	}
	g := m.admin.groups[at]
	if !wants(q, mad.MCPKey, want.PKey&0x7FFF, g.PKey&0x7FFF) || !wants(q, mad.MCQKey, want.QKey, g.QKey) {
		q.status = mad.ReqInvalid
		return
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
	m.groupsChanged()
}

// create makes a group with the lowest LID that is free.
func (m *Manager) create(q *query, want *mad.MCMemberRecord) int {
	if q.mask&createComponents != createComponents || want.JoinState&mad.JoinFull == 0 {
		q.status = mad.MissingComponent // only a full member can make a group
		return -1
	}
	if len(m.admin.groups) >= maxGroups {
		q.status = mad.NoResources
		return -1
	}
	g := &group{MCMemberRecord: *want}
	g.PortGID, g.JoinState = mad.GID{}, 0
	g.MLID = units.FirstMulticastLID
	for slices.ContainsFunc(m.admin.groups, func(x *group) bool { return x.MLID == g.MLID }) {
		g.MLID++
	}
	g.LifetimeSelector, g.Lifetime = mad.Exactly, lifetime
	if g.MTU == 0 {
		g.MTUSelector, g.MTU = mad.Exactly, groupMTU
	}
	if g.Rate == 0 {
		g.RateSelector, g.Rate = mad.Exactly, groupRate
	}
	m.admin.groups = append(m.admin.groups, g)
	m.reportGID(mad.TrapGroupCreated, g.MGID)
	return len(m.admin.groups) - 1
}

// A group of which nobody says otherwise has the MTU of 2048 bytes and the rate
// of 4x SDR, as OpenSM's.
const (
	groupMTU  = 4
	groupRate = 3
)

// quit ends a membership, and the group with its last member.
func (m *Manager) quit(q *query, want *mad.MCMemberRecord) {
	at := slices.IndexFunc(m.admin.groups, func(g *group) bool { return g.MGID == want.MGID })
	if at < 0 {
		return
	}
	g := m.admin.groups[at]
	i := g.find(want.PortGID)
	if i < 0 {
		return
	}
	q.add(g.of(i))
	if g.members[i].join &^= want.JoinState; g.members[i].join == 0 {
		g.members = slices.Delete(g.members, i, i+1)
	}
	if len(g.members) == 0 && !g.permanent {
		m.admin.groups = slices.Delete(m.admin.groups, at, at+1)
		m.reportGID(mad.TrapGroupDeleted, g.MGID)
	}
	m.groupsChanged()
}

// groupsChanged has the multicast tables written anew: now, or when what is under
// way is over, for all groups that have changed until then. After a sweep that
// was abandoned it is the next one that does it.
func (m *Manager) groupsChanged() {
	m.admin.regroup = true
	if m.phase == idle && m.settled {
		m.startRegroup()
	}
}

// startRegroup writes multicast tables, and nothing else.
func (m *Manager) startRegroup() {
	m.phase, m.again, m.givenUp = regroup, false, 0
	m.plantTrees()
	for dense, at := range m.tables.Switch {
		if w := m.written[m.behind[at].info.NodeGUID]; w != nil {
			m.writeMulticast(m.at[at], dense, w)
		}
	}
}

// finishRegroup goes to sleep, or to what came up meanwhile.
func (m *Manager) finishRegroup() {
	m.phase = idle
	switch {
	case m.again || m.givenUp > 0:
		m.startSweep()
	case m.admin.regroup:
		m.startRegroup()
	}
}

// multicastBlock is a block of a switch's multicast forwarding table.
type multicastBlock struct {
	modifier uint32
	table    mad.MulticastFDB
}

// multicastBlocks are the blocks of a switch's table that have a port in them,
// or had one before, in the order of their modifiers.
func (m *Manager) multicastBlocks(dense int, w *written) []multicastBlock {
	tables := map[uint32]*mad.MulticastFDB{}
	for key := range w.mft {
		tables[key] = &mad.MulticastFDB{}
	}
	for i, g := range m.admin.groups {
		mask := m.admin.trees[i][dense]
		for p := range 256 {
			if !mask.Has(uint8(p)) {
				continue
			}
			offset := uint16(g.MLID - units.FirstMulticastLID)
			key := mad.MulticastBlock(offset/mad.MLIDsPerBlock, uint8(p/mad.PortsPerPosition))
			if tables[key] == nil {
				tables[key] = &mad.MulticastFDB{}
			}
			tables[key][offset%mad.MLIDsPerBlock] |= 1 << (p % mad.PortsPerPosition)
		}
	}
	blocks := make([]multicastBlock, 0, len(tables))
	for key, t := range tables {
		blocks = append(blocks, multicastBlock{key, *t})
	}
	slices.SortFunc(blocks, func(a, b multicastBlock) int { return cmp.Compare(a.modifier, b.modifier) })
	return blocks
}

// plantTrees computes the trees of all groups, for a subnet that has just changed
// or for groups that have.
func (m *Manager) plantTrees() {
	m.admin.regroup = false
	m.admin.trees = m.admin.trees[:0]
	for _, g := range m.admin.groups {
		m.admin.trees = append(m.admin.trees, m.treeOf(g))
	}
}

// treeOf is the tree of a group: the ports by switch that its packets go out of.
// It is a part of the tree of shortest ways from the switch of the first member,
// so it has no loop.
func (m *Manager) treeOf(g *group) map[int]subnet.PortMask {
	masks := map[int]subnet.PortMask{}
	add := func(node int32, port uint8) {
		dense := int(m.tables.Dense[node])
		mask := masks[dense]
		mask.Add(port)
		masks[dense] = mask
	}
	var toRoot []subnet.End // by node: the port towards the root
	root := int32(-1)
	for _, x := range g.members {
		at, ok := m.byPort[x.gid.GUID]
		if !ok {
			continue // gone; it is a member again when it is back
		}
		sw := at
		if m.sub.Nodes[at.Node].Kind != subnet.Switch {
			if sw = m.sub.Peer(at); !sw.Exists() || m.tables.Dense[sw.Node] < 0 {
				continue // two adapters, cable to cable
			}
		}
		if root < 0 {
			root, toRoot = sw.Node, m.shortestWays(sw.Node)
		}
		add(sw.Node, sw.Port)
		for n := sw.Node; n != root && toRoot[n].Exists(); {
			up := toRoot[n]
			add(up.Node, up.Port)
			peer := m.sub.Peer(up)
			add(peer.Node, peer.Port)
			n = peer.Node
		}
	}
	return masks
}

// shortestWays is, by node, a switch's port towards a root, over fewest switches.
func (m *Manager) shortestWays(root int32) []subnet.End {
	toRoot := make([]subnet.End, len(m.sub.Nodes))
	for i := range toRoot {
		toRoot[i] = subnet.None
	}
	seen := make([]bool, len(m.sub.Nodes))
	seen[root] = true
	for queue := []int32{root}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for p := 1; p < len(m.sub.Nodes[n].Ports); p++ {
			peer := m.sub.Peer(subnet.End{Node: n, Port: uint8(p)})
			if peer.Exists() && !seen[peer.Node] && m.tables.Dense[peer.Node] >= 0 {
				seen[peer.Node] = true
				toRoot[peer.Node] = peer
				queue = append(queue, peer.Node)
			}
		}
	}
	return toRoot
}
