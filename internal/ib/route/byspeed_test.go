package route_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/units"
)

// mixedTree is four leaves with 16 hosts each at NDR, a cable to each of two NDR spines and to each of two spines of an older
// generation.
func mixedTree(old subnet.Speed) *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	const leaves, spines, hosts, cables = 4, 4, 16, 1
	add := func(kind subnet.Kind, name string, ports int) int32 {
		i := s.Add(subnet.Node{Kind: kind, GUID: units.GUID(0x1000 + 8*len(s.Nodes)), Name: name}, ports)
		base := 0
		if kind == subnet.Adapter {
			base = 1
		}
		s.Nodes[i].Ports[base].GUID = s.Nodes[i].GUID + 1
		return i
	}
	var spine []int32
	for i := range spines {
		spine = append(spine, add(subnet.Switch, fmt.Sprint("spine", i), leaves*cables))
	}
	for l := range leaves {
		leaf := add(subnet.Switch, fmt.Sprint("leaf", l), hosts+spines*cables)
		for i, sp := range spine {
			speed := subnet.NDR
			if i >= spines/2 {
				speed = old
			}
			for k := range cables {
				s.Connect(subnet.End{Node: leaf, Port: uint16(hosts + 1 + i*cables + k)}, subnet.End{Node: sp, Port: uint16(1 + l*cables + k)}, subnet.Link{Width: 4, Speed: speed})
			}
		}
		for h := range hosts {
			host := add(subnet.Adapter, fmt.Sprintf("h%03d mlx5_0", l*hosts+h), 1)
			s.Connect(subnet.End{Node: leaf, Port: uint16(1 + h)}, subnet.End{Node: host, Port: 1}, subnet.Link{Width: 4, Speed: subnet.NDR})
		}
	}
	if err := s.AssignLIDs(0); err != nil {
		panic(err)
	}
	return s
}

// shiftAt is the mean bandwidth of shifts at the cables' own rates.
func shiftAt(t *testing.T, s *subnet.Subnet, r *route.Result) float64 {
	t.Helper()
	p, err := proof.Check(s, r.Tables, proof.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range p.Patterns {
		if strings.HasPrefix(x.Name, "shift: mean") {
			return x.Bandwidth
		}
	}
	t.Fatal("no shifts")
	return 0
}

// TestBalanceBySpeedGivesSlowCablesFewerPaths: on a tree with two old spines shifts get more with each engine that weighs; on
// one with spines of one generation the tables are the same.
func TestBalanceBySpeedGivesSlowCablesFewerPaths(t *testing.T) {
	mixed, even := mixedTree(subnet.EDR), mixedTree(subnet.NDR)
	for _, name := range []route.Name{"minhop", "updn", "sssp", "dfsssp", "lash", "nue"} {
		plain, weighed := mustCompute(t, mixed, name, route.Options{}), mustCompute(t, mixed, name, route.Options{BySpeed: true})
		a, b := shiftAt(t, mixed, plain), shiftAt(t, mixed, weighed)
		t.Logf("%s: %.1f %% without, %.1f %% by speed", name, 100*a, 100*b)
		if name != "lash" && b <= a*1.2 {
			t.Errorf("%s: shifts get %.1f %% by speed and %.1f %% without", name, 100*b, 100*a)
		}
		same := mustCompute(t, even, name, route.Options{BySpeed: true})
		want := mustCompute(t, even, name, route.Options{})
		for i := range want.LFT {
			if string(want.LFT[i]) != string(same.LFT[i]) {
				t.Errorf("%s: by speed changes tables of a fabric of one speed", name)
				break
			}
		}
	}
	r := mustCompute(t, mixed, "ftree", route.Options{BySpeed: true})
	if !strings.Contains(strings.Join(r.Report.Notes, " "), "does not balance by speed") {
		t.Errorf("ftree does not say that it takes no rates: %q", r.Report.Notes)
	}
}
