package route_test

import (
	"fmt"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
)

// meanShift is the bandwidth and contention of a proof in the mean over all shifts.
func meanShift(t *testing.T, r *proof.Report) (bandwidth, contention float64) {
	t.Helper()
	for _, p := range r.Patterns {
		if p.Name == "shift: mean" {
			return p.Bandwidth, p.Contention
		}
	}
	t.Fatal("the proof has no mean of all shifts")
	return 0, 0
}

// noWorse fails if auto's tables are not proven, or are worse than OpenSM's tables in the
// mean over all shifts.
func noWorse(t *testing.T, what string, s *subnet.Subnet, theirs *subnet.Tables) *route.Result {
	t.Helper()
	got, err := route.Compute(s, route.Auto, route.Options{})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	ours, osm := check(t, s, got.Tables), check(t, s, theirs)
	if !ours.Proven() {
		t.Errorf("%s: %s is refuted: %v", what, got.Report.Used, ours.Refutations())
	}
	b, c := meanShift(t, ours)
	ob, oc := meanShift(t, osm)
	if b < ob || c > oc {
		t.Errorf("%s: %s has %.4f of a cable's rate and %.3f flows, OpenSM's default %.4f and %.3f", what, got.Report.Used, b, c, ob, oc)
	}
	loop := ""
	if osm.Deadlocks() {
		loop = ", credit loop"
	}
	t.Logf("| %s | %.1f %% | %.2f%s | %s | %.1f %% | %.2f |", what, 100*ob, oc, loop, got.Report.Used, 100*b, c)
	return got
}

// OpenSM 3.3.23 wrote the minhop tables of the reference fabrics. On drawn fabrics,
// AsOpenSM computes them; other tests compare AsOpenSM with the real OpenSM.
func TestAutoIsProvenAndNoWorseThanOpenSMsDefault(t *testing.T) {
	for _, fabric := range routetest.Fabrics {
		s := routetest.Fabric(t, fabric)
		noWorse(t, fabric, s, routetest.Tables(t, s, fabric, "minhop", false))
	}
	made := map[string]*subnet.Subnet{
		"tree of 128 hosts, a cable missing": withoutCable(fatTree(t, 8)),
		"leaf-spine of 128 hosts":            built(t, topology.TwoLevel{Endpoints: 128, Radix: 16}),
		"torus 5x5x5":                        built(t, topology.Torus{Dims: []int{5, 5, 5}, SwitchEndpoints: 1}),
		"torus 6x4, a cable missing":         withoutCable(built(t, topology.Torus{Dims: []int{6, 4}, SwitchEndpoints: 2})),
		"dragonfly of 264 hosts":             built(t, topology.Dragonfly{P: 2, A: 4, H: 3, Groups: 13}),
		"rails with aggregation nodes":       rails(t),
	}
	if !testing.Short() { // seconds
		made["tree of 1,024 hosts"] = built(t, topology.KAry{K: 16})
	}
	for seed := uint64(1); seed <= 60; seed++ {
		if d := lidded(t, seed, 0); d.s.Origin.Exists() && len(d.compute) > 2 {
			made[d.name] = d.s
		}
	}
	for name, s := range made {
		osm, err := route.Compute(s, "minhop", route.Options{AsOpenSM: true})
		if err != nil {
			t.Fatal(err)
		}
		noWorse(t, name, s, osm.Tables)
	}
}

// withoutCable removes the first cable between two switches.
func withoutCable(s *subnet.Subnet) *subnet.Subnet {
	cut(s, routetest.FirstCable(s))
	return s
}

// rails is a two-level fabric of DGX hosts: each of a host's 8 adapters is on its own leaf,
// two cables join each leaf to each spine, though some are missing, and each switch has an
// aggregation node.
func rails(t *testing.T) *subnet.Subnet {
	t.Helper()
	b := newBuilder(7, 3)
	named := func(at int32, name string) { b.s.Nodes[at].Name = name }
	var leaves, spines []int32
	for i := range 16 {
		leaves = append(leaves, b.sw(32))
		named(leaves[i], fmt.Sprintf("leaf%d", i))
	}
	for i := range 5 {
		spines = append(spines, b.sw(40))
		named(spines[i], fmt.Sprintf("spine%d", i))
	}
	for i, leaf := range leaves {
		for k, spine := range spines {
			b.join(leaf, spine)
			if (i*5+k)%7 != 3 {
				b.join(leaf, spine)
			}
			if i == 2 && k == 1 || i == 9 && k == 3 { // both cables
				for p := range b.s.Nodes[leaf].Ports {
					if e := (subnet.End{Node: leaf, Port: uint16(p)}); b.s.Peer(e).Exists() && b.s.Peer(e).Node == spine {
						cut(b.s, e)
					}
				}
			}
		}
	}
	for host := range 16 {
		for nic := range 8 {
			at := int32(len(b.s.Nodes))
			b.host(leaves[host/8*8+nic])
			named(at, fmt.Sprintf("dgx%02d mlx5_%d", host, nic))
		}
	}
	for _, sw := range append(leaves, spines...) {
		at := int32(len(b.s.Nodes))
		b.host(sw)
		named(at, "Mellanox Technologies Aggregation Node")
	}
	var d drawn
	b.finish(&d, 7)
	if err := d.s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	return d.s
}

