package route_test

import (
	"errors"
	"fmt"
	"testing"

	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/units"
)

// TestNueRoutesAnyFabricOnAnyNumberOfLanes: random fabrics, whole and damaged, on one lane and on three: all that cables join
// arrives, and there is no credit loop; paths are as short as cables allow on trees with one lane.
func TestNueRoutesAnyFabricOnAnyNumberOfLanes(t *testing.T) {
	longer := map[int]int64{}
	for seed := range uint64(40) {
		d := draw(seed)
		if d.s.AssignLIDs(uint8(seed%2)) != nil {
			continue
		}
		for _, lanes := range []int{1, 3} {
			r, err := route.Proved(d.s, "nue", route.Options{NueLanes: lanes})
			if err != nil {
				t.Fatalf("%s: %v", d.name, err)
			}
			p := r.Report.Proof
			if !p.Proven() || p.CreditLoops > 0 {
				t.Errorf("%s on %d lanes: %v", d.name, lanes, p.Refutations())
			}
			if p.Lanes > lanes || r.Lanes > lanes {
				t.Errorf("%s: %d lanes in use, %d in the tables, of %d", d.name, p.Lanes, r.Lanes, lanes)
			}
			longer[lanes] += p.Detours()
		}
	}
	if longer[1] == 0 || longer[3] >= longer[1] {
		t.Errorf("detours on 1 and 3 lanes: %v, want some on 1 and fewer on 3", longer)
	}
}

// TestNueTakesOneLaneWhereOthersCannot: a torus of 5x5 on one lane, where dfsssp and lash refuse.
func TestNueTakesOneLaneWhereOthersCannot(t *testing.T) {
	s := torusOf(5, 5)
	for _, name := range []route.Name{"dfsssp", "lash"} {
		var refusal *route.Refusal
		if _, err := route.Compute(s, name, route.Options{Lanes: 1}); !errors.As(err, &refusal) {
			t.Errorf("%s on one lane: %v, want a refusal", name, err)
		}
	}
	r, err := route.Proved(s, "nue", route.Options{Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Report.Proof; !p.Proven() || p.Lanes != 1 {
		t.Errorf("nue on one lane: %v", p.Refutations())
	}
	if u := mustCompute(t, s, "nue", route.Options{AsOpenSM: true}).Report.Unpredictable; u == "" {
		t.Error("as OpenSM nue does not say that its tables are weft's own")
	}
}

func mustCompute(t *testing.T, s *subnet.Subnet, name route.Name, o route.Options) *route.Result {
	t.Helper()
	r, err := route.Compute(s, name, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// torusOf is a torus of switches with two hosts each, with LIDs.
func torusOf(x, y int) *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	for i := range x * y {
		s.Add(subnet.Node{Kind: subnet.Switch, GUID: 0x100 + units.GUID(i), Name: fmt.Sprint("s", i)}, 6)
		s.Nodes[i].Ports[0].GUID = s.Nodes[i].GUID
	}
	at := func(a, b int) int32 { return int32((a%x)*y + b%y) }
	for a := range x {
		for b := range y {
			s.Connect(subnet.End{Node: at(a, b), Port: 1}, subnet.End{Node: at(a+1, b), Port: 2}, subnet.Link{Width: 4, Speed: subnet.NDR})
			s.Connect(subnet.End{Node: at(a, b), Port: 3}, subnet.End{Node: at(a, b+1), Port: 4}, subnet.Link{Width: 4, Speed: subnet.NDR})
			for h := range 2 {
				i := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: 0x10000 + units.GUID(len(s.Nodes)), Name: fmt.Sprint("h", len(s.Nodes))}, 1)
				s.Nodes[i].Ports[1].GUID = s.Nodes[i].GUID
				s.Connect(subnet.End{Node: at(a, b), Port: uint16(5 + h)}, subnet.End{Node: i, Port: 1}, subnet.Link{Width: 4, Speed: subnet.NDR})
			}
		}
	}
	if err := s.AssignLIDs(0); err != nil {
		panic(err)
	}
	return s
}
