package sm

import (
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// enterAssign gives every port its LID and computes the tables, then writes
// LIDs and keys to the end ports.
func (m *Manager) enterAssign() {
	m.phase = assign
	s := m.build()
	if !s.Origin.Exists() {
		m.abandon() // the manager's own node does not answer
		return
	}
	known := m.known(s)
	if err := s.AssignLIDsKeeping(m.cfg.LMC, known); err != nil {
		m.event(Event{Kind: NotAssigned, Err: err})
		m.abandon()
		return
	}
	m.tellOfLost(known, s)
	tables, instead, err := m.cfg.Route(s)
	if err != nil {
		m.event(Event{Kind: NotRouted, Err: err})
		m.abandon()
		return
	}
	m.tellOfFallback(instead)
	m.sub, m.tables, m.owners = s, tables, s.Owners()
	m.behind = make([]*node, len(s.Nodes))
	m.byPort = map[units.GUID]subnet.End{}
	m.eachEndPort(func(at subnet.End, p *subnet.Port) bool {
		m.byPort[p.GUID] = at
		return true
	})
	m.dense = make(map[*node]int, len(tables.Switch))
	for i := range s.Nodes {
		m.behind[i] = m.nodes[m.at[i]]
		if d := tables.Dense[i]; d >= 0 {
			m.dense[m.behind[i]] = int(d)
		}
	}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if q := &s.Nodes[i].Ports[p]; q.LID != 0 {
				m.lids[q.GUID] = q.LID
				m.writeEndPort(m.at[i], uint8(p), q)
			}
		}
	}
}

// tellOfFallback tells when routing begins, or ceases, to be other than it was asked for.
func (m *Manager) tellOfFallback(instead string) {
	switch {
	case instead == m.instead:
	case instead != "":
		m.event(Event{Kind: FellBack, Text: instead})
	default:
		m.event(Event{Kind: RoutedAsAsked})
	}
	m.instead = instead
}

// tellOfLost names the ports that could not keep their LIDs.
func (m *Manager) tellOfLost(known map[units.GUID]units.LID, s *subnet.Subnet) {
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			q := &s.Nodes[i].Ports[p]
			if had := known[q.GUID]; q.LID != 0 && had != 0 && had != q.LID {
				m.event(Event{Kind: LIDNotKept, GUID: q.GUID, LID: had, Now: q.LID})
			}
		}
	}
}

// known are the LIDs that ports should keep: those that this manager gave out or
// was told, then those that ports have.
func (m *Manager) known(s *subnet.Subnet) map[units.GUID]units.LID {
	known := make(map[units.GUID]units.LID, len(m.lids))
	for guid, lid := range m.lids {
		known[guid] = lid
	}
	if m.cfg.Reassign {
		return known
	}
	for i := range s.Nodes {
		n := m.nodes[m.at[i]]
		for p := range n.ports {
			q := &n.ports[p]
			if _, given := known[q.guid]; !given && q.guid != 0 && q.have && q.info.LID != 0 {
				known[q.guid] = q.info.LID
			}
		}
	}
	return known
}

// managerLID is the LID of the manager's own port.
func (m *Manager) managerLID() units.LID {
	if m.sub == nil {
		return 0
	}
	o := m.sub.Origin
	if m.sub.Nodes[o.Node].Kind == subnet.Switch {
		o.Port = 0
	}
	return m.sub.Port(o).LID
}

// writeEndPort writes LID and keys of an end port, if it has others, and its
// partition keys.
func (m *Manager) writeEndPort(n int32, p uint8, q *subnet.Port) {
	r := &m.nodes[n].ports[p]
	want := r.info
	want.LID, want.LMC = q.LID, q.LMC
	want.MasterSMLID, want.MasterSMSL = m.managerLID(), 0
	want.GIDPrefix = mad.DefaultPrefix
	want.SubnetTimeOut = subnetTimeout
	if k := &m.cfg.MKey; k.Key != 0 {
		want.MKey, want.MKeyProtect, want.MKeyLease = k.Key, k.Level, k.Lease
	}
	if want != r.info {
		r.info = want
		unchanged(&want)
		want.ClientReregister = r.info.CapabilityMask&mad.CapReregister != 0
		m.ask(m.set(n, mad.AttrPortInfo, uint32(p), p, &want))
	}
	if m.cfg.Partitions != nil {
		m.writePartitions(n, p)
	}
}

// subnetTimeout is what every port is told: 4.096 µs × 2^18, 1.07 s, OpenSM's.
const subnetTimeout = 18

// unchanged sets the components of a PortInfo to write that 0 leaves as they are.
func unchanged(p *mad.PortInfo) {
	p.State, p.PhysState, p.LinkDownDefault = mad.PortNop, mad.PhysNop, 0
	p.LinkWidthEnabled, p.LinkSpeedEnabled, p.LinkSpeedExtOn, p.LinkSpeedExt2On = 0, 0, 0, 0
}

// endPortOf is what partitions are given out by.
func (m *Manager) endPortOf(n *node, p uint8) EndPort {
	guid := n.ports[p].guid
	return EndPort{Kind: subnet.Kind(n.info.Type), GUID: guid, Self: guid == m.guid}
}

// writePartitions writes the partition keys of an end port, and of the port of a
// switch that an adapter hangs on, which enforces them: a block at a time, and
// not beyond the port's table.
func (m *Manager) writePartitions(n int32, p uint8) {
	node := m.nodes[n]
	keys := m.cfg.Partitions(m.endPortOf(node, p))
	m.writeKeys(n, 0, int(node.info.PartitionCap), keys)
	peer := node.ports[p].peer
	if peer == none || node.isSwitch() || !m.nodes[peer.node].isSwitch() {
		return
	}
	m.writeKeys(peer.node, peer.port, int(m.nodes[peer.node].sw.PartitionEnforcementCap), keys)
}

func (m *Manager) writeKeys(n int32, p uint8, room int, keys []mad.PKey) {
	for block := 0; block*mad.PKeysPerBlock < min(max(len(keys), 1), room); block++ {
		var t mad.PKeyTable
		copy(t[:], keys[min(block*mad.PKeysPerBlock, len(keys)):])
		m.ask(m.set(n, mad.AttrPKeyTable, uint32(p)<<16|uint32(block), p, &t))
	}
}
