package phases

import (
	"context"
	"testing"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/internal/test/simtest"
	"weft/scenario"
	"weft/units"
)

// alone runs one phase, folded if possible.
func alone(t *testing.T, p *network.Plan, r *scenario.Resolved, phase *workload.Phase) *Run {
	t.Helper()
	runs, err := RunPhases(context.Background(), p, r, []workload.Phase{*phase}, true)
	if err != nil {
		t.Fatal(err)
	}
	return runs[0]
}

// foldCase is a phase on a cluster of nodes with eight GPUs, and the number of its groups
// to be simulated on each fabric.
type foldCase struct {
	name, text string
	phase      workload.Phase
	want       []int
}

// rails is a reduce-scatter on a group for each rail in each block of nodes, with a
// size for each block.
func rails(nodes, block int, sizes ...units.Bytes) workload.Phase {
	p := workload.Phase{Kind: workload.Collective, Do: collective.ReduceScatter}
	for first := 0; first < nodes; first += block {
		for rail := range 8 {
			var group []int32
			for n := first; n < first+block; n++ {
				group = append(group, int32(8*n+rail))
			}
			p.Groups, p.Bytes = append(p.Groups, group), append(p.Bytes, sizes[first/block%len(sizes)])
		}
	}
	return p
}

// passes is a message from every GPU to the GPU of the same number some nodes further on.
func passes(nodes, by int) workload.Phase {
	p := workload.Phase{Kind: workload.Send}
	for rank := range 8 * (nodes - by) {
		p.Groups, p.Bytes = append(p.Groups, []int32{int32(rank), int32(rank + 8*by)}), append(p.Bytes, units.MiB)
	}
	return p
}

const foldFabrics = "\nfabrics: [infiniband-ndr, roce-v2-400g]\n"

// Alike groups stand for each other if they share no link and no choice of a switch changes
// their time. They do not if ECMP may collide, spines are oversubscribed, links are slow or
// anything is drawn. A folded phase takes the same time as the whole phase.
func TestOnlyAlikeGroupsStandForEachOther(t *testing.T) {
	const units4 = "cluster: {nodes: 8, node: dgx-h100}\ntopology: {shape: rail-optimised, nodes-per-unit: 4}"
	const slow = units4 + "\nfabrics:\n" +
		"  - {preset: infiniband-ndr, slow-links: [{nics: [node2/nic3], rate: 100Gbps}]}\n" +
		"  - {preset: roce-v2-400g, slow-links: [{nics: [node2/nic3], rate: 100Gbps}]}\n"
	for _, c := range []foldCase{
		{"a leaf each, two sizes", units4 + foldFabrics, rails(8, 4, 8*units.MiB, 16*units.MiB), []int{2, 2}},
		{"over two leaves", units4 + foldFabrics, rails(8, 8, 16*units.MiB), []int{1, 1}},
		{"messages to the next unit", units4 + foldFabrics, passes(8, 4), []int{1, 64 - 32}},
		{"messages from node to node under leaves", units4 + foldFabrics, passes(4, 1), []int{3, 3}},
		{"a slow cable", slow, rails(8, 4, 8*units.MiB), []int{2, 2}},
		{
			"oversubscribed leaves", "cluster: {nodes: 8, node: dgx-h100}\ntopology: {shape: rail-optimised, nodes-per-unit: 4, oversubscription: 2}" + foldFabrics,
			passes(8, 4),
			[]int{32, 32},
		},
		{"jitter", units4 + foldFabrics + "run: {jitter: true}\n", rails(8, 4, 8*units.MiB), []int{16, 16}},
		{
			"faults", units4 + foldFabrics + "faults: [{link: node0/nic0 port 1, at: 10us, until: 20us}]\n",
			rails(8, 4, 8*units.MiB),
			[]int{16, 16},
		},
	} {
		r := simtest.Resolve(t, c.text)
		for i := range r.Fabrics {
			p, err := control.NewPlan(r, &r.Fabrics[i])
			if err != nil {
				t.Fatal(err)
			}
			run := alone(t, p, r, &c.phase)
			if run.Groups != c.want[i] {
				t.Errorf("%s, %s: %d groups were simulated, want %d", c.name, p.Fabric.Name, run.Groups, c.want[i])
			}
			whole, err := executor.Execute(context.Background(), p, r, c.phase.Graph(r.Cluster.Ranks()), true, nil)
			if err != nil {
				t.Fatal(err)
			}
			times := c.phase.Times(whole.Timeline)
			for _, g := range c.phase.Groups {
				for k, rank := range g {
					if c.phase.Kind == workload.Send && k > 0 {
						continue
					}
					if d := (run.Took[rank] - times[rank]).Seconds() / times[rank].Seconds(); d > 0.01 || d < -0.01 {
						t.Errorf("%s, %s, rank %d: %v, the whole %v", c.name, p.Fabric.Name, rank, run.Took[rank], times[rank])
					}
				}
			}
		}
	}
}

// Alike groups of several phases are simulated once.
func TestPhasesShareAlikeGroups(t *testing.T) {
	r := simtest.Resolve(t, "cluster: {nodes: 8, node: dgx-h100}\ntopology: {shape: rail-optimised, nodes-per-unit: 4}\nfabrics: [infiniband-ndr]\n")
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	phases := []workload.Phase{rails(8, 4, 8*units.MiB), rails(8, 4, 8*units.MiB, 16*units.MiB), rails(8, 8, 8*units.MiB)}
	runs, err := RunPhases(context.Background(), p, r, phases, true)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 1, 1} {
		if runs[i].Groups != want {
			t.Errorf("phase %d: %d groups were simulated, want %d", i, runs[i].Groups, want)
		}
	}
	if a, b := runs[0].Took[0], runs[1].Took[0]; a != b || a <= 0 || runs[1].Took[40] <= a {
		t.Errorf("8 MiB take %v and %v, 16 MiB %v", a, b, runs[1].Took[40])
	}
}
