package proof

import "weft/internal/ib/subnet"

// tree is the forwarding entries for one LID as a tree: the switches that reach the LID,
// each behind the switch that it forwards to, and the switches that do not.
type tree struct {
	root  int32
	port  []uint8  // column of the LID
	order []int32  // switches that reach the LID, the root first
	next  []int32  // switch that each of them forwards to; -1 at the root
	hops  []uint16 // cables to the root, or one of the states below
	loops []int32  // a switch on each loop
	stack []int32
}

// States of a switch without a number of hops.
const (
	unknown = ^uint16(0) - iota
	onStack
	dead    // the packet ends at a switch that cannot forward it
	looping // the packet comes back to a switch
	states  // any value above is a state
)

func newTree(n *network) *tree {
	s := len(n.sw)
	return &tree{order: make([]int32, 0, s), next: make([]int32, s), hops: make([]uint16, s)}
}

// grow walks the entries of one LID.
func (t *tree) grow(n *network, column []uint8, root int32, rootPort uint8) {
	t.root, t.port, t.order, t.loops = root, column, t.order[:0], t.loops[:0]
	for u := range t.hops {
		t.hops[u] = unknown
	}
	for u := range t.hops {
		if t.hops[u] == unknown {
			t.follow(n, int32(u), rootPort)
		}
	}
}

// follow walks from a switch until its packets end or meet an earlier walk.
func (t *tree) follow(n *network, u int32, rootPort uint8) {
	t.stack = t.stack[:0]
	var hops uint16
	for {
		if hops = t.hops[u]; hops != unknown {
			break
		}
		p := t.port[u]
		if u == t.root && p == rootPort {
			t.hops[u], t.next[u], hops = 0, -1, 0
			t.order = append(t.order, u)
			break
		}
		v := int32(noSuchPort)
		if int(p) < n.stride {
			v = n.to[int(u)*n.stride+int(p)]
		}
		if v < 0 {
			t.hops[u], hops = dead, dead
			break
		}
		t.hops[u], t.next[u] = onStack, v
		t.stack = append(t.stack, u)
		u = v
	}
	if hops == onStack {
		hops = looping
		t.loops = append(t.loops, u)
	}
	for i := len(t.stack) - 1; i >= 0; i-- {
		w := t.stack[i]
		if hops < states {
			hops++
			t.order = append(t.order, w)
		}
		t.hops[w] = hops
	}
}

// reaches reports whether packets of a switch arrive.
func (t *tree) reaches(u int32) bool { return t.hops[u] < states }

// fault is the kind of fault in a switch's entry for a LID at the root; none for a correct entry.
func (n *network) fault(u int32, p uint8, root int32, rootPort uint8) Kind {
	if p == subnet.NoPort {
		return MissingEntry
	}
	if p == 0 {
		if u == root && rootPort == 0 {
			return none
		}
		return WrongEnd
	}
	if u == root && p == rootPort {
		return none
	}
	if int(p) >= n.stride {
		return NoSuchPort
	}
	switch n.to[int(u)*n.stride+int(p)] {
	case noSuchPort:
		return NoSuchPort
	case noCable:
		return PortWithoutCable
	case notASwitch:
		return WrongEnd
	}
	return none
}
