package validate

import (
	"fmt"

	"weft/internal/study/collisions"
	"weft/internal/study/many"
	"weft/scenario"
	"weft/units"
)

// decay is the published data of a cluster whose bus bandwidth falls with its size.
var decay = struct {
	source string
	nodes  []int
	gbps   []float64 // about, at 1 to 8 GiB
}{
	"github.com/NVIDIA/nccl-tests/issues/169 (V; neither cabling nor cause is stated, and 58 GB/s is of 32 to 40 ranks)",
	[]int{2, 3, 4, 6},
	[]float64{100, 70, 58, 40},
}

// uplinkGain is the largest published gain of twice the uplinks.
const (
	uplinkGain   = 0.40
	uplinkSource = `"up to 40 %" for all-reduce with twice the uplinks: Meta, RoCE networks for distributed AI training at scale, SIGCOMM 2024 (S; system, sizes and load not stated)`
)

// layouts are the cablings of the decay's simulations; the cluster's own is not known.
// They reach from no traffic over the spines to all traffic over the spines.
var layouts = []struct {
	name     string
	topology scenario.Topology
}{
	{"rails", scenario.Topology{Shape: scenario.RailOptimised}},
	{"two nodes a leaf", scenario.Topology{Shape: scenario.FatTree, Levels: 2, Radix: 32}},
	{"a node a leaf", scenario.Topology{Shape: scenario.FatTree, Levels: 2, Radix: 32, HostsPerLeaf: 8}},
}

// scaleOutSetting is the system of both cases.
const scaleOutSetting = "Nodes of 8 A100 with 8 ports of 100 Gb/s (preset hgx-a100-100g), RoCE v2 (preset roce-v2-100g), ECMP, one queue pair per connection; all-reduce of 128 MiB by NCCL's choice, not 1 GiB, to be simulated in a minute. Median over %d hash seeds. Nothing is fitted to the figures."

// hashSeeds is the number of simulated seeds, fewer in a short run.
func hashSeeds(e *Env) int {
	if e.Short {
		return 1
	}
	return 9
}

func scaleOutCases() []*Case {
	return []*Case{
		{
			ID:        "scaleout/decay",
			Claim:     "All-reduce on ECMP as the job grows, beside a cluster that lost bus bandwidth with every node.",
			Reference: "Measured: " + decay.source + ".",
			Setting:   fmt.Sprintf(scaleOutSetting, 9) + " The cabling of the cluster is not known: three are simulated, with as many uplinks as hosts.",
			Slow:      true,
			Run:       decayRows,
		},
		{
			ID:        "scaleout/uplinks",
			Claim:     "The gain of all-reduce on ECMP from twice the uplinks, beside the largest published gain.",
			Reference: "Published: " + uplinkSource + ".",
			Setting:   fmt.Sprintf(scaleOutSetting, 9) + " A node a leaf, with 8 uplinks and with 16.",
			Slow:      true,
			Run:       uplinkRows,
		},
	}
}

// decayRows are the layouts compared with the measurements.
func decayRows(e *Env) ([]Row, error) {
	var rows []Row
	for _, l := range layouts {
		found, err := scaleOut(e, decay.nodes, l.topology)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		for i, size := range found.Sizes {
			rows = append(rows, Row{
				Name: fmt.Sprintf("%s, %d ranks", l.name, size.Ranks), Unit: Gigabytes,
				Reference: []float64{decay.gbps[i] * 1e9}, Weft: []float64{size.Cells[0].BusBW.Median * 1e9}, Tolerance: shown,
				Note: fmt.Sprintf("%.1f to %.1f GB/s over hash seeds; %.1f GB/s on one ideal switch", size.Cells[0].BusBW.Least, size.Cells[0].BusBW.Most, size.Reference),
			})
		}
	}
	return rows, nil
}

// uplinkRows are the gain of twice the uplinks by size.
func uplinkRows(e *Env) ([]Row, error) {
	topology := layouts[len(layouts)-1].topology
	once, err := scaleOut(e, decay.nodes, topology)
	if err != nil {
		return nil, err
	}
	topology.Oversubscription = scenario.Ratio{Num: 1, Den: 2}
	twice, err := scaleOut(e, decay.nodes, topology)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i := range once.Sizes {
		before, after := once.Sizes[i].Cells[0].BusBW, twice.Sizes[i].Cells[0].BusBW
		rows = append(rows, Row{
			Name: fmt.Sprintf("gain, %d ranks", once.Sizes[i].Ranks), Unit: Percent,
			Reference: []float64{uplinkGain}, Weft: []float64{after.Median/before.Median - 1}, Tolerance: shown,
			Note: fmt.Sprintf("%.1f to %.1f GB/s with 8 uplinks a leaf, %.1f to %.1f with 16, over hash seeds", before.Least, before.Most, after.Least, after.Most),
		})
	}
	return rows, nil
}

// scaleOut simulates clusters of some sizes on a topology.
func scaleOut(e *Env, nodes []int, topology scenario.Topology) (*collisions.Result, error) {
	bytes := 128 * units.MiB
	if e.Short {
		nodes, bytes = nodes[:1], 8*units.MiB
	}
	s := clusterOf(2, scenario.Node{Preset: "hgx-a100-100g"}, "", "roce-v2-100g")
	s.Topology = topology
	s.Workload = scenario.Workload{Collective: scenario.AllReduce, Sizes: []units.Bytes{bytes}}
	f, err := scenario.New("scale-out", &s)
	if err != nil {
		return nil, err
	}
	spec := &collisions.Spec{File: f, Nodes: nodes, Seeds: hashSeeds(e), Policies: []collisions.Policy{{Name: "ecmp", Mode: scenario.ECMP, QPs: 1}}}
	return collisions.Run(e.Ctx, spec, many.Options{Run: e.simulate, Workers: max(1, e.Workers)})
}
