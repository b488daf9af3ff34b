package plan_test

import (
	"context"
	"fmt"
	"testing"

	"weft/internal/plan"
	"weft/internal/topology"
)

// The bill of materials of the DGX H100 SuperPOD: NVIDIA RA-11333-001 V11, tables 3
// and 4. With a manager a node gives way to it.
var superpod = []struct {
	gpus, leaf, spine, core        int
	nodeLeaf, leafSpine, spineCore int
	manager                        bool
}{
	{248, 8, 4, 0, 252, 256, 0, true},
	{504, 16, 8, 0, 508, 512, 0, true},
	{760, 24, 16, 0, 764, 768, 0, true},
	{1016, 32, 16, 0, 1020, 1024, 0, true},
	{1024, 32, 16, 0, 1024, 1024, 0, false},
	{2048, 64, 32, 0, 2048, 2048, 0, false},
	{4096, 128, 128, 64, 4096, 4096, 4096, false},
	{8192, 256, 256, 128, 8192, 8192, 8192, false},
	{16384, 512, 512, 256, 16384, 16384, 16384, false},
}

func TestAPlanHasTheSuperPODsBillOfMaterials(t *testing.T) {
	for _, row := range superpod {
		t.Run(fmt.Sprintf("%d GPUs", row.gpus), func(t *testing.T) {
			text := fmt.Sprintf("{gpus: %d, fabrics: infiniband, shapes: rail-optimised, switches: qm9700, manager: %v}", row.gpus, row.manager)
			d := only(t, text)
			if want := [3]int{row.leaf, row.spine, row.core}; d.Count.Switches != want {
				t.Errorf("switches %v, the table has %v", d.Count.Switches, want)
			}
			for kind, want := range map[topology.CableKind]int{topology.NodeLeaf: row.nodeLeaf, topology.LeafSpine: row.leafSpine, topology.SpineCore: row.spineCore} {
				if got := d.Count.Cables[kind]; got != want {
					t.Errorf("%d %s cables, the table has %d", got, kind, want)
				}
			}
			total := map[string]int{}
			for _, l := range d.Bill {
				total[l.Kind] += l.Quantity
			}
			if want := row.leaf + row.spine + row.core; total["switch"] != want {
				t.Errorf("the bill has %d switches, the table %d", total["switch"], want)
			}
			if want := row.nodeLeaf + row.leafSpine + row.spineCore; total["fibre"] != want {
				t.Errorf("the bill has %d fibres, the table %d cables", total["fibre"], want)
			}
			if total["nic"] != row.gpus {
				t.Errorf("the bill has %d NICs for %d GPUs", total["nic"], row.gpus)
			}
		})
	}
}

// only is the one design of a request.
func only(t *testing.T, text string) *plan.Design {
	t.Helper()
	p := made(t, text, nil)
	if len(p.Designs) != 1 {
		t.Fatalf("%s: %d designs, want one; relax %+v", text, len(p.Designs), p.Relax)
	}
	return p.Designs[0]
}

// made is the plan of a request.
func made(t *testing.T, text string, prices *plan.Prices) *plan.Plan {
	t.Helper()
	r, err := plan.Read("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), r, prices)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
