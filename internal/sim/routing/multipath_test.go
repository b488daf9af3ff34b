package routing_test

import (
	"fmt"
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/routing"
)

// tree is a fat tree of two levels: leaves with four ports up, each to a spine of its own.
func tree(t *testing.T) (*topology.Graph, *routing.Tables) {
	return must(t, topology.TwoLevel{Endpoints: 32, Radix: 8})
}

// multipathOf sets the paths of each switch of a graph by its level.
func multipathOf(g *topology.Graph, most func(level int8) int, asn func(level int8, sw int) uint32, relax bool) *routing.Multipath {
	m := &routing.Multipath{}
	for sw := range g.Switches() {
		level := g.Nodes[g.Endpoints+sw].Level
		m.Most = append(m.Most, most(level))
		m.ASN = append(m.ASN, asn(level, sw))
		m.Relax = append(m.Relax, relax)
	}
	return m
}

// TestBGPUsesAsManyPathsAsItIsAllowed: of the four paths of a leaf to another leaf, the first ports; spines of one system are
// one multipath, spines of systems of their own only with multipath-relax, and systems that are not known change nothing.
func TestBGPUsesAsManyPathsAsItIsAllowed(t *testing.T) {
	all := func(int8) int { return 0 }
	own := func(_ int8, sw int) uint32 { return 65000 + uint32(sw) }
	spinesShare := func(level int8, sw int) uint32 {
		if level > 1 {
			return 64900
		}
		return own(level, sw)
	}
	leavesKnown := func(level int8, sw int) uint32 {
		if level > 1 {
			return 0
		}
		return own(level, sw)
	}
	none := func(int8, int) uint32 { return 0 }
	for name, c := range map[string]struct {
		most  func(int8) int
		asn   func(int8, int) uint32
		relax bool
		want  int
	}{
		"no limit":                      {all, none, false, 4},
		"two at most":                   {func(int8) int { return 2 }, none, false, 2},
		"more than there are":           {func(int8) int { return 64 }, none, false, 4},
		"two at most on spines":         {func(level int8) int { return max(0, int(level)-1) * 2 }, none, false, 4},
		"systems of their own":          {all, own, false, 1},
		"systems of their own, relaxed": {all, own, true, 4},
		"both":                          {func(int8) int { return 3 }, own, true, 3},
		"spines of one system":          {all, spinesShare, false, 4},
		"spines without a system":       {all, leavesKnown, false, 4},
	} {
		g, tab := tree(t)
		got, err := tab.Limited(g, multipathOf(g, c.most, c.asn, c.relax))
		if err != nil {
			t.Fatal(err)
		}
		last := g.Endpoints - 1 // at another leaf than the first
		before, after := tab.Minimal(0, last), got.Minimal(0, last)
		if len(before) != 4 || !slices.Equal(after, before[:c.want]) {
			t.Errorf("%s: ports %v of %v, want the first %d", name, after, before, c.want)
		}
		if !slices.Contains(after, got.Static(0, last)) {
			t.Errorf("%s: the port of static routing is %d, of the set %v", name, got.Static(0, last), after)
		}
		if err := routing.CheckReachable(g, got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPathsThroughFewerSystemsComeFirst: of four spines two belong to the leaves' system, so that their paths have a system
// less; multipath-relax is about paths through as many systems.
func TestPathsThroughFewerSystemsComeFirst(t *testing.T) {
	g, tab := tree(t)
	spine := 0
	m := multipathOf(g, func(int8) int { return 0 }, func(level int8, sw int) uint32 {
		if level > 1 {
			if spine++; spine > 2 {
				return 65000 // of the first leaf
			}
			return 64900 + uint32(spine)
		}
		return 65000 + uint32(sw)
	}, true)
	got, err := tab.Limited(g, m)
	if err != nil {
		t.Fatal(err)
	}
	last := g.Endpoints - 1
	if before, after := tab.Minimal(0, last), got.Minimal(0, last); !slices.Equal(after, before[2:]) {
		t.Errorf("ports %v of %v, want the last two", after, before)
	}
}

// TestParallelCablesAreOneNeighbour: two cables to each spine count as two paths, of one system.
func TestParallelCablesAreOneNeighbour(t *testing.T) {
	g, tab := must(t, topology.TwoLevel{Endpoints: 16, Radix: 8})
	m := multipathOf(g, func(int8) int { return 0 }, func(_ int8, sw int) uint32 { return 65000 + uint32(sw) }, false)
	got, err := tab.Limited(g, m)
	if err != nil {
		t.Fatal(err)
	}
	last := g.Endpoints - 1
	var far []int32
	for _, port := range got.Minimal(0, last) {
		e, _, _ := g.Peer(topology.End{Node: topology.NodeID(g.Endpoints), Port: int32(port)})
		far = append(far, int32(e.Node))
	}
	if len(far) < 2 || len(slices.Compact(far)) != 1 {
		t.Errorf("%s of %v lead to %v, want several to one spine", fmt.Sprint(got.Minimal(0, last)), tab.Minimal(0, last), far)
	}
}
