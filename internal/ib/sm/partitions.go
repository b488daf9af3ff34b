package sm

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// EndPort is a port that has a LID.
type EndPort struct {
	Kind subnet.Kind
	GUID units.GUID
	Self bool // the manager runs on it
}

// partitions writes the partition keys of end ports, and finds the keys that two ports share. It
// reads each table first, writes the blocks that differ, and reads what it wrote: so the subnet is
// up only if each port has the keys of its own partitions.
type partitions struct {
	*writer
	keys func(EndPort) []mad.PKey // nil: the default partition for all
}

// inUse reports whether the manager writes partition keys.
func (k *partitions) inUse() bool { return k.keys != nil }

// of is the partition keys of an end port.
func (k *partitions) of(n *node, p uint8) []mad.PKey {
	guid := n.ports[p].guid
	return k.keys(EndPort{Kind: subnet.Kind(n.info.Type), GUID: guid, Self: guid == k.guid})
}

// readTables reads the P_Key tables of an end port, and of the switch port to which an adapter is
// cabled: it gets the same keys and enforces them. took writes the blocks that differ.
func (k *partitions) readTables(n int32, p uint8) {
	if !k.inUse() {
		return
	}
	node := k.nodes[n]
	k.readTable(n, p)
	peer := node.ports[p].peer
	if peer != none && !node.isSwitch() && k.nodes[peer.node].isSwitch() {
		k.readTable(peer.node, peer.port)
	}
}

// readTable reads all blocks of a port's table: a block that no key is for may have keys of an
// earlier manager.
func (k *partitions) readTable(n int32, p uint8) {
	keys, room := k.wanted(n, p), k.room(n, p)
	if len(keys) > room && room > 0 {
		e := k.about(&request{attr: mad.AttrPKeyTable, node: n, port: p, path: k.nodes[n].agentOf(p).path}, TooManyKeys, mad.OK)
		e.Count, e.Need = room, len(keys)
		k.complain(e)
	}
	for block := 0; block*mad.PKeysPerBlock < room; block++ {
		k.get(n, mad.AttrPKeyTable, k.modifier(n, p, block), p)
	}
}

// modifier selects a block of a port's table. The agent of an adapter's port has no other port's
// table (IBA vol. 1, 14.2.5.7).
func (k *partitions) modifier(n int32, p uint8, block int) uint32 {
	if !k.nodes[n].isSwitch() {
		p = 0
	}
	return uint32(p)<<16 | uint32(block)
}

// room is the number of keys that a port's table holds.
func (k *partitions) room(n int32, p uint8) int {
	if node := k.nodes[n]; node.isSwitch() && p > 0 {
		return int(node.sw.PartitionEnforcementCap)
	}
	return int(k.nodes[n].info.PartitionCap)
}

// wanted is the keys that a port should have: those of an end port, or of the adapter at a switch's
// port.
func (k *partitions) wanted(n int32, p uint8) []mad.PKey {
	if node := k.nodes[n]; node.isSwitch() && p > 0 {
		peer := node.ports[p].peer
		return k.of(k.nodes[peer.node], peer.port)
	}
	return k.of(k.nodes[n], p)
}

// took compares a block that was read with the block that a port should have, and writes it if it
// differs. A block that was written is read once more: if it still differs, took reports false.
func (k *partitions) took(r *request, d *mad.MAD) bool {
	if r.method == mad.Set {
		again := *r
		again.method, again.data, again.again = mad.Get, [mad.SMPDataBytes]byte{}, true
		k.ask(again)
		return true
	}
	keys, block := k.wanted(r.node, r.port), int(r.modifier&0xFFFF)
	var got, want mad.PKeyTable
	_ = mad.Parse(d.SMPData(), &got)
	copy(want[:], keys[min(block*mad.PKeysPerBlock, len(keys)):])
	switch {
	case got == want:
	case r.again:
		return false
	default:
		k.ask(k.set(r.node, mad.AttrPKeyTable, r.modifier, r.port, &want))
	}
	return true
}

// enforces reports whether a port of a switch checks partition keys: ports with an
// adapter do, if the switch can.
func (k *partitions) enforces(n int32, p uint8) bool {
	peer := k.nodes[n].ports[p].peer
	return peer != none && !k.nodes[peer.node].isSwitch() && k.nodes[n].sw.PartitionEnforcementCap > 0
}

// keysOf is the keys of an end port of the routed subnet.
func (k *partitions) keysOf(at subnet.End) []mad.PKey {
	if !k.inUse() {
		return []mad.PKey{mad.DefaultPKey}
	}
	return k.of(k.behind[at.Node], uint8(at.Port))
}

// shared is a partition key that two ports may use between them: both have it, and at
// least one as a full member (IBA vol. 1, 10.9.1.2).
func (k *partitions) shared(a, b subnet.End) (mad.PKey, bool) {
	if !k.inUse() || a == b {
		return mad.DefaultPKey, true
	}
	theirs := k.keysOf(b)
	for _, mine := range k.keysOf(a) {
		if slices.ContainsFunc(theirs, mine.Matches) {
			return mine, true
		}
	}
	return 0, false
}
