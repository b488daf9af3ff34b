package route_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/units"
)

// lidded is a drawn fabric with LIDs.
func lidded(t *testing.T, seed uint64, lmc uint8) drawn {
	t.Helper()
	d := draw(seed)
	if err := d.s.AssignLIDs(lmc); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTablesDoNotDependOnCores(t *testing.T) {
	for seed := uint64(1); seed <= 40; seed++ {
		for _, e := range []route.Name{"minhop", "updn", "dnup", "dor", "ftree"} {
			d := lidded(t, seed, uint8(seed%3))
			o := route.Options{Roots: d.roots, AsOpenSM: true, Cores: 1}
			one, err := route.Compute(d.s, e, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Cores = 7
			seven, err := route.Compute(d.s, e, o)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(one.LFT, seven.LFT) || !reflect.DeepEqual(one.Hops(), seven.Hops()) {
				t.Errorf("%s, %s: tables or hops of one core and of seven differ", d.name, e)
			}
		}
	}
}

// In a whole fat tree all cables from one switch to the level above carry the same number
// of targets.
func TestAFatTreeIsBalanced(t *testing.T) {
	s := fatTree(t, 8)
	r, err := route.Compute(s, "ftree", route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hosts := map[units.LID]bool{}
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Adapter {
			hosts[s.Nodes[i].Ports[1].LID] = true
		}
	}
	for i, sw := range r.Switch {
		var up []int
		for p := 1; p < len(s.Nodes[sw].Ports); p++ {
			n := 0
			for lid, port := range r.LFT[i] {
				if hosts[units.LID(lid)] && port == uint8(p) {
					n++
				}
			}
			if s.Nodes[s.Nodes[sw].Ports[p].Peer.Node].Kind == subnet.Switch && p > 4 {
				up = append(up, n)
			}
		}
		if len(up) > 0 && slices.Max(up) != slices.Min(up) {
			t.Errorf("switch %d sends %d targets to its ports up", i, up)
		}
	}
}

func TestRefusalsNameTheReasonAndTheWayOut(t *testing.T) {
	grid := lidded(t, 2, 0)
	tree := fatTree(t, 4)
	peer := tree.Peer(subnet.End{Node: 0, Port: 1})
	tree.Nodes[0].Ports[1].Peer, tree.Port(peer).Peer = subnet.None, subnet.None
	lone := &subnet.Subnet{Origin: subnet.None}
	lone.Add(subnet.Node{Kind: subnet.Switch, GUID: 1}, 2)
	lone.Nodes[0].Ports[0] = subnet.Port{GUID: 1, LID: 1, Peer: subnet.None}
	for _, c := range []struct {
		s    *subnet.Subnet
		e    route.Name
		o    route.Options
		want string
	}{
		{grid.s, "updn", route.Options{}, "no switch has the same number of hops to nearly all hosts"},
		{grid.s, "updn", route.Options{Roots: []units.GUID{1}}, "none of the 1 named roots is a switch of this subnet"},
		{grid.s, "ftree", route.Options{}, "has hosts, so none is above another"},
		{tree, "ftree", route.Options{}, "are on one level and have"},
		{lone, "ftree", route.Options{}, "1 switch is no tree"},
		{lone, "dnup", route.Options{}, "no switch has a host"},
	} {
		_, err := route.Compute(c.s, c.e, c.o)
		var refusal *route.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Reason, c.want) || refusal.Remedy == "" {
			t.Errorf("%s: %v, expected a refusal because %s", c.e, err, c.want)
			continue
		}
		c.o.AsOpenSM = true
		r, err := route.Compute(c.s, c.e, c.o)
		if err != nil {
			t.Errorf("%s as OpenSM: %v", c.e, err)
			continue
		}
		if r.Report.Used != "minhop" || r.Report.Reason != refusal.Reason {
			t.Errorf("%s as OpenSM: tables of %s because %q, expected those of minhop because %q", c.e, r.Report.Used, r.Report.Reason, refusal.Reason)
		}
	}
}

func TestLIDsThatAreMissingOrClashAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(s *subnet.Subnet){
		"has no LID": func(s *subnet.Subnet) { s.Nodes[0].Ports[0].LID = 0 },
		"belongs to": func(s *subnet.Subnet) { s.Nodes[0].Ports[0].LID = s.Nodes[1].Ports[0].LID },
		"end at":     func(s *subnet.Subnet) { s.Nodes[0].Ports[0].LID = 0xc000 },
	} {
		s := fatTree(t, 4)
		spoil(s)
		if _, err := route.Compute(s, "minhop", route.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected an error with %q", err, want)
		}
	}
}

func TestPortsThatTheUserPutsFirstAreRoutedFirst(t *testing.T) {
	s := fatTree(t, 4)
	leaf := s.Nodes[s.Origin.Node].Ports[1].Peer.Node
	var far []units.GUID
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == subnet.Adapter && n.Ports[1].Peer.Node != leaf {
			far = append(far, n.Ports[1].GUID)
		}
	}
	r, err := route.Compute(s, "minhop", route.Options{Order: far})
	if err != nil {
		t.Fatal(err)
	}
	lid := map[units.GUID]units.LID{}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == subnet.Adapter {
			lid[n.Ports[1].GUID] = n.Ports[1].LID
		}
	}
	for i, guid := range far { // two ports up, in turn
		if got, want := r.LFT[r.Dense[leaf]][lid[guid]], uint8(3+i%2); got != want {
			t.Fatalf("target %d in the user's order goes to port %d, expected %d", i, got, want)
		}
	}
}

func TestTheEngineIsChosenFromTheFabric(t *testing.T) {
	tree := fatTree(t, 4)
	broken := fatTree(t, 4)
	peer := broken.Peer(subnet.End{Node: 0, Port: 1})
	broken.Nodes[0].Ports[1].Peer, broken.Port(peer).Peer = subnet.None, subnet.None
	for _, c := range []struct {
		s    *subnet.Subnet
		want route.Name
	}{
		{tree, "ftree"},
		{broken, "ftree"}, // with roots that are detected
		{built(t, topology.Torus{Dims: []int{4, 3, 5}, SwitchEndpoints: 2}), "torus-2QoS"},
		{built(t, topology.Dragonfly{P: 2, A: 4, H: 2}), "minhop"}, // on lanes
		{lidded(t, 2, 0).s, "dfsssp"},
	} {
		r, err := route.Compute(c.s, route.Auto, route.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Used != c.want || r.Report.Asked != route.Auto || r.Report.Reason == "" || r.Report.UnreachablePairs > 0 {
			t.Errorf("chose %s (%s), %d pairs apart; expected %s", r.Report.Used, r.Report.Reason, r.Report.UnreachablePairs, c.want)
		}
	}
}
