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

// partitions writes the partition keys of end ports, and finds the keys that two ports share.
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

// write writes the partition keys of an end port. The switch port to which an adapter is
// cabled gets the same keys and enforces them. Blocks beyond a port's table are left out.
func (k *partitions) write(n int32, p uint8) {
	if !k.inUse() {
		return
	}
	node := k.nodes[n]
	keys := k.of(node, p)
	k.writeKeys(n, 0, int(node.info.PartitionCap), keys)
	peer := node.ports[p].peer
	if peer == none || node.isSwitch() || !k.nodes[peer.node].isSwitch() {
		return
	}
	k.writeKeys(peer.node, peer.port, int(k.nodes[peer.node].sw.PartitionEnforcementCap), keys)
}

func (k *partitions) writeKeys(n int32, p uint8, room int, keys []mad.PKey) {
	for block := 0; block*mad.PKeysPerBlock < min(max(len(keys), 1), room); block++ {
		var t mad.PKeyTable
		copy(t[:], keys[min(block*mad.PKeysPerBlock, len(keys)):])
		k.ask(k.set(n, mad.AttrPKeyTable, uint32(p)<<16|uint32(block), p, &t))
	}
}

// enforces reports whether a port of a switch checks partition keys: ports with an
// adapter do, if the switch can.
func (k *partitions) enforces(n int32, p uint8) bool {
	peer := k.nodes[n].ports[p].peer
	return peer != none && !k.nodes[peer.node].isSwitch() && k.nodes[n].sw.PartitionEnforcementCap > 0
}

// shared is a partition key that two ports may use between them: both have it, and at
// least one as a full member (IBA vol. 1, 10.9.1.2).
func (k *partitions) shared(a, b subnet.End) (mad.PKey, bool) {
	if !k.inUse() || a == b {
		return mad.DefaultPKey, true
	}
	theirs := k.of(k.behind[b.Node], b.Port)
	for _, mine := range k.of(k.behind[a.Node], a.Port) {
		if slices.ContainsFunc(theirs, mine.Matches) {
			return mine, true
		}
	}
	return 0, false
}
