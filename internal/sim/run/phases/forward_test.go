package phases

import (
	"context"
	"testing"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/workload"
	"weft/internal/test/simtest"
	"weft/units"
)

// The fast-forward leaves out most steps of a ring, and counts the time that they would take:
// for an all-gather and a reduce-scatter over 32 ranks on one rail the time agrees with the
// whole simulation to a hundredth.
func TestTheFastForwardAgreesWithTheWhole(t *testing.T) {
	const text = `
cluster: {nodes: 32, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [infiniband-ndr, roce-v2-400g]
`
	r := simtest.Resolve(t, text)
	var all []int32
	for rank := range int32(32) {
		all = append(all, rank)
	}
	for i := range r.Fabrics {
		p, err := control.NewPlan(r, &r.Fabrics[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, do := range []collective.Op{collective.AllGather, collective.ReduceScatter} {
			phase := workload.Phase{Kind: workload.Collective, Do: do, Groups: [][]int32{all}, Bytes: []units.Bytes{256 * units.MiB}}
			whole, err := executor.Execute(context.Background(), p, r, phase.Graph(32), true)
			if err != nil {
				t.Fatal(err)
			}
			run := alone(t, p, r, &phase)
			for rank, want := range phase.Times(whole.Timeline) {
				if d := (run.Took[rank] - want).Seconds() / want.Seconds(); d > 0.01 || d < -0.01 {
					t.Errorf("%s, %v, rank %d: %v, the whole %v", p.Fabric.Name, do, rank, run.Took[rank], want)
				}
			}
			if run.Share() > 0.6 {
				t.Errorf("%s, %v: %.0f %% of the bytes were simulated", p.Fabric.Name, do, 100*run.Share())
			}
		}
	}
}
