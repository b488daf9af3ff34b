package executor

import (
	"context"
	"strings"
	"testing"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/control"
	"weft/internal/sim/workload"
	"weft/internal/test/simtest"
	"weft/units"
)

// sequence is a workload in which two halves of a cluster's ranks, each of every second GPU,
// run collectives of these sizes one after the other, or all-reduces on one stream each.
func sequence(ranks int, at2 bool, bytes ...units.Bytes) *workload.Graph {
	ops := []collective.Op{collective.AllReduce, collective.ReduceScatter, collective.AllGather}
	g := &workload.Graph{Groups: strided(ranks, ranks/2, 2)}
	for rank := range ranks {
		var list []workload.Op
		for i, size := range bytes {
			o := workload.Op{Kind: workload.Collective, Do: ops[i%len(ops)], Bytes: size, Group: int32(rank % 2)}
			if at2 {
				o.Do, o.Stream = collective.AllReduce, uint8(i)
			}
			list = append(list, o)
		}
		g.Ranks = append(g.Ranks, list)
	}
	return g
}

const sharpNodes = `
cluster: {nodes: 4, node: dgx-a100}
fabrics: [{preset: infiniband-hdr, topology: {shape: rail-optimised}, switch: {streaming-aggregation: one-per-port}, ib: {sharp: true}}]
`

// Collectives of any sizes follow each other on the trees of a group, each in its own
// number of lanes and channels, while another group does the same on its own.
func TestCollectivesFollowEachOtherOnATree(t *testing.T) {
	r := simtest.Resolve(t, sharpNodes)
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	g := sequence(32, false, 4*units.MiB, 300*units.KiB, 200*units.KiB, 32*units.MiB, 3*units.MiB, 2*units.MiB, units.KiB, 128, 256, 16*units.MiB)
	AllocateForGraph(p, LayoutOf(&r.Cluster, p.Fabric), g)
	if got := p.Aggregation.Result(); got.Groups != 2 || got.Trees != 8 || got.Without != 0 {
		t.Fatalf("%+v", got)
	}
	x, err := Execute(context.Background(), p, r, g, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	onTrees := 0
	for _, plan := range x.Plans {
		if plan.Algo == collective.CollNetDirect || plan.Algo == collective.CollNetChain {
			onTrees++
		}
	}
	if onTrees < 4 {
		t.Errorf("of %d collectives %d went by trees: the test wants more of them", len(x.Plans), onTrees)
	}
}

// A group with two collectives at once cannot keep one order on its tree: it is an error.
func TestOverlappingCollectivesOfATreeAreRefused(t *testing.T) {
	r := simtest.Resolve(t, sharpNodes)
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	g := sequence(32, true, 32*units.MiB, 32*units.MiB)
	AllocateForGraph(p, LayoutOf(&r.Cluster, p.Fabric), g)
	if _, err := Execute(context.Background(), p, r, g, true, nil); err == nil || !strings.Contains(err.Error(), "two collectives under way at once") {
		t.Errorf("%v", err)
	}
}

// Ranks that share a NIC and are only a part of their nodes cannot contribute separately:
// their group has no trees.
func TestRanksThatShareANICHaveNoTree(t *testing.T) {
	r := simtest.Resolve(t, strings.Replace(sharpNodes, "node: dgx-a100", "node: {preset: dgx-a100, nics: 4}", 1))
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	g := allocateTrees(p, LayoutOf(&r.Cluster, p.Fabric), []int32{0, 8, 1, 9})
	if g == nil || g.Reason == nil || !strings.Contains(g.Reason.Error(), "share node0/nic0") {
		t.Errorf("%+v", g)
	}
}
