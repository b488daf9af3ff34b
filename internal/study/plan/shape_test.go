package plan_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/study/plan"
)

// By hand: 32 nodes of four NICs with a port on each plane are 128 ports a plane. A leaf has 128
// ports of 200 Gb/s, gives 64 to nodes, and serves one of the four rails: 4 leaves and a spine for
// each plane.
func TestADualPlaneHasAFabricForEachPortOfItsNICs(t *testing.T) {
	designs := made(t, "{gpus: 256, node: hgx-h100-pcie, fabrics: infiniband, nics: connectx-7, switches: qm9700, shapes: dual-plane}", nil).Designs
	d := designs[slices.IndexFunc(designs, func(d *plan.Design) bool { return strings.HasSuffix(d.Name, "-dual-plane-1to1") })]
	if d.Count.Switches != [3]int{8, 2, 0} || d.Count.Endpoints != 128 || d.Count.Cables[topology.NodeLeaf] != 256 {
		t.Errorf("%+v", d.Count)
	}
	for _, l := range d.Bill {
		switch {
		case l.Kind == "nic" && (l.Quantity != 128 || l.Power.Value != 24_500 || !strings.HasSuffix(l.Title, "a card of 2 ports of 200 Gb/s")):
			t.Errorf("the NICs: %+v", l)
		case l.Kind == "transceiver" && l.Item == "MMA4Z00-NS400" && l.Quantity != 256:
			t.Errorf("%d transceivers for 256 ports of NICs", l.Quantity)
		}
	}
}

// A cage of a DGX joins the ports of two NICs with one port each.
func TestADGXHasNoNICsOfTwoPorts(t *testing.T) {
	r, err := plan.Read("plan.yaml", []byte("{gpus: 256, node: dgx-h100, shapes: dual-plane}"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), r, nil)
	if err != nil || len(p.Designs) > 0 {
		t.Errorf("%d designs, %v", len(p.Designs), err)
	}
}

// By hand, with p = 16, a = 32 and h = 16 on 64 ports (Kim et al. 2008): 2,048 NICs are
// four groups of 512, each switch of a group joined to the 31 others.
func TestADragonflyIsBalanced(t *testing.T) {
	d := only(t, "{gpus: 2048, fabrics: infiniband, switches: qm9700, shapes: dragonfly, max-oversubscription: 2}")
	if d.Count.TotalSwitches() != 4*32 || d.Count.Cables[topology.Local] != 4*32*31/2 || d.Hops != 4 || d.Levels != 1 {
		t.Errorf("%+v, %d hops, %d levels", d.Count, d.Hops, d.Levels)
	}
	if got := d.Resolved.Fabrics[0].Topology.Groups; got != 4 {
		t.Errorf("%d groups", got)
	}
}

// Its worst pattern has half the throughput: a request without oversubscription gets no dragonfly.
func TestADragonflyCountsAsOversubscribed(t *testing.T) {
	r, err := plan.Read("plan.yaml", []byte("{gpus: 2048, fabrics: infiniband, switches: qm9700, shapes: dragonfly}"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), r, nil)
	if err != nil || len(p.Designs) > 0 || len(p.Relax) == 0 || p.Relax[0].Breaches[0].Field != "max-oversubscription" {
		t.Errorf("%d designs, to relax %+v, %v", len(p.Designs), p.Relax, err)
	}
}
