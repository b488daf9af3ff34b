package sim_test

import (
	"testing"

	"weft/internal/test/simtest"
)

// rails are 16 nodes of two GPUs on two rails, whose leaves have four nodes each.
const rails = "cluster: {nodes: 16, node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {shape: rail-optimised, radix: 8}\n"

// On InfiniBand two leaves of a ring stand for all of them, with the same results as all, if its messages are packets that do
// not wait for each other. Longer messages wait for flow-control packets, and then all nodes are simulated.
func TestThePartOfARingStandsForTheWhole(t *testing.T) {
	const both = "fabrics: [{preset: infiniband-ndr, name: adaptive}, {preset: infiniband-ndr, name: static, routing: {mode: deterministic}}]\n"
	for name, c := range map[string]struct {
		text string
		want int64
	}{
		"all-reduce":     {rails + both + "workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [512KiB, 1MiB]}\n", 8},
		"all-gather":     {rails + both + "workload: {collective: all-gather, algorithm: ring, protocol: simple, sizes: [512KiB]}\n", 8},
		"reduce-scatter": {rails + both + "workload: {collective: reduce-scatter, algorithm: ring, protocol: simple, sizes: [512KiB]}\n", 8},
		"iterations":     {rails + both + "workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [512KiB]}\nrun: {iterations: 2, warmup: 1}\n", 8},
		"whole nodes": {"cluster: {nodes: 16, node: dgx-h100}\ntopology: {shape: rail-optimised, radix: 8}\n" + both +
			"workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [4MiB]}\n", 8},
		"long messages": {rails + both + "workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [16MiB]}\n", 0},
		"HDR":           {rails + "fabrics: [infiniband-hdr]\nworkload: {collective: all-gather, algorithm: ring, protocol: simple, sizes: [4MiB]}\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range checked(t, simtest.Resolve(t, c.text), 1).Fabrics {
				for i := range f.Points {
					if nodes := f.Points[i].Counts.Skipped.Nodes; nodes != c.want {
						t.Errorf("%s, %d bytes: %d nodes were not simulated, want %d of 16", f.Name, f.Points[i].Bytes, nodes, c.want)
					}
				}
			}
		})
	}
}

// Where nodes differ, or packets of several nodes may meet in different ways, all nodes are simulated.
func TestWhatIsNotTheSameEverywhereIsSimulated(t *testing.T) {
	const ring = "workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [1MiB]}\n"
	const ndr = "fabrics: [infiniband-ndr]\n"
	for name, text := range map[string]string{
		"chunks of several sizes": rails + ndr + "workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [1000004]}\n",
		"a tree":                  rails + ndr + "workload: {collective: all-reduce, algorithm: tree, protocol: simple, sizes: [1MiB]}\n",
		"hashed paths":            rails + "fabrics: [roce-v2-400g]\n" + ring,
		"a slow cable":            rails + "fabrics: [{preset: infiniband-ndr, slow-links: [{nics: node3/nic1, rate: 100Gbps}]}]\n" + ring,
		"jitter":                  rails + ndr + ring + "run: {jitter: true}\n",
		"a part of the cluster":   rails + ndr + "workload: {collective: all-reduce, algorithm: ring, protocol: simple, nodes: 8, sizes: [1MiB]}\n",
		"the last leaf is half full": "cluster: {nodes: 14, node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {shape: rail-optimised, radix: 8}\n" +
			ndr + "workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [1792KiB]}\n",
		"one switch": "cluster: {nodes: 16, node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {shape: single-switch}\n" + ndr + ring,
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range checked(t, simtest.Resolve(t, text), 1).Fabrics {
				if nodes := f.Points[0].Counts.Skipped.Nodes; nodes != 0 {
					t.Errorf("%s: %d nodes were not simulated", f.Name, nodes)
				}
			}
		})
	}
}
