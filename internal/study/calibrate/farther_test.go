package calibrate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/scenario"
)

// farLog is weft's own log of an all-reduce on two nodes of eight H200, with noise, to sizes above those at which every
// cause is simulated.
func farLog(t *testing.T, noise float64, fault ...scenario.Override) *logfile.Log {
	t.Helper()
	points := pointsOf(t, farCluster, append([]scenario.Override{{Path: "workload.sizes", Value: "{from: 256KiB, to: 1GiB, factor: 4}", Origin: "test"}}, fault...)...)
	rng := rand.New(rand.NewPCG(1, 3))
	var b strings.Builder
	b.WriteString("# Collective test starting: all_reduce_perf\n")
	for _, p := range points {
		row(&b, p.Bytes, 16, func() float64 { return float64(p.Time) / 1e6 }, noise, rng)
	}
	return read(t, b.String())[0]
}

const farCluster = "cluster: {nodes: 2, node: dgx-h200}\nfabric: infiniband-ndr"

// With four NICs of eight NCCL changes its algorithm between 64 and 256 MiB, so that the line through the simulated sizes is
// a third too fast there. The cause is first all the same, since its own larger sizes are simulated.
func TestACauseIsJudgedByItsOwnLargeSizes(t *testing.T) {
	log := farLog(t, .01, scenario.Override{Path: "cluster.node.nics", Value: "4", Origin: "fault"})
	d := diagnoseBy(t, describe(t, farCluster), log, Options{})
	first := d.Explanations[0]
	if first.ID != fewerRailsID || first.Label != "4 of 8 NICs of each node in use" {
		t.Errorf("%s, %s", d.Verdict, firstFew(d.Diagnosis))
	}
	for _, e := range d.Explanations {
		if e.Match > .04 && e.Posterior > first.Posterior/3 {
			t.Errorf("%s has %.2f, and its times are %.0f %% off; %s has %.2f", e.ID, e.Posterior, 100*e.Match, first.ID, first.Posterior)
		}
	}
	for i, p := range d.Tasks[0].Points {
		if off := offBy(first.Predicted[0][i], p.Measured); off > .04 || off < -.04 {
			t.Errorf("at %d B the cause takes %v, and the log %v", p.Bytes, first.Predicted[0][i], p.Measured)
		}
	}
}