// Aggregation nodes are cabled to spines, so that ftree needs roots and compute nodes, and
// the paths between aggregation nodes lead neither up nor down.
func TestAutoTriesFTreeWithTheRootsThatItDetects(t *testing.T) {
	s := rails(t)
	r, err := route.Compute(s, route.Auto, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var alone, rooted *route.Attempt
	for i := range r.Report.Tried {
		switch x := &r.Report.Tried[i]; {
		case x.Engine == "ftree" && x.With == "":
			alone = x
		case x.Engine == "ftree" && x.Refused == "":
			rooted = x
		}
	}
	if alone == nil || alone.Refused == "" || rooted == nil || rooted.With != "with 5 roots" {
		t.Errorf("%+v; expected ftree to be refused, and proven with 5 roots", r.Report.Tried)
	}
	tree, err := route.Compute(withoutCable(fatTree(t, 8)), route.Auto, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tree.Report.Used != "ftree" || tree.Report.Proof == nil || !tree.Report.Proof.Proven() {
		t.Errorf("a tree without a cable gets %s (%s)", tree.Report.Used, tree.Report.Reason)
	}
}

// Engines that follow OpenSM's rules close credit loops on fabrics where nobody expects
// them. Installable tables are proven: the engine's own on lanes, or another engine's with
// the reason.
func TestTablesThatArePrintedOrProgrammedAreProven(t *testing.T) {
	mended, fallen := 0, 0
	for seed := uint64(1); seed <= 120; seed++ {
		d := lidded(t, seed, 0)
		for _, e := range []route.Name{"minhop", "updn", "dnup", "dor", "sssp", "ftree"} {
			raw, err := route.Compute(d.s, e, route.Options{})
			if err == nil && !check(t, d.s, raw.Tables).Deadlocks() {
				continue
			}
			got, err := route.Installable(d.s, e, route.Options{})
			if err != nil {
				t.Errorf("%s, %s: %v", d.name, e, err)
				continue
			}
			p := check(t, d.s, got.Tables)
			if !p.Proven() || got.Report.Proof == nil || !got.Report.Proof.Proven() {
				t.Errorf("%s, %s: %s is refuted: %v", d.name, e, got.Report.Used, p.Refutations())
			}
			switch {
			case got.Report.Used == e:
				mended++
			case got.Report.Reason == "":
				t.Errorf("%s: %s fell back to %s and does not say why", d.name, e, got.Report.Used)
			default:
				fallen++
			}
		}
	}
	if mended < 20 || fallen < 20 {
		t.Errorf("%d tables with a credit loop were mended and %d engines fell back: too few, expected 20 of each", mended, fallen)
	}
}

// Tables whose credit loops no lane breaks are not programmed: up/down routing around one
// switch, which is free of deadlock on any fabric, replaces them.
func TestAnEngineWhoseLoopsNoLaneMendsFallsBack(t *testing.T) {
	for _, dims := range [][]int{{4, 4}, {5}, {5, 5}} {
		s := built(t, topology.Torus{Dims: dims, SwitchEndpoints: 1})
		got, err := route.Proved(s, "minhop", route.Options{Lanes: 1})
		if err != nil || got.Report.Proof.Proven() {
			t.Fatalf("minhop on a torus %v and one lane is proven (%v)", dims, err)
		}
		got, err = route.Installable(s, "minhop", route.Options{Lanes: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !check(t, s, got.Tables).Proven() || got.Report.Used == "minhop" || got.Report.Reason == "" || got.Lanes > 1 {
			t.Errorf("%v: %s (%s): %v", dims, got.Report.Used, got.Report.Reason, got.Report.Proof.Refutations())
		}
	}
}
