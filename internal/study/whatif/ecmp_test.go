package whatif_test

import (
	"context"
	"math"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/sim/routing"
	"weft/internal/study/ledger"
	"weft/internal/study/many"
	"weft/internal/study/whatif"
	"weft/units"
)

const rate = 400 * units.Gbps

// ethernet is the graph of a fabric and its names.
func ethernet(t *testing.T, spec topology.Spec) (*topology.Graph, *subnet.Subnet) {
	t.Helper()
	g, err := spec.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := subnet.FromGraph(g, subnet.Bare(rate))
	if err != nil {
		t.Fatal(err)
	}
	return g, s
}

// costOf is what the failure of a part costs, and what the whole fabric can do.
func costOf(t *testing.T, spec topology.Spec, fail string) (whole whatif.State, cost whatif.Cost) {
	t.Helper()
	g, s := ethernet(t, spec)
	p, err := whatif.Find(s, fail)
	if err != nil {
		t.Fatal(err)
	}
	r, err := whatif.EvaluateECMP(t.Context(), g, rate, nil, []whatif.Part{p}, whatif.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Whole, r.Costs[0]
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// TestBGPSharesFlowsAmongThePathsThatAreLeft: of 8 spines 7 carry what 8 did, and so do 7 of 8 cables of a leaf. In three levels
// a spine without one of its 2 cores' cables has one left for the leaves that lead to it.
func TestBGPSharesFlowsAmongThePathsThatAreLeft(t *testing.T) {
	two := topology.TwoLevel{Endpoints: 32, NodeNICs: 8, Radix: 16, Spines: 8}
	for _, c := range []struct {
		fail        string
		unreachable int64
		worst       float64
	}{
		{"leaf1", 2*8*24 + 8*7, 1},
		{"spine3", 0, 7. / 8},
		{"leaf2:12", 0, 7. / 8},
		{"node1/nic2", 2 * 31, 1},
	} {
		whole, got := costOf(t, two, c.fail)
		if whole.Shift != 1 || whole.Pairs != 32*31 || whole.Engine != whatif.BGP {
			t.Fatalf("the whole fabric: %+v", whole)
		}
		if got.Unreachable != c.unreachable || !near(got.WorstShift, c.worst) {
			t.Errorf("%s: %d pairs without a path, want %d; the worst shift %.4f, want %.4f", c.fail, got.Unreachable, c.unreachable, got.WorstShift, c.worst)
		}
	}
}

// leaves is two leaves with two hosts each at ends 4 and 5 and the given cables between them and to spines from 6 on.
func leaves(links ...topology.ListedLink) topology.Listed {
	all := []topology.ListedLink{{A: 0, B: 4}, {A: 1, B: 4}, {A: 2, B: 5}, {A: 3, B: 5}}
	return topology.Listed{Endpoints: 4, Links: append(all, links...)}
}

// TestUnequalCablesCarryEqualParts: BGP gives each of two parallel cables the half of 800 Gb/s, and the slower one can carry a
// quarter of that. Without it the other carries all.
func TestUnequalCablesCarryEqualParts(t *testing.T) {
	spec := leaves(topology.ListedLink{A: 4, B: 5, Rate: 800 * units.Gbps}, topology.ListedLink{A: 4, B: 5, Rate: 100 * units.Gbps})
	whole, without := costOf(t, spec, "switch4:4")
	if !near(whole.WorstShift, 0.25) {
		t.Errorf("with both cables the worst shift gets %.3f, want 0.25", whole.WorstShift)
	}
	if !near(without.WorstShift, 1) {
		t.Errorf("without the slow cable the worst shift gets %.3f, want 1", without.WorstShift)
	}
	if _, without := costOf(t, spec, "switch4:3"); !near(without.WorstShift, 0.125) {
		t.Errorf("without the fast cable the worst shift gets %.3f, want 0.125", without.WorstShift)
	}
}

// TestRailsApartAreJudgedEachForItself: hosts of two rails without a spine never had a path, so that no failure cuts one.
func TestRailsApartAreJudgedEachForItself(t *testing.T) {
	spec := topology.Listed{Endpoints: 6, Links: []topology.ListedLink{
		{A: 0, B: 6}, {A: 2, B: 6}, {A: 4, B: 6}, {A: 1, B: 7}, {A: 3, B: 7}, {A: 5, B: 7},
	}}
	whole, without := costOf(t, spec, "switch7")
	if whole.Pairs != 12 || !near(whole.Shift, 1) {
		t.Errorf("two rails of 3: %+v, want 12 pairs and full shifts", whole)
	}
	if without.Unreachable != 6 || !near(without.Shift, 1) {
		t.Errorf("without a rail: %d pairs lost, want 6; shift %.2f, want 1", without.Unreachable, without.Shift)
	}
}

// TestHostsOnASpineHaveAPath: storage is at a spine. Without its cable to one of the leaves, the leaf reaches it over another.
func TestHostsOnASpineHaveAPath(t *testing.T) {
	devices := []topology.ListedDevice{{Name: "h0/a"}, {Name: "h1/a"}, {Name: "h2/a"}, {Name: "h3/a"}, {Name: "storage/a"}}
	for i, level := range []int8{1, 1, 2, 2} {
		devices = append(devices, topology.ListedDevice{Name: []string{"leaf0", "leaf1", "spine0", "spine1"}[i], Level: level, Ports: 8, Group: -1})
	}
	spec := topology.Listed{Endpoints: 5, Devices: devices, Links: []topology.ListedLink{
		{A: 0, B: 5}, {A: 1, B: 5}, {A: 2, B: 6}, {A: 3, B: 6}, {A: 4, B: 7}, {A: 5, B: 7}, {A: 6, B: 7}, {A: 5, B: 8}, {A: 6, B: 8},
	}}
	whole, without := costOf(t, spec, "spine0:2")
	if whole.Pairs != 20 || whole.Shift == 0 {
		t.Errorf("whole: %+v, want 20 pairs", whole)
	}
	if without.Unreachable != 0 {
		t.Errorf("without spine0's cable to leaf0 %d pairs have no path, and leaf0 reaches it over spine1 and leaf1", without.Unreachable)
	}
}

// TestTheWorkIsSharedAndStops: two processes that share a folder print what one does; a stopped one has what it judged.
func TestTheWorkIsSharedAndStops(t *testing.T) {
	g, s := ethernet(t, topology.TwoLevel{Endpoints: 32, NodeNICs: 8, Radix: 16, Spines: 8})
	parts := whatif.Every(s)
	alone, err := whatif.EvaluateECMP(t.Context(), g, rate, nil, parts, whatif.Options{})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, worker := range []string{"one", "other"} {
		l, err := ledger.Open(folder, worker)
		if err != nil {
			t.Fatal(err)
		}
		shared, err := whatif.EvaluateECMP(t.Context(), g, rate, nil, parts, whatif.Options{Workers: 2, Sharing: many.NewSharing(l, "v", 2)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range alone.Costs {
			if alone.Costs[i] != shared.Costs[i] {
				t.Fatalf("cost %d is %+v, alone %+v", i, shared.Costs[i], alone.Costs[i])
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped, err := whatif.EvaluateECMP(ctx, g, rate, nil, parts, whatif.Options{Workers: 1, Told: func(done, _ int) {
		if done == 3 {
			stop()
		}
	}})
	if err == nil || stopped == nil || len(stopped.Costs) != 3 || stopped.Parts != len(parts) {
		t.Errorf("stopped after 3: %v, %+v", err, stopped)
	}
}

// TestBGPUsesNoMorePathsThanItsLimits: of 4 spines maximum-paths 2 uses the first two, so that the loss of the first leaves
// two that carry all, and the loss of the last costs nothing. Without multipath-relax a leaf uses one spine of its own system.
func TestBGPUsesNoMorePathsThanItsLimits(t *testing.T) {
	g, s := ethernet(t, topology.TwoLevel{Endpoints: 16, NodeNICs: 4, Radix: 8, Spines: 4})
	all := func(v int) []int {
		list := make([]int, g.Switches())
		for i := range list {
			list[i] = v
		}
		return list
	}
	systems := make([]uint32, g.Switches())
	for i := range systems {
		systems[i] = 65000 + uint32(i)
	}
	for _, c := range []struct {
		name               string
		limits             routing.Multipath
		whole, first, last float64
	}{
		{"two paths", routing.Multipath{Most: all(2), ASN: make([]uint32, g.Switches()), Relax: make([]bool, g.Switches())}, 0.5, 0.5, 0.5},
		{"three paths", routing.Multipath{Most: all(3), ASN: make([]uint32, g.Switches()), Relax: make([]bool, g.Switches())}, 0.75, 0.75, 0.75},
		{"four paths", routing.Multipath{Most: all(4), ASN: make([]uint32, g.Switches()), Relax: make([]bool, g.Switches())}, 1, 0.75, 0.75},
		{"a system for each switch", routing.Multipath{Most: all(0), ASN: systems, Relax: make([]bool, g.Switches())}, 0.25, 0.25, 0.25},
	} {
		var parts []whatif.Part
		for _, name := range []string{"spine0", "spine3"} {
			p, err := whatif.Find(s, name)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, p)
		}
		r, err := whatif.EvaluateECMP(t.Context(), g, rate, &c.limits, parts, whatif.Options{})
		if err != nil {
			t.Fatal(err)
		}
		worst := map[string]float64{}
		for _, cost := range r.Costs {
			worst[cost.Failed] = cost.WorstShift
		}
		if !near(r.Whole.WorstShift, c.whole) || !near(worst["spine0"], c.first) || !near(worst["spine3"], c.last) || r.Whole.Pairs != 16*15 {
			t.Errorf("%s: the whole fabric %.3f, %v; want %.3f, %.3f, %.3f", c.name, r.Whole.WorstShift, worst, c.whole, c.first, c.last)
		}
	}
}
