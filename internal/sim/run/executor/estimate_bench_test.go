package executor

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// gridTopologies are networks of four nodes with 32 NICs: equal rails, a fat tree with half of the
// uplinks, whose hashed paths collide, and a dragonfly of four groups.
var gridTopologies = map[string]string{
	"rails":     "{shape: rail-optimised}",
	"fat-tree":  "{shape: fat-tree, hosts-per-leaf: 8, oversubscription: 2:1}",
	"dragonfly": "{shape: dragonfly, hosts-per-leaf: 4, switches-per-group: 2, global-links: 2}",
}

// gridWorkloads are the collectives, with NCCL's choice and with the algorithms that it takes elsewhere.
var gridWorkloads = []string{
	"all-reduce", "all-reduce, algorithm: tree", "all-reduce, algorithm: nvls-tree", "all-gather", "reduce-scatter", "broadcast", "all-to-all",
}

// BenchmarkEstimates compares estimates with whole simulations: each workload with eight sizes on both
// fabrics and three topologies. Of the points that are estimated with the default bound it reports the
// share whose interval has the true time, the mean and the largest error in per cent. -v names each.
func BenchmarkEstimates(b *testing.B) {
	if testing.Short() {
		b.Skip("it takes some twenty minutes")
	}
	for _, topology := range []string{"rails", "fat-tree", "dragonfly"} {
		for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
			for _, workload := range gridWorkloads {
				name := strings.Join([]string{topology, fabric, strings.ReplaceAll(workload, ", algorithm: ", "-")}, "/")
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						heldAgainstTheWhole(b, topology, fabric, workload)
					}
				})
			}
		}
	}
}

// heldAgainstTheWhole reports the errors of a workload's estimates.
func heldAgainstTheWhole(b *testing.B, topology, fabric, workload string) {
	points, estimates, inside, sum, worst := 0, 0, 0, 0.0, 0.0
	for mib := 16; mib <= 2048; mib *= 2 {
		e, whole := bounded(b, fmt.Sprintf(`
cluster: {nodes: 4, node: dgx-h100}
topology: %s
fabrics: [%s]
workload: {sizes: [%dMiB], collective: %s}
`, gridTopologies[topology], fabric, mib, workload), 0.01)
		points++
		if e.Estimate == nil {
			continue
		}
		err := 100 * (float64(e.Time)/float64(whole.Time) - 1)
		is := int64(whole.Time) >= e.Estimate.LowPs && int64(whole.Time) <= e.Estimate.HighPs
		b.Logf("%d MiB: %+.2f %%, in the interval of ±%.2f %%: %v", mib, err, 100*e.Estimate.Error(), is)
		estimates, sum, worst = estimates+1, sum+math.Abs(err), max(worst, math.Abs(err))
		if is {
			inside++
		}
	}
	b.ReportMetric(float64(points), "points")
	b.ReportMetric(float64(estimates), "estimated")
	if estimates > 0 {
		b.ReportMetric(100*float64(inside)/float64(estimates), "%inside")
		b.ReportMetric(sum/float64(estimates), "%mean-error")
		b.ReportMetric(worst, "%worst-error")
	}
}
