package executor_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// TestCollectivesDoNotDependOnPartitions runs one collective at a time, so that all
// cores are its own, in one, two, three and seven partitions, or in one and three.
func TestCollectivesDoNotDependOnPartitions(t *testing.T) {
	const (
		thin  = "cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: fat-tree, levels: 2, radix: 8}\n"
		rails = "cluster: {nodes: 8, node: dgx-h100}\n"
		trees = "cluster: {nodes: 8, node: dgx-h100}\ntopology: {shape: fat-tree, levels: 2, radix: 16}\n"
	)
	const inFull = 3 // of the cases
	const all = "infiniband-ndr; roce-v2-400g; tcp-400g"
	for i, c := range []struct{ name, cluster, fabrics, workload string }{
		{"ring of single NICs", thin, all, "collective: all-reduce, algorithm: ring, sizes: [512KiB]"},
		{"hierarchical on rails", rails, all, "collective: all-reduce, algorithm: hierarchical, sizes: [1MiB]"},
		{"all-to-all", trees, all, "collective: all-to-all, sizes: [1MiB]"},
		{"halving and doubling", rails, all, "collective: all-reduce, algorithm: halving-doubling, sizes: [256KiB]"},
		{"trees of NVLink switches", rails, all, "collective: all-reduce, algorithm: nvls-tree, sizes: [512KiB]"},
		{"tree", trees, all, "collective: all-reduce, algorithm: tree, sizes: [256KiB]"},
		{"a few bytes", trees, all, "collective: all-reduce, sizes: [8B]"},
		{"broadcast from two NVSwitches", "cluster: {nodes: 3, node: dgx-h100}\ntopology: {shape: single-switch}\n", all, "collective: broadcast, sizes: [1MiB]"},
		{
			"reduce-scatter, spread over paths", trees, `{preset: infiniband-ndr, routing: {mode: adaptive}}; {preset: roce-v2-400g, routing: {mode: spray}}; ultra-ethernet-400g; iwarp-400g`,
			"collective: reduce-scatter, sizes: [1MiB]",
		},
		{
			"all-to-all, congested", "cluster: {nodes: 6, node: dgx-h100}\ntopology: {shape: fat-tree, levels: 2, radix: 16, oversubscription: 3}\n",
			`{preset: roce-v2-400g, cc: hpcc}; {preset: roce-v2-400g, cc: none}; {preset: infiniband-ndr, cc: ib-cc}`, "collective: all-to-all, sizes: [2MiB]",
		},
		{"jitter", rails + "run: {jitter: true, pauses: true, iterations: 2, warmup: 1}\n", all, "collective: all-gather, sizes: [256KiB]"},
		{
			"split messages", trees, `{preset: roce-v2-400g, transport: {qps-per-connection: 3, split-data: true}}; {preset: infiniband-ndr, transport: {qps-per-connection: 2}}; {preset: tcp-400g, tcp: {sockets: 3}}`,
			"collective: all-reduce, algorithm: ring, sizes: [512KiB]",
		},
		{
			"boxes and slow links", trees, `{preset: roce-v2-400g, inspection: {latency: 1us}, slow-links: [{nics: node2/nic3, rate: 100Gbps}]}; {preset: infiniband-ndr, inspection: {latency: 1us}}`,
			"collective: all-reduce, sizes: [1MiB]",
		},
		{
			"lost packets", trees, `{preset: roce-v2-400g, link: {error-rate: 0.1%}, transport: {timeout: 100us}}; {preset: infiniband-ndr, link: {error-rate: 0.1%}, transport: {timeout: 100us}}`,
			"collective: all-reduce, sizes: [1MiB]",
		},
		{"a link that fails", trees + "faults: [{at: 20us, link: leaf0 port 9}]\n", "infiniband-ndr; roce-v2-400g", "collective: all-reduce, sizes: [4MiB]"},
		{"contexts", thin, "{preset: roce-v2-400g, nic: {contexts: 4}}; {preset: infiniband-ndr, nic: {contexts: 4}}", "collective: all-to-all, sizes: [64KiB]"},
		{"a pool of memory", "cluster: {nodes: 4, node: {preset: dgx-h100, scale-up: {generation: cxl-3-pool, links: 1, link-rate: 100GB/s, latency: 300ns, packet: 64B, overhead: 0B, devices: 4}}}\n", "infiniband-ndr", "collective: all-reduce, sizes: [1MiB]"},
	} {
		cuts := []int{1, 3}
		if i < inFull {
			cuts = []int{1, 2, 3, 7}
		}
		for _, fabric := range strings.Split(c.fabrics, "; ") {
			t.Run(fmt.Sprintf("%s/%s", c.name, fabric), func(t *testing.T) {
				r := simtest.Resolve(t, c.cluster+"fabrics: ["+fabric+"]\nworkload: {"+c.workload+"}")
				if _, err := runtest.SameOnCores(t, r, cuts...); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// In a cluster of this size partitions look ahead, at the events on their side of the
// cables between them.
func TestALargeClusterDoesNotDependOnPartitions(t *testing.T) {
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
		t.Run(fabric, func(t *testing.T) {
			r := simtest.Resolve(t, "cluster: {nodes: 128, node: dgx-h100}\nfabrics: ["+fabric+"]\nworkload: {collective: all-reduce, sizes: [1MiB]}")
			if _, err := runtest.SameOnCores(t, r, 1, 2); err != nil {
				t.Error(err)
			}
		})
	}
}
