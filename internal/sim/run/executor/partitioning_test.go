package executor

import (
	"slices"
	"testing"

	"weft/internal/sim/run/control"
	"weft/internal/sim/run/network"
	"weft/internal/test/simtest"
)

// A node is in one partition with all its parts, and a collective that cannot be divided is
// in one partition altogether.
func TestCollectivesAreCutBetweenNodes(t *testing.T) {
	const work = "\nworkload: {collective: all-reduce, sizes: [1MiB]}"
	const thin = "cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: fat-tree, levels: 2, radix: 4}\n"
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"on rails", "cluster: {nodes: 4, node: dgx-h100}\nfabrics: [infiniband-ndr]", 3},
		{"with boxes", "cluster: {nodes: 4, node: dgx-h100}\nfabrics: [{preset: roce-v2-400g, inspection: {latency: 1us}}]", 3},
		{"one switch", "cluster: {nodes: 4, node: dgx-h100}\ntopology: {shape: single-switch}\nfabrics: [tcp-400g]", 3},
		{"two nodes", "cluster: {nodes: 2, node: dgx-h100}\nfabrics: [infiniband-ndr]", 2},
		{"one node", "cluster: {nodes: 1, node: dgx-h100}\nfabrics: [infiniband-ndr]", 1},
		{"streams beside it", thin + "fabrics: [{preset: infiniband-ndr, beside: [{src: 0, dst: 3, bytes: 64KiB, class: 3}]}]", 1},
		{"a pair that may not talk", thin + "fabrics: [{preset: infiniband-ndr, ib: {partitions: [{name: a, key: 1, full: \"node[0-1]\"}, {name: b, key: 2, full: \"node[2-3]\"}]}}]", 1},
		{"cables of no length", thin + "fabrics: [{preset: roce-v2-400g, link: {fec-latency: 0ns, per-metre: 1ps}, ethernet: {pfc: {response: 0ns}}}]", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := simtest.Resolve(t, c.text+work)
			p, err := control.NewPlan(r, &r.Fabrics[0])
			if err != nil {
				t.Fatal(err)
			}
			run, err := newCollectiveRun(r, p, r.Workload.Sizes[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := run.place(&network.Task{Plan: p, Scenario: r, Cores: 3, Parts: 3}, run); err != nil {
				t.Fatal(err)
			}
			if got := run.net.Partitions(); got != c.want {
				t.Fatalf("%d partitions, want %d", got, c.want)
			}
			for rank := range r.Cluster.Ranks() {
				home, gpu := run.net.Partition(run.net.GPU(rank)), run.cluster.Local(rank)
				nic := int32(run.cluster.Node(rank)*run.cluster.Rails() + run.cluster.Rail(gpu, 0))
				if run.net.Partition(nic) != home || run.net.Partition(run.net.GPU(rank-gpu)) != home {
					t.Errorf("GPU %d of node %d is not in the partition of its NIC and its neighbours", gpu, run.cluster.Node(rank))
				}
			}
		})
	}
}

// A collective that switches reduce or copy is in one partition: an all-reduce, an
// all-gather or a reduce-scatter.
func TestCollectivesOfSwitchesAreNotCut(t *testing.T) {
	for _, collective := range []string{"all-reduce", "reduce-scatter", "all-gather"} {
		t.Run(collective, func(t *testing.T) {
			r := simtest.Resolve(t, "cluster: {nodes: 4, node: dgx-h100}\nfabrics: [{preset: infiniband-ndr, topology: {shape: rail-optimised}, ib: {sharp: true}}]\n"+
				"workload: {collective: "+collective+", algorithm: nvls, sizes: [16MiB]}")
			p, err := control.NewPlan(r, &r.Fabrics[0])
			if err == nil {
				err = AllocateForAll(p, r)
			}
			if err != nil {
				t.Fatal(err)
			}
			run, err := newCollectiveRun(r, p, r.Workload.Sizes[0])
			if err != nil {
				t.Fatal(err)
			}
			reduces := func(w Edge) bool { return w.Path.InNetwork() }
			if !slices.ContainsFunc(run.plan.allEdges(1), reduces) {
				t.Fatalf("%v does not use the switches", run.plan.algo)
			}
			if err := run.place(&network.Task{Plan: p, Scenario: r, Cores: 3, Parts: 3}, run); err != nil {
				t.Fatal(err)
			}
			if got := run.net.Partitions(); got != 1 {
				t.Errorf("%d partitions, want 1", got)
			}
		})
	}
}
