package sm

import (
	"cmp"
	"maps"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// lookUpTables fills in the records of what this manager has written into switches and
// ports, and of managers. What it has not written, and so does not know, has no record.
func (m *Manager) lookUpTables(q *query) {
	switch q.p.MAD.Attribute() {
	case mad.AttrSwitchRecord:
		m.switchRecords(q)
	case mad.AttrLinearRecord:
		m.linearRecords(q)
	case mad.AttrMCastRecord:
		m.multicastRecords(q)
	case mad.AttrSLToVLRecord:
		m.levelRecords(q)
	case mad.AttrVLArbRecord:
		m.arbitrationRecords(q)
	case mad.AttrPKeyRecord:
		m.keyRecords(q)
	case mad.AttrGUIDInfoRecord:
		m.guidRecords(q)
	case mad.AttrSMInfoRecord:
		m.managerRecords(q)
	case mad.AttrInformRecord:
		m.subscriptionRecords(q)
	default:
		q.status = mad.BadAttribute
	}
}

// eachNode calls f for every node's port with a LID that a query may be about, until
// it returns false.
func (m *Manager) eachNode(q *query, lid units.LID, f func(at subnet.End, lid units.LID, n *node) bool) {
	m.eachEndPort(func(at subnet.End, p *subnet.Port) bool {
		return !wants(q, mad.RecLID, m.base(lid), p.LID) || f(at, p.LID, m.discovered(at.Node))
	})
}

func (m *Manager) switchRecords(q *query) {
	var want mad.SwitchInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID) {
		return
	}
	m.eachNode(q, want.LID, func(_ subnet.End, lid units.LID, n *node) bool {
		return !n.isSwitch() || q.add(&mad.SwitchInfoRecord{LID: lid, Info: n.sw})
	})
}

func (m *Manager) linearRecords(q *query) {
	var want mad.LinearFDBRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.BlockRecBlock) {
		return
	}
	m.eachNode(q, want.LID, func(_ subnet.End, lid units.LID, n *node) bool {
		dense, routed := m.dense[n]
		if !routed {
			return true
		}
		table := m.tables.LFT[dense]
		for block := 0; block*mad.LIDsPerBlock < len(table); block++ {
			r := mad.LinearFDBRecord{LID: lid, Block: uint16(block), Table: linearBlock(table, block)}
			if wants(q, mad.BlockRecBlock, want.Block, r.Block) && !q.add(&r) {
				return false
			}
		}
		return true
	})
}

func (m *Manager) multicastRecords(q *query) {
	var want mad.MulticastFDBRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.MulticastRecPosition | mad.MulticastRecBlock) {
		return
	}
	m.eachNode(q, want.LID, func(_ subnet.End, lid units.LID, n *node) bool {
		w := m.written[n.info.NodeGUID]
		if w == nil {
			return true
		}
		for _, modifier := range slices.Sorted(maps.Keys(w.mft)) {
			block, position := mad.SplitMulticastBlock(modifier)
			r := mad.MulticastFDBRecord{LID: lid, Position: position, Block: block, Table: w.mft[modifier]}
			if wants(q, mad.MulticastRecPosition, want.Position, position) && wants(q, mad.MulticastRecBlock, want.Block, block) &&
				!q.add(&r) {
				return false
			}
		}
		return true
	})
}

func (m *Manager) levelRecords(q *query) {
	var want mad.SLToVLRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.LevelRecIn | mad.LevelRecOut) {
		return
	}
	m.eachNode(q, want.LID, func(at subnet.End, lid units.LID, n *node) bool {
		w := m.written[n.info.NodeGUID]
		if w == nil {
			return true
		}
		for _, key := range slices.Sorted(maps.Keys(w.sl2vl)) {
			r := mad.SLToVLRecord{LID: lid, In: uint8(key >> 8), Out: uint8(key), Table: w.sl2vl[key]}
			if !n.isSwitch() && r.Out != at.Port {
				continue // of another port of the adapter
			}
			if !n.isSwitch() {
				r.Out = 0 // an adapter's table is of no pair of ports
			}
			if wants(q, mad.LevelRecIn, want.In, r.In) && wants(q, mad.LevelRecOut, want.Out, r.Out) && !q.add(&r) {
				return false
			}
		}
		return true
	})
}

func (m *Manager) arbitrationRecords(q *query) {
	var want mad.VLArbRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.VLArbRecPort | mad.VLArbRecBlock) {
		return
	}
	m.eachNode(q, want.LID, func(at subnet.End, lid units.LID, n *node) bool {
		w := m.written[n.info.NodeGUID]
		if w == nil {
			return true
		}
		byPort := func(a, b uint32) int { return cmp.Or(cmp.Compare(a&0xFF, b&0xFF), cmp.Compare(a, b)) }
		for _, key := range slices.SortedFunc(maps.Keys(w.arb), byPort) {
			r := mad.VLArbRecord{LID: lid, Port: uint8(key), Block: uint8(key >> 16), Table: w.arb[key]}
			if !n.isSwitch() && r.Port != at.Port {
				continue
			}
			if wants(q, mad.VLArbRecPort, want.Port, r.Port) && wants(q, mad.VLArbRecBlock, want.Block, r.Block) && !q.add(&r) {
				return false
			}
		}
		return true
	})
}

