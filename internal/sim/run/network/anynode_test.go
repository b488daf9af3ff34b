package network_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"weft/internal/sim"
	"weft/scenario"
)

// scaleUps are networks inside a node, of every kind.
var scaleUps = []string{"nvlink-4", "nvlink-2", "pcie-gen5", "cxl-3-pool", "{generation: nvlink-4, kind: none, multicast: false}", "{generation: nvlink-4, kind: mesh, links: 7, switches: 0, multicast: false}"}

// howTo has the collectives, and the algorithms of each besides NCCL's choice.
var howTo = map[string][]string{
	"all-reduce":     {"ring", "tree", "hierarchical", "halving-doubling", "nvls", "nvls-tree", "collnet-direct", "collnet-chain"},
	"all-gather":     {"ring", "hierarchical", "nvls", "collnet-direct"},
	"reduce-scatter": {"ring", "hierarchical", "nvls", "collnet-direct"},
	"broadcast":      {"ring", "tree"},
	"all-to-all":     {"direct"},
	"send-recv":      {"direct"},
}

// With any numbers of GPUs and NICs in a node, every algorithm that NCCL chooses runs on a
// tree topology. A forced algorithm, or another shape, runs or is refused. The test tries a
// part of all combinations, with WEFT_ALL=1 all.
func TestEveryNodeRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 14))
	for _, nodes := range []int{1, 2, 3} {
		for _, gpus := range []int{1, 2, 3, 5, 8} {
			for _, nics := range []int{1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 16, 20} {
				for _, up := range scaleUps {
					for _, collective := range slices.Sorted(maps.Keys(howTo)) {
						text, mayRefuse := anyScenario(rng, nodes, gpus, nics, up, collective)
						if nodes*gpus > 1 && (rng.IntN(30) == 0 || os.Getenv("WEFT_ALL") != "") {
							runsOrIsRefused(t, text, mayRefuse)
						}
					}
				}
			}
		}
	}
}

// anyScenario is a small collective on such nodes; mayRefuse reports whether weft may
// refuse it.
func anyScenario(rng *rand.Rand, nodes, gpus, nics int, up, collective string) (text string, mayRefuse bool) {
	one := func(of ...string) string { return of[rng.IntN(len(of))] }
	shape, algorithm := one("rail-optimised", "rail-optimised", "fat-tree", "single-switch", "dragonfly", "torus"), "auto"
	if rng.IntN(3) > 0 {
		algorithm = one(howTo[collective]...)
	}
	return fmt.Sprintf(`
cluster: {nodes: %d, node: {preset: dgx-h100, gpus: %d, nics: %d, scale-up: %s}}
topology: {shape: %s}
fabrics: [%s]
workload: {collective: %s, sizes: [%s], algorithm: %s}
`, nodes, gpus, nics, up, shape, one("infiniband-ndr", "roce-v2-400g", "tcp-400g", "{preset: infiniband-ndr, ib: {sharp: true}}"),
		collective, one("4B", "1000B", "24KiB"), algorithm), algorithm != "auto" || shape == "dragonfly" || shape == "torus"
}

// runsOrIsRefused runs a scenario, which must succeed unless it may be refused.
func runsOrIsRefused(t *testing.T, text string, mayRefuse bool) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s\npanics: %v", text, p)
		}
	}()
	file, err := scenario.Decode("x.yaml", []byte(text))
	if err == nil {
		var r *scenario.Resolved
		if r, err = file.Resolve(); err == nil {
			_, err = sim.Run(context.Background(), r, sim.Options{Workers: 1})
		}
	}
	switch {
	case err != nil && !mayRefuse:
		t.Errorf("%s\n%v", text, err)
	case err != nil:
		t.Logf("refused: %v", err)
	}
}
