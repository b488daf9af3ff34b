package simai

import "weft/internal/sim/workload"

// family is a kind of groups.
type family uint8

const (
	tensor     family = iota // neighbours
	data                     // the ranks of a tensor place
	expert                   // the same tensor place in neighbouring tensor groups
	dataExpert               // the ranks of a tensor place with the same experts
	numFamilies
)

// purposes are the families' names in reports.
var purposes = [numFamilies]workload.Purpose{workload.Tensor, workload.Data, workload.Expert, workload.Data}

var familyNames = [numFamilies]string{"tensor", "data", "expert", "data of experts"}

// groups are the groups of a family, as MockNcclGroup forms them.
func (h *header) groups(f family) (out [][]int32) {
	tp, dp, ep := h.tensor, h.data(), h.expert
	strided := func(first, n, stride int) {
		g := make([]int32, n)
		for i := range g {
			g[i] = int32(first + i*stride)
		}
		out = append(out, g)
	}
	switch f {
	case tensor:
		for i := range dp {
			strided(i*tp, tp, 1)
		}
	case data:
		for k := range tp {
			strided(k, dp, tp)
		}
	case expert:
		for i := range dp / ep {
			for k := range tp {
				strided(i*ep*tp+k, ep, tp)
			}
		}
	case dataExpert:
		for i := range ep {
			for k := range tp {
				strided(i*tp+k, dp/ep, ep*tp)
			}
		}
	}
	return out
}
