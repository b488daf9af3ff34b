package plan_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"weft/internal/sim"
	"weft/internal/study/plan"
)

// What a proof must show of any simulator: a quarter of the uplinks carry a shift at a quarter of the rate, a broken uplink delays it, and one
// switch has no uplink.
func TestAProofShowsUplinksAndFailures(t *testing.T) {
	by := map[string]*plan.Proof{}
	for _, shape := range []string{"single-switch", "rail-optimised"} {
		p := made(t, "{gpus: 64, fabrics: infiniband, switches: qm9700, shapes: "+shape+", max-oversubscription: 4}", nil)
		for _, d := range p.Designs {
			d.Front = d.Oversubscription.Num == 1 || d.Oversubscription.Num == 4
		}
		p.Prove(context.Background(), sim.Run, 2)
		for _, d := range p.Designs {
			if !d.Front {
				continue
			}
			if d.Proof == nil || d.Proof.Problem != "" || d.Proof.Time <= 0 || d.Proof.Model.Nodes != 8 {
				t.Fatalf("%s: %+v", d.Name, d.Proof)
			}
			by[fmt.Sprintf("%s%d:%d", d.Shape, d.Oversubscription.Num, d.Oversubscription.Den)] = d.Proof
		}
	}
	whole, few, single := by["rail-optimised1:1"], by["rail-optimised4:1"], by["single-switch1:1"]
	if whole == nil || few == nil || single == nil {
		t.Fatalf("%v", by)
	}
	if whole.Shift < 0.7 || few.Shift > 0.3 {
		t.Errorf("the slowest NIC gets %.2f of its rate at 1:1 and %.2f at 4:1, want 0.7 or more and about a quarter", whole.Shift, few.Shift)
	}
	if whole.Failed <= 2*whole.Whole || single.Broken != "" || single.Failed != 0 {
		t.Errorf("a broken uplink: %s in place of %s; on one switch %q", whole.Failed, whole.Whole, single.Broken)
	}
}

// A NIC with a port on each of two or four switches, where nothing is shared, has its whole rate: each message is on all planes.
func TestAShiftUsesAllPlanesOfANIC(t *testing.T) {
	p := made(t, "{gpus: 64, node: dgx-b300, fabrics: roce-v2, switches: sn5610, shapes: dual-plane}", nil)
	p.Designs = slices.DeleteFunc(p.Designs, func(d *plan.Design) bool { return d.Levels > 1 })
	if len(p.Designs) != 2 || p.Designs[0].Merits.Planes != 2 || p.Designs[1].Merits.Planes != 4 {
		t.Fatalf("%d designs of a switch for each plane, want one of two planes and one of four", len(p.Designs))
	}
	for _, d := range p.Designs {
		d.Front = true
	}
	p.Prove(context.Background(), sim.Run, 2)
	for _, d := range p.Designs {
		if got := d.Proof; got == nil || got.Problem != "" || got.Shift < 0.8 {
			t.Errorf("%s: the slowest NIC gets %+v of its rate, want nearly all", d.Name, got)
		}
	}
}
