package infiniband

import (
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
)

// One broken cable makes a fat tree irregular, which ftree refuses. OpenSM then takes minhop,
// and ftree again after the repair of the cable; so does weft sm run. With --roots ftree
// stays.
func TestAManagerFallsBackAndReturnsAsOpenSMDoes(t *testing.T) {
	s := routetest.Build(t, topology.KAry{K: 4}, subnet.Link{Width: 4, Speed: subnet.EDR})
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	roots := route.Options{}
	cut := s.Clone()
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == subnet.Switch && topOfTree(s, int32(i)) {
			roots.Roots = append(roots.Roots, n.GUID)
			if len(roots.Roots) == 1 {
				far := cut.Peer(subnet.End{Node: int32(i), Port: 1})
				cut.Nodes[i].Ports[1].Peer, cut.Port(far).Peer = subnet.None, subnet.None
			}
		}
	}
	if len(roots.Roots) != 4 {
		t.Fatalf("%d switches without a leaf or a host, expected 4", len(roots.Roots))
	}
	for _, c := range []struct {
		s    *subnet.Subnet
		o    route.Options
		want string
	}{
		{s, route.Options{}, ""},
		{cut, route.Options{}, "minhop in place of ftree: ftree cannot route this fabric: switches "},
		{cut, roots, ""},
		{s, route.Options{}, ""},
	} {
		tables, instead, err := routeProven(c.s, "ftree", c.o)
		if err != nil {
			t.Fatal(err)
		}
		if (c.want == "") != (instead == "") || !strings.HasPrefix(instead, c.want) {
			t.Errorf("%q, expected %q", instead, c.want)
		}
		p, err := proof.Check(c.s, tables, proof.Options{})
		if err != nil || !p.Proven() {
			t.Errorf("%q: refuted: %v (%v)", instead, p.Refutations(), err)
		}
	}
}

// topOfTree reports whether all neighbours of a switch are switches without hosts.
func topOfTree(s *subnet.Subnet, sw int32) bool {
	for p := 1; p < len(s.Nodes[sw].Ports); p++ {
		peer := s.Nodes[sw].Ports[p].Peer
		if !peer.Exists() || s.Nodes[peer.Node].Kind != subnet.Switch {
			return false
		}
		for q := 1; q < len(s.Nodes[peer.Node].Ports); q++ {
			if next := s.Nodes[peer.Node].Ports[q].Peer; next.Exists() && s.Nodes[next.Node].Kind != subnet.Switch {
				return false
			}
		}
	}
	return true
}
