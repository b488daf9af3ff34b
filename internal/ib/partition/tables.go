package partition

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"weft/units"
)

// full is the bit of a P_Key for full membership (IBA vol. 1, 10.9.1.2).
const full = 0x8000

// Match reports whether two P_Keys belong to the same partition and at least one has full
// membership (IBA vol. 1, 10.9.3). 0 and 0x8000 are no keys.
func Match(a, b uint16) bool {
	return a&^full != 0 && a&^full == b&^full && (a|b)&full != 0
}

// Common is the first key in a port's table that matches a key of another port, and that other key.
// ok is false if the two cannot communicate.
func Common(a, b []uint16) (own, other uint16, ok bool) {
	for _, own := range a {
		for _, other := range b {
			if Match(own, other) {
				return own, other, true
			}
		}
	}
	return 0, 0, false
}

// Tables is the P_Key tables that OpenSM writes into the adapter ports with these GUIDs; self is
// the index of its own port. A nil config means no file: all ports are full members of the default
// partition. With a file, all ports begin as limited members and the manager as a full member. If
// several rules name a port and a key, the last counts. The default partition has index 0 unless a
// rule with indx0 takes it. The other keys follow in the order of their byte-swapped values,
// because OpenSM sorts keys in wire order on little-endian machines.
//
// The error names a port whose table is too small for its keys.
//
// Source: tables of OpenSM 3.3.23, recorded and made by the tests.
func Tables(c *Config, ports []units.GUID, self int) ([][]uint16, error) {
	tables := make([][]uint16, len(ports))
	if c == nil {
		for i := range tables {
			tables[i] = []uint16{Default | full}
		}
		return tables, nil
	}
	b := builder{members: make([]map[uint16]Membership, len(ports)), index: make(map[units.GUID]int, len(ports)), self: self}
	for i, guid := range ports {
		b.members[i] = map[uint16]Membership{Default: Limited}
		b.index[guid] = i
	}
	b.add(self, Default, Full)
	for i := range c.Partitions {
		b.rule(&c.Partitions[i])
	}
	if b.full {
		return nil, fmt.Errorf("the port %v would have more than %d P_Keys: an adapter has no room for more", ports[b.over], maxKeys)
	}
	o := c.order()
	for i := range tables {
		tables[i] = o.table(b.members[i])
	}
	return tables, nil
}

// Table is the P_Key table of a port of any node. covers reports whether a member stands
// for the port; self says that the manager runs on the port.
func (c *Config) Table(covers func(*Member) bool, self bool) []uint16 {
	members := map[uint16]Membership{Default: Limited}
	if self {
		members[Default] = Full
	}
	for i := range c.Partitions {
		p := &c.Partitions[i]
		for j := range p.Members {
			if covers(&p.Members[j]) {
				members[p.Key] = p.Members[j].Membership
			}
		}
	}
	return c.order().table(members)
}

// maxKeys is the size of an adapter port's P_Key table: ConnectX has 128 entries.
const maxKeys = 128

type builder struct {
	members []map[uint16]Membership // by port and key
	index   map[units.GUID]int
	self    int
	full    bool // the table of port over is full
	over    int
}

// rule adds the members of one rule. Ports of switches and routers, and ports that the
// subnet does not have, are ignored.
func (b *builder) rule(p *Partition) {
	for _, m := range p.Members {
		switch m.Who {
		case Port:
			if i, ok := b.index[m.GUID]; ok {
				b.add(i, p.Key, m.Membership)
			}
		case All, AllAdapters:
			for i := range b.members {
				b.add(i, p.Key, m.Membership)
			}
		case Self:
			b.add(b.self, p.Key, m.Membership)
		case AllSwitches, AllRouters:
		}
	}
}

func (b *builder) add(i int, key uint16, m Membership) {
	if i < 0 || i >= len(b.members) {
		return
	}
	if _, known := b.members[i][key]; !known && len(b.members[i]) == maxKeys {
		b.full, b.over = true, i
		return
	}
	b.members[i][key] = m
}

// order decides the order of the keys in a table.
type order struct {
	first uint16 // the partition with indx0; else the default partition
	both  bool   // a port may have both keys of a partition
}

func (c *Config) order() order {
	o := order{first: Default, both: c.BothKeys}
	for i := range c.Partitions {
		if c.Partitions[i].First {
			o.first = c.Partitions[i].Key
		}
	}
	return o
}

// table lists the keys of a port in ascending order of their swapped bytes,
// limited before full. One key then moves to index 0: the key of the partition with indx0, if the
// port is a member; otherwise the key of the default partition, which OpenSM finds there and keeps.
// If both memberships are allowed, only the full key stays.
func (o order) table(members map[uint16]Membership) (t []uint16) {
	keys := slices.SortedFunc(maps.Keys(members), func(a, b uint16) int {
		return cmp.Compare(bits.ReverseBytes16(a), bits.ReverseBytes16(b))
	})
	for _, key := range keys {
		if members[key] == Limited || members[key] == Both && o.both {
			t = append(t, key)
		}
		if members[key] != Limited {
			t = append(t, key|full)
		}
	}
	front := slices.Index(t, o.first)
	if front < 0 {
		front = slices.Index(t, o.first|full)
	}
	if front < 0 || o.first == Default {
		front = slices.Index(t, Default|full)
		if front < 0 && !o.both {
			front = slices.Index(t, Default)
		}
	}
	if front > 0 {
		key := t[front]
		copy(t[1:], t[:front])
		t[0] = key
	}
	return t
}

// Both reports whether a member has both memberships of a partition. OpenSM makes it a full member
// unless it runs with allow_both_pkeys.
func (c *Config) Both() bool {
	for i := range c.Partitions {
		for _, m := range c.Partitions[i].Members {
			if m.Membership == Both {
				return true
			}
		}
	}
	return false
}
