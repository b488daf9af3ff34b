package proof

import (
	"fmt"
	"maps"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
)

// Multicast is the verdict on the multicast tables of a subnet.
type Multicast struct {
	// Groups is the multicast LIDs that a table has; Trees are those of them whose cables form one tree, so that each
	// packet reaches each member once.
	Groups int `json:"groups"`
	Trees  int `json:"trees"`
	// Members is the ports of adapters that the tables lead to, summed over the groups.
	Members int `json:"members"`
	// Faults are the first faults, at most maxExamples, by LID; Count is all of them.
	Faults []MulticastFault `json:"-"`
	Count  int              `json:"faults"`
}

// MulticastFault is why a group is no tree.
type MulticastFault struct {
	LID  units.LID
	Text string // a sentence without a full stop, with the port
}

// CheckMulticast judges multicast tables, by switch in the order of Tables.Switch: for each group whether its ports have
// cables, and whether these join its switches and members into one tree. It fails only for tables of another subnet.
func CheckMulticast(s *subnet.Subnet, tables []map[units.LID]subnet.PortMask) (*Multicast, error) {
	n := newNetwork(s)
	if len(tables) != len(n.sw) {
		return nil, fmt.Errorf("the multicast tables are for %d switches, and the subnet has %d", len(tables), len(n.sw))
	}
	groups := map[units.LID]bool{}
	for _, t := range tables {
		for lid := range t {
			groups[lid] = true
		}
	}
	m := &Multicast{Groups: len(groups)}
	for _, lid := range slices.Sorted(maps.Keys(groups)) {
		g := group{n: n, lid: lid, tables: tables, root: make([]int32, len(n.sw)), out: m}
		before := m.Count
		g.check()
		if m.Count == before {
			m.Trees++
		}
	}
	return m, nil
}

// group is the check of one group. Switches that cables of the group join have one root.
type group struct {
	n      *network
	lid    units.LID
	tables []map[units.LID]subnet.PortMask
	root   []int32
	out    *Multicast
}

func (g *group) check() {
	for i := range g.root {
		g.root[i] = int32(i)
	}
	holders := map[int32]bool{} // roots of parts with members
	var members []int32
	for u := range g.n.sw {
		mask, ok := g.tables[u][g.lid]
		if !ok {
			continue
		}
		var list [256]uint8
		for _, p := range mask.Ports(list[:0]) {
			if g.port(int32(u), p) {
				members = append(members, int32(u))
			}
		}
	}
	for _, u := range members {
		holders[g.find(u)] = true
	}
	g.out.Members += len(members)
	if len(holders) > 1 {
		g.fault("its members are in %d parts that its cables do not join", len(holders))
	}
}

// port takes one port of a switch's entry; it reports whether an adapter or a router is behind it.
func (g *group) port(u int32, p uint8) bool {
	n := g.n
	if p == 0 {
		return false // the switch itself is a member
	}
	end := n.switchAt(u, p)
	c := u*int32(n.stride) + int32(p)
	if int(p) >= n.stride || n.to[c] == noSuchPort || n.to[c] == noCable {
		g.fault("%s has no cable", n.s.EndName(end))
		return false
	}
	v := n.to[c]
	if v == notASwitch {
		return true
	}
	back := g.tables[v][g.lid]
	if !back.Has(n.in[c]) {
		g.fault("%s leads to %s, whose table does not lead back", n.s.EndName(end), n.s.NodeName(n.sw[v]))
		return false
	}
	if u > v || u == v && p > n.in[c] {
		return false // the cable was seen from its other end
	}
	a, b := g.find(u), g.find(v)
	if a == b {
		g.fault("packets go round: %s closes a circle", n.s.EndName(end))
		return false
	}
	g.root[a] = b
	return false
}

func (g *group) find(u int32) int32 {
	for g.root[u] != u {
		g.root[u] = g.root[g.root[u]]
		u = g.root[u]
	}
	return u
}

func (g *group) fault(format string, args ...any) {
	g.out.Count++
	if len(g.out.Faults) < maxExamples {
		g.out.Faults = append(g.out.Faults, MulticastFault{g.lid, fmt.Sprintf(format, args...)})
	}
}

// Verdict is the check in words, a sentence without a full stop.
func (m *Multicast) Verdict() string {
	switch {
	case m.Groups == 0:
		return "no groups"
	case m.Count == 0:
		return fmt.Sprintf("%d of %d groups are trees that join all their members, %d ports of adapters in sum", m.Trees, m.Groups, m.Members)
	}
	f := m.Faults[0]
	return fmt.Sprintf("%d of %d groups are trees; the first fault: LID 0x%04x: %s", m.Trees, m.Groups, uint16(f.LID), f.Text)
}
