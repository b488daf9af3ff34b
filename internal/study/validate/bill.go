package validate

import (
	"fmt"

	"weft/internal/study/plan"
)

// superpods is the table of the DGX H100 SuperPOD: NVIDIA RA-11333-001 V11, tables 3
// and 4. A manager takes the place of one node.
var superpods = []struct {
	gpus    int
	manager bool
	// leaves, spines and cores; node-leaf, leaf-spine and spine-core cables
	pieces []float64
}{
	{248, true, []float64{8, 4, 0, 252, 256, 0}},
	{504, true, []float64{16, 8, 0, 508, 512, 0}},
	{760, true, []float64{24, 16, 0, 764, 768, 0}},
	{1016, true, []float64{32, 16, 0, 1020, 1024, 0}},
	{1024, false, []float64{32, 16, 0, 1024, 1024, 0}},
	{2048, false, []float64{64, 32, 0, 2048, 2048, 0}},
	{4096, false, []float64{128, 128, 64, 4096, 4096, 4096}},
	{8192, false, []float64{256, 256, 128, 8192, 8192, 8192}},
	{16384, false, []float64{512, 512, 256, 16384, 16384, 16384}},
}

// billCases compare bills of materials with published ones.
func billCases() []*Case {
	return []*Case{{
		ID:        "bill/superpod",
		Claim:     "weft plan's bill of materials of a DGX H100 SuperPOD equals the published bill, to the piece.",
		Reference: "NVIDIA RA-11333-001 V11, tables 3 and 4: leaves, spines and cores; cables from node to leaf, leaf to spine and spine to core. Up to four scalable units with UFM in the place of one node.",
		Setting:   "weft plan for DGX H100, InfiniBand on QM9700, rail-optimised at 1:1, with and without a manager. Each row is the six numbers of the bill of materials, shown first and last.",
		Run:       superpodRows,
	}}
}

func superpodRows(e *Env) ([]Row, error) {
	var rows []Row
	for _, x := range superpods {
		r, err := plan.Read("superpod", fmt.Appendf(nil, "{gpus: %d, node: dgx-h100, fabrics: infiniband, shapes: rail-optimised, switches: qm9700, manager: %v}", x.gpus, x.manager))
		if err != nil {
			return nil, err
		}
		p, err := plan.Make(e.Ctx, r, nil)
		if err != nil {
			return nil, err
		}
		if len(p.Designs) != 1 {
			return nil, fmt.Errorf("%d designs for %d GPUs: want one", len(p.Designs), x.gpus)
		}
		name := fmt.Sprintf("%d GPUs", x.gpus)
		if x.manager {
			name += " and UFM"
		}
		rows = append(rows, Row{Name: name, Reference: x.pieces, Weft: pieces(p.Designs[0]), Tolerance: exact})
	}
	return rows, nil
}

// pieces are the switches by level and the cables by kind of a bill of materials.
func pieces(d *plan.Design) []float64 {
	out := make([]float64, 6)
	for _, l := range d.Bill {
		for i, at := range []struct{ kind, where string }{
			{"switch", "leaf"}, {"switch", "spine"}, {"switch", "core"}, {"fibre", "node-leaf"}, {"fibre", "leaf-spine"}, {"fibre", "spine-core"},
		} {
			if l.Kind == at.kind && l.Where == at.where {
				out[i] += float64(l.Quantity)
			}
		}
	}
	return out
}
