package sm

import (
	"cmp"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// trees is the trees of multicast groups in the routed subnet, and writes them into the
// multicast tables of switches.
type trees struct {
	*writer
	groups  *groups
	written ledger
	byGroup []map[int]subnet.PortMask // in the order of groups: ports by switch
}

// compute computes the trees of all groups, after a change of the subnet or of the groups.
func (t *trees) compute() {
	t.groups.changed = false
	t.byGroup = t.byGroup[:0]
	for _, g := range t.groups.all {
		t.byGroup = append(t.byGroup, t.of(g))
	}
}

// rewrite computes the trees again and writes the tables that changed.
func (t *trees) rewrite() {
	t.compute()
	for dense, at := range t.tables.Switch {
		if w := t.written[t.behind[at].info.NodeGUID]; w != nil {
			t.write(t.at[at], dense, w)
		}
	}
}

// write writes the blocks of a switch's multicast table that changed.
func (t *trees) write(i int32, dense int, w *written) {
	blocks := t.blocks(dense, w)
	if w.mft == nil {
		w.mft = map[uint32]mad.MulticastFDB{}
	}
	for _, b := range blocks {
		if had, ok := w.mft[b.modifier]; (ok || b.table == (mad.MulticastFDB{})) && had == b.table {
			continue
		}
		w.mft[b.modifier] = b.table
		t.ask(t.set(i, mad.AttrMulticastFDB, b.modifier, 0, &b.table))
	}
}

// multicastBlock is a block of a switch's multicast forwarding table.
type multicastBlock struct {
	modifier uint32
	table    mad.MulticastFDB
}

// blocks is the blocks of a switch's table that contain a port, or did before, in the order of
// their modifiers.
func (t *trees) blocks(dense int, w *written) []multicastBlock {
	tables := map[uint32]*mad.MulticastFDB{}
	for key := range w.mft {
		tables[key] = &mad.MulticastFDB{}
	}
	for i, g := range t.groups.all {
		mask := t.byGroup[i][dense]
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
	for key, table := range tables {
		blocks = append(blocks, multicastBlock{key, *table})
	}
	sorting.Func(blocks, func(a, b multicastBlock) int { return cmp.Compare(a.modifier, b.modifier) })
	return blocks
}

// of is the tree of a group: by switch, the output ports of its packets. It is part of the tree of
// shortest paths from the first member's switch, so it has no loop.
func (t *trees) of(g *group) map[int]subnet.PortMask {
	masks := map[int]subnet.PortMask{}
	add := func(node int32, port uint8) {
		dense := int(t.tables.Dense[node])
		mask := masks[dense]
		mask.Add(port)
		masks[dense] = mask
	}
	var toRoot []subnet.End // by node: the port towards the root
	root := int32(-1)
	for _, x := range g.members {
		at, ok := t.byPort[x.gid.GUID]
		if !ok {
			continue // not found; it is a member again when it is back
		}
		sw := at
		if t.sub.Nodes[at.Node].Kind != subnet.Switch {
			if sw = t.sub.Peer(at); !sw.Exists() || t.tables.Dense[sw.Node] < 0 {
				continue // two adapters, back to back
			}
		}
		if root < 0 {
			root, toRoot = sw.Node, t.shortestPaths(sw.Node)
		}
		add(sw.Node, uint8(sw.Port))
		for n := sw.Node; n != root && toRoot[n].Exists(); {
			up := toRoot[n]
			add(up.Node, uint8(up.Port))
			peer := t.sub.Peer(up)
			add(peer.Node, uint8(peer.Port))
			n = peer.Node
		}
	}
	return masks
}

// shortestPaths is, by node, a switch's port towards a root, over the fewest switches.
func (t *trees) shortestPaths(root int32) []subnet.End {
	toRoot := make([]subnet.End, len(t.sub.Nodes))
	for i := range toRoot {
		toRoot[i] = subnet.None
	}
	seen := make([]bool, len(t.sub.Nodes))
	seen[root] = true
	for queue := []int32{root}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for p := 1; p < len(t.sub.Nodes[n].Ports); p++ {
			peer := t.sub.Peer(subnet.End{Node: n, Port: uint16(p)})
			if peer.Exists() && !seen[peer.Node] && t.tables.Dense[peer.Node] >= 0 {
				seen[peer.Node] = true
				toRoot[peer.Node] = peer
				queue = append(queue, peer.Node)
			}
		}
	}
	return toRoot
}