// keyRecords tells of the keys of end ports, and of the ports of switches that enforce
// those of the adapter that hangs on them. Only who knows the manager's key is told
// (IBA vol. 1, 15.4.1.2).
func (m *Manager) keyRecords(q *query) {
	var want mad.PKeyRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.BlockRecBlock | mad.PKeyRecPort) {
		return
	}
	if q.p.MAD.SMKey() != m.cfg.SMKey {
		q.status = mad.ReqInvalid
		return
	}
	m.eachNode(q, want.LID, func(at subnet.End, lid units.LID, n *node) bool {
		if m.cfg.Partitions == nil {
			return false
		}
		if !q.addKeys(&want, lid, at.Port, int(n.info.PartitionCap), m.cfg.Partitions(m.endPortOf(n, at.Port))) {
			return false
		}
		for p := range n.ports {
			peer := n.ports[p].peer
			if !n.isSwitch() || p == 0 || peer == none || m.nodes[peer.node].isSwitch() {
				continue
			}
			keys := m.cfg.Partitions(m.endPortOf(m.nodes[peer.node], peer.port))
			if !q.addKeys(&want, lid, uint8(p), int(n.sw.PartitionEnforcementCap), keys) {
				return false
			}
		}
		return true
	})
}

// addKeys adds the blocks of a port's keys, as [Manager.writeKeys] writes them.
func (q *query) addKeys(want *mad.PKeyRecord, lid units.LID, port uint8, room int, keys []mad.PKey) bool {
	for block := 0; block*mad.PKeysPerBlock < min(max(len(keys), 1), room); block++ {
		r := mad.PKeyRecord{LID: lid, Block: uint16(block), Port: port}
		copy(r.Table[:], keys[min(block*mad.PKeysPerBlock, len(keys)):])
		if wants(q, mad.BlockRecBlock, want.Block, r.Block) && wants(q, mad.PKeyRecPort, want.Port, port) && !q.add(&r) {
			return false
		}
	}
	return true
}

// guidRecords tells of the first block of each port: of its GUIDs the manager knows the
// port's own.
func (m *Manager) guidRecords(q *query) {
	var want mad.GUIDInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.BlockRecBlock) {
		return
	}
	m.eachNode(q, want.LID, func(at subnet.End, lid units.LID, _ *node) bool {
		r := mad.GUIDInfoRecord{LID: lid}
		r.Table[0] = m.sub.Port(at).GUID
		return !wants(q, mad.BlockRecBlock, want.Block, 0) || q.add(&r)
	})
}

// managerRecords tells of this manager and of those that it knows. Nobody is told a
// key.
func (m *Manager) managerRecords(q *query) {
	var want mad.SMInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.SMInfoRecGUID | mad.SMInfoRecPriority | mad.SMInfoRecState) {
		return
	}
	all := []mad.SMInfo{{GUID: m.guid, ActCount: m.actCount, Priority: m.cfg.Priority, State: m.state}}
	for i := range m.others {
		all = append(all, m.others[i].info)
	}
	for _, info := range all {
		at, known := m.byPort[info.GUID]
		if !known {
			continue
		}
		info.SMKey = 0
		lid := m.sub.Port(at).LID
		if wants(q, mad.RecLID, m.base(want.LID), lid) && wants(q, mad.SMInfoRecGUID, want.Info.GUID, info.GUID) &&
			wants(q, mad.SMInfoRecPriority, want.Info.Priority, info.Priority) && wants(q, mad.SMInfoRecState, want.Info.State, info.State) &&
			!q.add(&mad.SMInfoRecord{LID: lid, Info: info}) {
			return
		}
	}
}

func (m *Manager) subscriptionRecords(q *query) {
	var want mad.InformInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.InformRecSubscriber | mad.InformRecNumber) {
		return
	}
	for i := range m.admin.subscribers {
		s := &m.admin.subscribers[i]
		r := mad.InformInfoRecord{Number: uint16(i), Info: s.InformInfo}
		if int(s.lid) < len(m.owners) && m.owners[s.lid].Exists() {
			r.Subscriber = mad.GID{Prefix: mad.DefaultPrefix, GUID: m.sub.Port(m.owners[s.lid]).GUID}
		}
		if wants(q, mad.InformRecSubscriber, want.Subscriber, r.Subscriber) && wants(q, mad.InformRecNumber, want.Number, r.Number) &&
			!q.add(&r) {
			return
		}
	}
}
