package calibrate

import (
	"math"

	"weft/internal/sim/scenario"
)

// healthyTable is a published table of a healthy cluster compared with weft: at each size the ratio
// of the measured time to the predicted one.
type healthyTable struct {
	id           string // of docs/VALIDATION.md, or else of the source
	source       string
	architecture scenario.Architecture
	op           scenario.Collective
	sizes        []int64
	ratios       []float64
	// simulated is the scenario of a table that is not in docs/VALIDATION.md.
	simulated string
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// healthyTables are all tables found for clusters whose network weft models. A test compares them
// with docs/VALIDATION.md, or simulates them again.
var healthyTables = []healthyTable{
	{
		id: "nccl/A4", source: "1 x 8 H100, awsome-distributed-training", architecture: scenario.Hopper, op: scenario.AllReduce,
		sizes:  []int64{8, kib, 64 * kib, mib, 8 * mib, 64 * mib, 256 * mib, gib, 16 * gib},
		ratios: []float64{.860, 1.095, 1.170, 1.429, 1.377, 1.145, 1.094, 1.063, .985},
	},
	{
		id: "nccl/A5", source: "2 x 8 H100, RoCE v2, oci-hpc", architecture: scenario.Hopper, op: scenario.AllReduce,
		sizes:  []int64{gib, 4 * gib, 16 * gib},
		ratios: []float64{.995, .980, .978},
	},
	{
		id: "nccl/H200", source: "2 x 8 H200, skypilot, gcp_gpu_direct_tcpx", architecture: scenario.Hopper, op: scenario.AllGather,
		sizes:  []int64{kib, 64 * kib, mib, 8 * mib, 64 * mib, 256 * mib, gib, 4 * gib},
		ratios: []float64{1.199, 1.600, 1.216, 1.407, 1.515, 1.330, 1.204, 1.204},
	},
	{
		id: "2 x 8 H200, NDR", source: "skypilot, coreweave_infiniband", architecture: scenario.Hopper, op: scenario.AllReduce,
		simulated: "cluster: {nodes: 2, node: dgx-h200}\nfabric: infiniband-ndr",
		sizes:     []int64{512 * mib, gib},
		ratios:    []float64{1.045, .989},
	},
	{
		// Timed from PyTorch, whose launch takes 10 to 20 us: only sizes at which that is small.
		id: "1 x 8 H200", source: "stas00/ml-engineering, network/README.md", architecture: scenario.Hopper, op: scenario.AllReduce,
		simulated: "cluster: {nodes: 1, node: dgx-h200}\nfabric: infiniband-ndr",
		sizes:     []int64{64 * mib, 256 * mib, gib},
		ratios:    []float64{1.188, 1.050, 1.013},
	},
	{
		id: "1 x 8 A100", source: "stas00/ml-engineering, network/README.md", architecture: scenario.Ampere, op: scenario.AllReduce,
		simulated: "cluster: {nodes: 1, node: hgx-a100-100g}\nfabric: roce-v2-100g",
		sizes:     []int64{64 * kib, mib, 8 * mib, 64 * mib, 256 * mib},
		ratios:    []float64{2.143, 3.675, 1.642, 1.366, 1.229},
	},
	{
		id: "2 x 8 A100, 16 x 100G RoCE v2", source: "oci-hpc-oke", architecture: scenario.Ampere, op: scenario.AllReduce,
		simulated: "cluster: {nodes: 2, node: {preset: hgx-a100-100g, nics: 16}}\nfabric: roce-v2-100g",
		sizes:     []int64{8, kib, 64 * kib, mib, 8 * mib, 64 * mib, 128 * mib},
		ratios:    []float64{1.424, 1.607, 1.823, 1.556, 1.682, 1.166, 1.179},
	},
}

// The weights of a table for a size of another cluster: assumptions.
const (
	reach     = 2.08 // ln of the factor of sizes over which an error varies: 8
	otherKind = .3   // weight of a table of another architecture, or of another operation
	unseen    = .15  // error of ln(measured / predicted) that a further table could show
	doubt     = .25  // weight of the prior that weft has no bias
)

// knownError is the known error for healthy clusters of that kind, as ln(measured / predicted): its
// mean, and the spread between clusters. One table can be left out, by its id.
func knownError(architecture scenario.Architecture, op scenario.Collective, bytes int64, without string) (bias, spread float64) {
	var means, weights []float64
	for i := range healthyTables {
		t := &healthyTables[i]
		if t.id == without {
			continue
		}
		mean, near := t.at(bytes)
		if t.architecture != architecture {
			near *= otherKind
		}
		if t.op != op {
			near *= otherKind
		}
		means, weights = append(means, mean), append(weights, near)
	}
	sum, all := 0., doubt
	for i, w := range weights {
		sum, all = sum+w*means[i], all+w
	}
	bias = sum / all
	squares, n := unseen*unseen, 1.
	for i, w := range weights {
		squares, n = squares+w*(means[i]-bias)*(means[i]-bias), n+w
	}
	return bias, math.Sqrt(squares / n)
}

// at is a table's error near a size, and the proximity of its sizes: 1 at one of them.
func (t *healthyTable) at(bytes int64) (mean, near float64) {
	sum, all := 0., 0.
	for i, size := range t.sizes {
		apart := math.Log(float64(bytes)/float64(size)) / reach
		w := math.Exp(-apart * apart / 2)
		sum, all, near = sum+w*math.Log(t.ratios[i]), all+w, max(near, w)
	}
	if all == 0 {
		return 0, 0
	}
	return sum / all, near
}
