package sm

import (
	"cmp"
	"maps"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// tableRecords answers with the tables that this manager has written into switches and ports, with
// managers and with subscriptions. A table that it has not written has no record.
type tableRecords struct {
	*access
	written       ledger
	mastery       *mastery
	subscriptions *subscriptions
}

// answer fills in the records of a query.
func (x *tableRecords) answer(q *query) {
	switch q.p.MAD.Attribute() {
	case mad.AttrSwitchRecord:
		x.switchRecords(q)
	case mad.AttrLinearRecord:
		x.linearRecords(q)
	case mad.AttrMCastRecord:
		x.multicastRecords(q)
	case mad.AttrSLToVLRecord:
		x.levelRecords(q)
	case mad.AttrVLArbRecord:
		x.arbitrationRecords(q)
	case mad.AttrPKeyRecord:
		x.keyRecords(q)
	case mad.AttrGUIDInfoRecord:
		x.guidRecords(q)
	case mad.AttrSMInfoRecord:
		x.managerRecords(q)
	case mad.AttrInformRecord:
		x.subscriptionRecords(q)
	default:
		q.status = mad.BadAttribute
	}
}

// eachNode calls f for every end port that matches a query's LID, with its node, until it returns
// false.
func (x *tableRecords) eachNode(q *query, lid units.LID, f func(at subnet.End, lid units.LID, n *node) bool) {
	x.eachEndPort(func(at subnet.End, p *subnet.Port) bool {
		return !wants(q, mad.RecLID, x.base(lid), p.LID) || f(at, p.LID, x.behind[at.Node])
	})
}

func (x *tableRecords) switchRecords(q *query) {
	var want mad.SwitchInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID) {
		return
	}
	x.eachNode(q, want.LID, func(_ subnet.End, lid units.LID, n *node) bool {
		return !n.isSwitch() || q.add(&mad.SwitchInfoRecord{LID: lid, Info: n.sw})
	})
}

func (x *tableRecords) linearRecords(q *query) {
	var want mad.LinearFDBRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.BlockRecBlock) {
		return
	}
	x.eachNode(q, want.LID, func(_ subnet.End, lid units.LID, n *node) bool {
		dense, routed := x.dense[n]
		if !routed {
			return true
		}
		table := x.tables.LFT[dense]
		for block := 0; block*mad.LIDsPerBlock < len(table); block++ {
			r := mad.LinearFDBRecord{LID: lid, Block: uint16(block), Table: linearBlock(table, block)}
			if wants(q, mad.BlockRecBlock, want.Block, r.Block) && !q.add(&r) {
				return false
			}
		}
		return true
	})
}

func (x *tableRecords) multicastRecords(q *query) {
	var want mad.MulticastFDBRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.MulticastRecPosition | mad.MulticastRecBlock) {
		return
	}
	x.eachNode(q, want.LID, func(_ subnet.End, lid units.LID, n *node) bool {
		w := x.written[n.info.NodeGUID]
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

func (x *tableRecords) levelRecords(q *query) {
	var want mad.SLToVLRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.LevelRecIn | mad.LevelRecOut) {
		return
	}
	x.eachNode(q, want.LID, func(at subnet.End, lid units.LID, n *node) bool {
		w := x.written[n.info.NodeGUID]
		if w == nil {
			return true
		}
		for _, key := range slices.Sorted(maps.Keys(w.sl2vl)) {
			r := mad.SLToVLRecord{LID: lid, In: uint8(key >> 8), Out: uint8(key), Table: w.sl2vl[key]}
			if !n.isSwitch() && uint16(r.Out) != at.Port {
				continue // it belongs to another port of the adapter
			}
			if !n.isSwitch() {
				r.Out = 0 // an adapter's table belongs to no pair of ports
			}
			if wants(q, mad.LevelRecIn, want.In, r.In) && wants(q, mad.LevelRecOut, want.Out, r.Out) && !q.add(&r) {
				return false
			}
		}
		return true
	})
}

func (x *tableRecords) arbitrationRecords(q *query) {
	var want mad.VLArbRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.VLArbRecPort | mad.VLArbRecBlock) {
		return
	}
	x.eachNode(q, want.LID, func(at subnet.End, lid units.LID, n *node) bool {
		w := x.written[n.info.NodeGUID]
		if w == nil {
			return true
		}
		byPort := func(a, b uint32) int { return cmp.Or(cmp.Compare(a&0xFF, b&0xFF), cmp.Compare(a, b)) }
		for _, key := range sorting.Sorted(maps.Keys(w.arb), byPort) {
			r := mad.VLArbRecord{LID: lid, Port: uint8(key), Block: uint8(key >> 16), Table: w.arb[key]}
			if !n.isSwitch() && uint16(r.Port) != at.Port {
				continue
			}
			if wants(q, mad.VLArbRecPort, want.Port, r.Port) && wants(q, mad.VLArbRecBlock, want.Block, r.Block) && !q.add(&r) {
				return false
			}
		}
		return true
	})
}

