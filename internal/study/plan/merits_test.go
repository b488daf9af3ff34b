package plan_test

import (
	"math"
	"slices"
	"testing"

	"weft/internal/study/plan"
	"weft/scenario"
)

// By hand. 512 GPUs of DGX H100 are 64 nodes in two units of 32 (NVIDIA RA-11333-001). On rails, NIC r of a node shares its leaf
// with 31 of the 63 others: 31 ways over one switch and 32 over three. In the fat tree 4 nodes share a leaf: 3 and 60. A node
// on rails has 8 leaves and loses one NIC to each, a node of the fat tree has one. One switch survives nothing.
func TestTheMeritsOfADesignByHand(t *testing.T) {
	for _, x := range []struct {
		text     string
		railHops float64
		planes   int
		survives int
		places   int
	}{
		{"gpus: 512, fabrics: infiniband, switches: qm9700, shapes: rail-optimised", (31 + 3*32) / 63., 1, 7, 0},
		{"gpus: 512, fabrics: infiniband, switches: qm9700, shapes: fat-tree", (3 + 3*60) / 63., 1, 0, 0},
		{"gpus: 256, fabrics: infiniband, switches: qm9700, shapes: rail-optimised", 1, 1, 7, 0}, // 4 spines, and all nodes share leaves
		{"gpus: 1024, fabrics: infiniband, switches: qm9700, shapes: fat-tree", (3 + 3*124) / 127., 1, 0, 0},
		{"gpus: 64, fabrics: infiniband, switches: qm9700, shapes: single-switch", 1, 1, 0, 0},
		{"gpus: 64, node: dgx-b300, fabrics: roce-v2, switches: sn5600, shapes: dual-plane", 1, 2, 1, 128},
		{"gpus: 2048, node: dgx-b300, fabrics: roce-v2, switches: sn5600", (63 + 3*192) / 255., 2, 15, 0},
	} {
		m := first(t, "{"+x.text+"}").Merits
		if math.Abs(m.RailHops-x.railHops) > 1e-9 || m.Planes != x.planes || m.Survives != x.survives || m.Places != x.places {
			t.Errorf("%s: %+v, by hand %+v", x.text, m, x)
		}
	}
}

// The rail-optimised design of a reference takes more switches than one switch with 144 ports, and is on the front: the others lack its
// way of one switch on each rail, and what it survives.
func TestTheRailOptimisedReferenceIsOnTheFront(t *testing.T) {
	for _, text := range []string{
		"{gpus: 64, node: dgx-b300, fabrics: infiniband}", "{gpus: 512, node: dgx-h100}", "{gpus: 1152, node: dgx-b300, fabrics: infiniband}",
		"{gpus: 4608, node: dgx-b300, fabrics: infiniband}", "{gpus: 2304, node: gb300-nvl72, fabrics: infiniband}",
	} {
		designs := made(t, text, nil).Designs
		if !slices.ContainsFunc(designs, func(d *plan.Design) bool { return d.Front && d.Shape == scenario.RailOptimised }) {
			t.Errorf("%s: no rail-optimised design on the front", text)
		}
	}
}

// A design is not on the front beside one that is as good in each of the columns of the table. 1,024 GPUs at 2:1 in full units of 85
// nodes take 43 spines, as 43 uplinks have no other divisor, and 59 switches; in units of 84 they take 6.
func TestNoDesignOnTheFrontIsDominated(t *testing.T) {
	for _, text := range []string{"{gpus: 1024, node: dgx-h100, max-oversubscription: 2}", "{gpus: 1152, node: dgx-b300, max-oversubscription: 2}", "{gpus: 1040, node: mi355x-8, max-oversubscription: 3}"} {
		designs := made(t, text, nil).Designs
		for _, a := range designs {
			for _, b := range designs {
				if b.Front && b != a && columnsAsGood(a, b) && !columnsAsGood(b, a) {
					t.Errorf("%s: %s with %d switches is on the front, %s with %d is as good in every column", text, b.Name, b.Count.TotalSwitches(), a.Name, a.Count.TotalSwitches())
				}
			}
		}
	}
	designs := made(t, "{gpus: 1024, node: dgx-h100, max-oversubscription: 2, fabrics: roce-v2, switches: 7060x6-64pe}", nil).Designs
	for _, d := range designs {
		if n := d.Count.TotalSwitches(); d.Front && n > 24 {
			t.Errorf("%s with %d switches is on the front", d.Name, n)
		}
	}
}

// columnsAsGood reports whether a is as good as b in what the tables of weft plan show, of the same devices.
func columnsAsGood(a, b *plan.Design) bool {
	round := func(v float64) float64 { return math.Round(10 * v) }
	return a.Kind == b.Kind && a.Switch == b.Switch && a.NIC == b.NIC && a.Rate == b.Rate &&
		a.Oversubscription.Float() <= b.Oversubscription.Float() && round(a.Merits.RailHops) <= round(b.Merits.RailHops) && a.Hops <= b.Hops &&
		a.Merits.Survives >= b.Merits.Survives && a.Merits.Places >= b.Merits.Places && a.Merits.Planes >= b.Merits.Planes &&
		a.Power.Known <= b.Power.Known && a.Power.Most() <= b.Power.Most() &&
		a.Cost.Total().Known <= b.Cost.Total().Known && a.Cost.Total().Most() <= b.Cost.Total().Most()
}
