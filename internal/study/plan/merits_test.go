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