// keyRecords adds the P_Key tables of end ports, and of switch ports that enforce the keys
// of their adapter. A query without the manager's key is refused (IBA vol. 1, 15.4.1.2).
func (x *tableRecords) keyRecords(q *query) {
	var want mad.PKeyRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.BlockRecBlock | mad.PKeyRecPort) {
		return
	}
	if q.p.MAD.SMKey() != x.smKey {
		q.status = mad.ReqInvalid
		return
	}
	x.eachNode(q, want.LID, func(at subnet.End, lid units.LID, n *node) bool {
		if !x.partitions.inUse() {
			return false
		}
		if !q.addKeys(&want, lid, uint8(at.Port), int(n.info.PartitionCap), x.partitions.of(n, uint8(at.Port))) {
			return false
		}
		for p := range n.ports {
			peer := x.sub.Peer(subnet.End{Node: at.Node, Port: uint16(p)})
			if !n.isSwitch() || p == 0 || !peer.Exists() || x.behind[peer.Node].isSwitch() {
				continue
			}
			keys := x.partitions.of(x.behind[peer.Node], uint8(peer.Port))
			if !q.addKeys(&want, lid, uint8(p), int(n.sw.PartitionEnforcementCap), keys) {
				return false
			}
		}
		return true
	})
}

// addKeys adds the blocks of a port's keys, as partitions writes them.
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

// guidRecords adds the first block of each port's GUIDs. The manager knows the first
// GUID only.
func (x *tableRecords) guidRecords(q *query) {
	var want mad.GUIDInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.BlockRecBlock) {
		return
	}
	x.eachNode(q, want.LID, func(at subnet.End, lid units.LID, _ *node) bool {
		r := mad.GUIDInfoRecord{LID: lid}
		r.Table[0] = x.sub.Port(at).GUID
		return !wants(q, mad.BlockRecBlock, want.Block, 0) || q.add(&r)
	})
}

// managerRecords adds this manager and the others that it knows, without their keys.
func (x *tableRecords) managerRecords(q *query) {
	var want mad.SMInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.RecLID | mad.SMInfoRecGUID | mad.SMInfoRecPriority | mad.SMInfoRecState) {
		return
	}
	for _, info := range x.mastery.known() {
		at, known := x.byPort[info.GUID]
		if !known {
			continue
		}
		info.SMKey = 0
		lid := x.sub.Port(at).LID
		if wants(q, mad.RecLID, x.base(want.LID), lid) && wants(q, mad.SMInfoRecGUID, want.Info.GUID, info.GUID) &&
			wants(q, mad.SMInfoRecPriority, want.Info.Priority, info.Priority) && wants(q, mad.SMInfoRecState, want.Info.State, info.State) &&
			!q.add(&mad.SMInfoRecord{LID: lid, Info: info}) {
			return
		}
	}
}

func (x *tableRecords) subscriptionRecords(q *query) {
	var want mad.InformInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.InformRecSubscriber | mad.InformRecNumber) {
		return
	}
	for i := range x.subscriptions.all {
		s := &x.subscriptions.all[i]
		r := mad.InformInfoRecord{Number: uint16(i), Info: s.InformInfo}
		if at, exists := x.owner(s.lid); exists {
			r.Subscriber = mad.GID{Prefix: mad.DefaultPrefix, GUID: x.sub.Port(at).GUID}
		}
		if wants(q, mad.InformRecSubscriber, want.Subscriber, r.Subscriber) && wants(q, mad.InformRecNumber, want.Number, r.Number) &&
			!q.add(&r) {
			return
		}
	}
}
