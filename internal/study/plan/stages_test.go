package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/run/network"
	"weft/internal/study/plan"
	"weft/scenario"
)

// 64 H100 that grow to 256, by hand from the scalable unit of NVIDIA's SuperPOD (RA-11333-001: 32 nodes, 8 leaves, 4 spines, 256
// cables between them). One switch of 64 ports is full. It becomes the leaf of the first rail, so that 7 of the 8 NICs of each
// node move.
func TestASwitchIsEnoughUntilItIsFull(t *testing.T) {
	d := first(t, "{gpus: 64, gpus-later: 256, node: dgx-h100, fabrics: infiniband}")
	g := d.Growth
	if d.Count.TotalSwitches() != 1 || g.Count.Switches != [3]int{8, 4, 0} || g.Holds != 64 || len(g.Ways) != 2 {
		t.Fatalf("%s: %v switches, later %+v", d.Name, d.Count.Switches, g)
	}
	for i, want := range [][]string{
		{"64..64 1 switches +64 ~0 -0", "72..256 12 switches +448 ~56 -0"},
		{"64..64 12 switches +320 ~0 -0", "72..256 12 switches +192 ~0 -0"},
	} {
		for k, s := range g.Ways[i].Stages {
			got := fmt.Sprintf("%d..%d %d switches +%d ~%d -%d", s.From, s.To, s.Switches[0]+s.Switches[1], s.Counted(plan.AddCable), s.Counted(plan.MoveCable), s.Counted(plan.RemoveCable))
			if got != want[k] {
				t.Errorf("%s: %s, by hand %s", g.Ways[i].Name, got, want[k])
			}
		}
	}
	if small, all := g.Ways[0].Stages, g.Ways[1].Stages; small[0].Power.Known >= all[0].Power.Known || small[1].Power.Known != all[1].Power.Known {
		t.Errorf("the power of the ways is %+v and %+v", small, all)
	}
}

// A switch of 144 ports has places for 18 nodes, 80 places more than today.
func TestNodesAloneComeWhileASwitchHasPorts(t *testing.T) {
	d := first(t, "{gpus: 64, gpus-later: 256, node: dgx-b300, fabrics: infiniband, switches: q3400}")
	if d.Growth.Holds != 144 || d.Growth.Ways[0].Stages[1].To != 144 || d.Growth.Ways[0].Stages[1].Switches != [3]int{1, 0, 0} {
		t.Errorf("%+v", d.Growth)
	}
}

// The steps of each stage make the network of the stage: no port has two cables, and the last has the cables of the later
// design. Both ways buy the same in the end.
func TestTheStepsMakeTheLaterNetwork(t *testing.T) {
	for _, text := range []string{
		"{gpus: 64, gpus-later: 256, node: dgx-h100, fabrics: infiniband}",
		"{gpus: 64, gpus-later: 512, node: dgx-b300}",
		"{gpus: 256, gpus-later: 2048, node: dgx-h100, max-oversubscription: 2, fabrics: roce-v2, switches: sn5600}",
		"{gpus: 128, gpus-later: 1024, node: dgx-h100, shapes: fat-tree, fabrics: infiniband, spare-ports: 12}",
	} {
		for _, d := range made(t, text, nil).Designs {
			if d.Growth == nil || len(d.Growth.Ways) == 0 {
				continue
			}
			want := pairsOf(t, d)
			for _, w := range d.Growth.Ways {
				if got := replayed(t, d.Name+" "+w.Name, w); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s, %s: %d pairs of devices, the later design has %d", d.Name, w.Name, len(got), len(want))
				}
			}
			ways := d.Growth.Ways
			a, b := ways[0].Stages[len(ways[0].Stages)-1], ways[len(ways)-1].Stages[len(ways[len(ways)-1].Stages)-1]
			if a.Power.Known != b.Power.Known || a.Switches != b.Switches {
				t.Errorf("%s: the ways end at %v and %v switches", d.Name, a.Switches, b.Switches)
			}
		}
	}
}

// replayed is the number of cables between each two devices after all steps of a way.
func replayed(t *testing.T, name string, w plan.Way) map[string]int {
	t.Helper()
	cables := map[string]string{} // each end to the other
	put := func(a, b string) {
		if cables[a] != "" || cables[b] != "" {
			t.Fatalf("%s: %s to %s, and %s is joined to %q, %s to %q", name, a, b, a, cables[a], b, cables[b])
		}
		cables[a], cables[b] = b, a
	}
	cut := func(a, b string) {
		if cables[a] != b {
			t.Fatalf("%s: no cable from %s to %s: %q", name, a, b, cables[a])
		}
		delete(cables, a)
		delete(cables, b)
	}
	for _, s := range w.Stages {
		for _, c := range s.Cables {
			switch c.Action {
			case plan.MoveCable:
				cut(c.From, c.Was)
			case plan.RemoveCable:
				cut(c.From, c.To)
			}
		}
		for _, c := range s.Cables {
			if c.Action != plan.RemoveCable {
				put(c.From, c.To)
			}
		}
	}
	out := map[string]int{}
	for a, b := range cables {
		x, _, _ := strings.Cut(a, " port")
		y, _, _ := strings.Cut(b, " port")
		out[x+" "+y]++
	}
	return out
}

// pairsOf is the number of cables between each two devices of the later network of a design.
func pairsOf(t *testing.T, d *plan.Design) map[string]int {
	t.Helper()
	file, err := scenario.Decode(d.Name, d.Growth.Text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	spec, err := network.Shape(&r.Fabrics[0].Topology, &r.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	g, err := spec.Build()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, c := range g.Cables {
		a, b := g.Nodes[c.A.Node].Name, g.Nodes[c.B.Node].Name
		out[a+" "+b]++
		out[b+" "+a]++
	}
	if topology.Tally(g).Switches != d.Growth.Count.Switches {
		t.Errorf("%s: %v switches", d.Name, d.Growth.Count.Switches)
	}
	return out
}

// first is the first design of a request.
func first(t *testing.T, text string) *plan.Design {
	t.Helper()
	p := made(t, text, nil)
	if len(p.Designs) == 0 {
		t.Fatalf("%s has no design: %+v", text, p.Relax)
	}
	return p.Designs[0]
}
