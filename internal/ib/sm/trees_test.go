package sm

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
	"weft/wire/mad"
)

// A packet of any member reaches every other member once: the cables of a group form a
// tree.
func TestTheTreeOfAGroupReachesEveryMemberOnce(t *testing.T) {
	s := routetest.Build(t, topology.TwoLevel{Endpoints: 8, Radix: 4}, subnet.Link{Width: 4, Speed: subnet.NDR})
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	nodes, at := make([]*node, len(s.Nodes)), make([]int32, len(s.Nodes))
	for i := range nodes {
		nodes[i], at[i] = &node{}, int32(i)
	}
	r := newRouted(s, subnet.NewTables(s), at, nodes)
	x := &group{MCMemberRecord: mad.MCMemberRecord{MLID: units.FirstMulticastLID + 40}}
	var members []subnet.End
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Adapter && i != 3 {
			members = append(members, subnet.End{Node: int32(i), Port: 1})
			x.members = append(x.members, member{gid: mad.GID{GUID: s.Nodes[i].Ports[1].GUID}, join: mad.JoinFull})
		}
	}
	tr := &trees{writer: &writer{&requests{}, &r}, groups: &groups{all: []*group{x}, changed: true}}
	tr.compute()
	if tr.groups.changed {
		t.Error("the groups count as changed after their trees were computed")
	}
	for _, from := range members {
		got := map[subnet.End]int{}
		var spread func(at subnet.End, steps int)
		spread = func(at subnet.End, steps int) {
			if d := r.tables.Dense[at.Node]; d >= 0 && steps < 100 {
				mask := tr.byGroup[0][int(d)]
				for p := range s.Nodes[at.Node].Ports {
					if mask.Has(uint8(p)) && uint16(p) != at.Port {
						spread(s.Peer(subnet.End{Node: at.Node, Port: uint16(p)}), steps+1)
					}
				}
				return
			}
			got[at]++
		}
		spread(s.Peer(from), 0)
		for _, to := range members {
			if want := 1; to != from && got[to] != want {
				t.Errorf("from %s, %s gets %d packets, want %d", s.EndName(from), s.EndName(to), got[to], want)
			}
		}
		if len(got) != len(members)-1 {
			t.Errorf("from %s, %d ports get packets, want %d", s.EndName(from), len(got), len(members)-1)
		}
	}
	blocks := tr.blocks(0, &written{})
	for _, b := range blocks {
		if block, _ := mad.SplitMulticastBlock(b.modifier); block != 1 || b.table[8] == 0 {
			t.Errorf("multicast LID 40 of the range stands in block %d, entry 8 is %#x; want block 1", block, b.table[8])
		}
	}
}
