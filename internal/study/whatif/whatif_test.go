package whatif_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/study/whatif"
	"weft/units"
)

// tree is 4 leaves of 8 hosts, each with one cable to each of 8 spines.
func tree(t *testing.T) *subnet.Subnet {
	t.Helper()
	g, err := topology.TwoLevel{Endpoints: 32, NodeNICs: 8, Radix: 16, Spines: 8}.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := subnet.FromGraph(g, subnet.Link{Width: 4, Speed: subnet.NDR})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEachFailureCostsWhatTheTreeLoses: without a leaf its 8 hosts are cut off; without one of 8 spines, or one of 8 uplinks
// of a leaf, two of 8 flows share a cable and get half of it. Without one host the others are no longer in whole leaves,
// and shifts of any tree collide: two flows share a cable.
func TestEachFailureCostsWhatTheTreeLoses(t *testing.T) {
	s := tree(t)
	for _, c := range []struct {
		fail        string
		unreachable int64
		shift       float64
	}{
		{"leaf1", 2*8*24 + 8*7, 1},
		{"spine3", 0, 0.5},
		{"leaf2:12", 0, 0.5},
		{"node1/nic2", 2 * 31, 0.5},
	} {
		p, err := whatif.Find(s, c.fail)
		if err != nil {
			t.Fatal(err)
		}
		r, err := whatif.Evaluate(t.Context(), s, []whatif.Part{p}, whatif.Options{Engine: route.Auto})
		if err != nil {
			t.Fatal(err)
		}
		if r.Whole.Shift != 1 || r.Whole.Pairs != 32*31 {
			t.Fatalf("the whole fabric: %+v", r.Whole)
		}
		got := r.Costs[0]
		if got.Error != "" || got.Unreachable != c.unreachable {
			t.Errorf("%s: %d pairs without a path, want %d (%s)", c.fail, got.Unreachable, c.unreachable, got.Error)
		}
		if math.Abs(got.WorstShift-c.shift) > 0.001 {
			t.Errorf("%s: the worst shift gets %.3f of a cable, want %.3f", c.fail, got.WorstShift, c.shift)
		}
	}
}

// TestEveryPartIsJudgedOnceAndTheDearestComeFirst: 12 switches and 32 cables between them; the leaves cost most.
func TestEveryPartIsJudgedOnceAndTheDearestComeFirst(t *testing.T) {
	s := tree(t)
	var parts []whatif.Part
	for _, p := range whatif.Every(s) {
		if !p.Host {
			parts = append(parts, p)
		}
	}
	if len(parts) != 12+32 {
		t.Fatalf("%d parts, want 44", len(parts))
	}
	var reports [2]*whatif.Report
	for i, workers := range []int{1, 4} {
		r, err := whatif.Evaluate(t.Context(), s, parts, whatif.Options{Engine: route.Auto, Shifts: 8, Workers: workers, Grouped: true})
		if err != nil {
			t.Fatal(err)
		}
		reports[i] = r
	}
	groups := reports[0].Groups()
	if first := reports[0].Costs[0]; first.Kind != "switch" || groups[0].Count != 4 || !strings.HasPrefix(first.Failed, "leaf") {
		t.Errorf("the dearest are %d like %s, want the 4 leaves", groups[0].Count, first.Failed)
	}
	if reports[0].Shifts != 8 {
		t.Errorf("judged by %d shifts, want 8", reports[0].Shifts)
	}
	for i := range reports[0].Costs {
		if a, b := reports[0].Costs[i], reports[1].Costs[i]; a != b {
			t.Errorf("cost %d depends on the number of cores: %+v and %+v", i, a, b)
		}
	}
}

func TestAPartThatTheFabricDoesNotHaveIsRefused(t *testing.T) {
	s := tree(t)
	s.Nodes[32].Name, s.Nodes[33].Name = "twin", "twin"
	s.Nodes[34].Name = "MF0;rack7:MQM9700/U1"
	for text, want := range map[string]string{
		"nonsense":   "is no part of the fabric",
		"spin1":      `"spin1" is no part of the fabric: do you mean "spine1"?`,
		"spin1:9":    `"spin1:9" is no part of the fabric: do you mean "spine1:9"?`,
		"spine1:99":  "has no cable at port 99",
		"spine1:x":   "has no cable at port x",
		"twin":       "is the name of 2 nodes",
		"rack7:16:1": "has no cable at port 16:1",
	} {
		if _, err := whatif.Find(s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"rack7", "RACK7:9", "MF0;rack7:MQM9700/U1:9"} {
		if p, err := whatif.Find(s, text); err != nil || p.Node != 34 && p.Cable.Node != 34 {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
}

// TestHostsThatAreApartGetNothing: without the only cable between two leaves no shift is whole.
func TestHostsThatAreApartGetNothing(t *testing.T) {
	s := &subnet.Subnet{Origin: subnet.None}
	leaves := []int32{s.Add(subnet.Node{Kind: subnet.Switch, GUID: 1, Name: "leaf0"}, 8), s.Add(subnet.Node{Kind: subnet.Switch, GUID: 2, Name: "leaf1"}, 8)}
	for i, leaf := range leaves {
		s.Nodes[leaf].Ports[0].GUID = s.Nodes[leaf].GUID
		for p := range 2 {
			guid := units.GUID(16 + 4*i + p)
			host := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: guid, Name: fmt.Sprintf("host%d", 2*i+p)}, 1)
			s.Nodes[host].Ports[1].GUID = guid
			s.Connect(subnet.End{Node: host, Port: 1}, subnet.End{Node: leaf, Port: uint16(p + 1)}, subnet.Link{Width: 4, Speed: subnet.NDR})
		}
	}
	s.Connect(subnet.End{Node: leaves[0], Port: 8}, subnet.End{Node: leaves[1], Port: 8}, subnet.Link{Width: 4, Speed: subnet.NDR})
	p, err := whatif.Find(s, "leaf0 port 8")
	if err != nil {
		t.Fatal(err)
	}
	other, err := whatif.Find(s, "leaf1:8")
	if err != nil || !p.Same(s, other) {
		t.Errorf("the two ends of a cable are different parts (%v)", err)
	}
	r, err := whatif.Evaluate(t.Context(), s, []whatif.Part{p}, whatif.Options{Engine: route.Auto})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Costs[0]; c.Unreachable != 8 || c.Shift != 0 || c.WorstShift != 0 || r.Whole.Shift == 0 {
		t.Errorf("%d pairs without a path, want 8; shifts %.2f and %.2f, want 0; whole %.2f", c.Unreachable, c.Shift, c.WorstShift, r.Whole.Shift)
	}
}
