package route_test

import (
	"math/rand/v2"
	"testing"

	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
)

// flood follows a member's packet through the multicast tables. It returns the copies
// that each port gets and the longest path, and stops if copies never end.
func flood(s *subnet.Subnet, t *subnet.Tables, mlid units.LID, from subnet.End) (got map[subnet.End]int, longest int) {
	type copyOf struct {
		at   subnet.End
		hops int
	}
	got = map[subnet.End]int{}
	for queue := []copyOf{{s.Peer(from), 1}}; len(queue) > 0 && len(got) < 1<<16; queue = queue[1:] {
		c := queue[0]
		if s.Nodes[c.at.Node].Kind != subnet.Switch || c.hops > len(s.Nodes) {
			got[c.at]++
			longest = max(longest, c.hops)
			continue
		}
		mask := t.MFT[t.Dense[c.at.Node]][mlid]
		for p := 1; p < len(s.Nodes[c.at.Node].Ports); p++ {
			if out := (subnet.End{Node: c.at.Node, Port: uint16(p)}); mask.Has(uint8(p)) && out != c.at && s.Peer(out).Exists() {
				queue = append(queue, copyOf{s.Peer(out), c.hops + 1})
			}
		}
	}
	return got, longest
}

func TestMulticastReachesEachMemberOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, f := range routetest.Fabrics {
		s := routetest.Fabric(t, f)
		var ends []subnet.End
		for _, e := range s.Owners() {
			if e.Exists() && s.Nodes[e.Node].Kind != subnet.Switch {
				ends = append(ends, e)
			}
		}
		groups := []route.Group{{MLID: 0xc000, Members: ends}, {MLID: 0xc001}}
		for i := range 8 {
			r.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
			groups = append(groups, route.Group{MLID: units.LID(0xc010 + i), Members: append([]subnet.End(nil), ends[:1+r.IntN(len(ends))]...)})
		}
		groups[0].Members = append([]subnet.End(nil), ends...)
		tables := subnet.NewTables(s)
		if err := route.Multicast(s, tables, groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			for _, from := range g.Members {
				got, _ := flood(s, tables, g.MLID, from)
				for _, to := range g.Members {
					if to != from && got[to] != 1 {
						t.Errorf("%s, 0x%04x from %v: %v gets %d copies", f, g.MLID, from, to, got[to])
					}
				}
				if len(got) != len(g.Members)-1 {
					t.Errorf("%s, 0x%04x from %v: %d ports get it, %d members", f, g.MLID, from, len(got), len(g.Members))
				}
			}
		}
	}
}

func TestWrongMulticastGroupsAreErrors(t *testing.T) {
	s := routetest.Fabric(t, "ft2-16")
	sw := s.Clone().Nodes
	for _, g := range [][]route.Group{
		{{MLID: 0xbfff}},
		{{MLID: 0xffff}},
		{{MLID: 0xc000}, {MLID: 0xc000}},
		{{MLID: 0xc000, Members: []subnet.End{{Node: firstSwitch(sw)}}}},
	} {
		if err := route.Multicast(s, subnet.NewTables(s), g); err == nil {
			t.Errorf("%+v was accepted", g)
		}
	}
}

func firstSwitch(nodes []subnet.Node) int32 {
	for i := range nodes {
		if nodes[i].Kind == subnet.Switch {
			return int32(i)
		}
	}
	return -1
}

func TestAdaptiveGroupsHaveAllShortestPathsAndNoOther(t *testing.T) {
	for _, f := range routetest.Fabrics {
		s := routetest.Fabric(t, f)
		a, err := route.AdaptiveGroups(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := route.Compute(s, "minhop", route.Options{})
		if err != nil {
			t.Fatal(err)
		}
		hops := r.Hops()
		for lid, owner := range s.Owners() {
			if !owner.Exists() {
				continue
			}
			if s.Nodes[owner.Node].Kind != subnet.Switch {
				owner = s.Peer(owner)
			}
			for u, of := range a.Of {
				row := hops.At[u][r.Dense[owner.Node]]
				for p := 1; p < len(row); p++ {
					want := row[0] > 0 && row[p] == row[0]
					if got := of[lid] != route.NoGroup && a.Groups[u][of[lid]].Has(uint8(p)); got != want {
						t.Fatalf("%s, switch %d, LID %d, port %d: in the group %v, on a shortest path %v", f, u, lid, p, got, want)
					}
				}
			}
		}
	}
}
