package sim

import (
	"context"
	"testing"

	"weft/internal/collective"
	"weft/internal/workload"
	"weft/units"
)

// Groups that stay under leaves of their own take what they take when all are
// simulated, and of leaves with other bytes one is simulated too.
func TestGroupsUnderTheirOwnLeavesStandForEachOther(t *testing.T) {
	r := resolve(t, `
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [infiniband-ndr, roce-v2-400g]
`)
	phase := workload.Phase{Kind: workload.Collective, Do: collective.ReduceScatter}
	for i, g := range strided(32, 4, 8) { // a rail each
		phase.Groups, phase.Bytes = append(phase.Groups, g.Ranks), append(phase.Bytes, units.Bytes(1+i/4)*8*units.MiB)
	}
	for i := range r.Fabrics {
		p, err := newPlan(r, &r.Fabrics[i])
		if err != nil {
			t.Fatal(err)
		}
		whole, err := p.execute(context.Background(), r, phase.Graph(32))
		if err != nil {
			t.Fatal(err)
		}
		run, err := p.runPhase(context.Background(), r, &phase)
		if err != nil {
			t.Fatal(err)
		}
		if run.groups != 2 {
			t.Errorf("%s: %d groups were simulated, want 2", p.fabric.Name, run.groups)
		}
		for rank, want := range phase.Times(whole.Timeline) {
			if run.took[rank] != want {
				t.Errorf("%s, rank %d: %v, the whole %v", p.fabric.Name, rank, run.took[rank], want)
			}
		}
	}
}
