package sim_test

import (
	"fmt"
	"os"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/scenario"
	"weft/internal/sim/simtest"
)

// BenchmarkForward is a ring of 1 GiB on whole H100 nodes, whose steps repeat themselves, on one core.
// With WEFT_EXACT=off every period is simulated. hops/s counts the skipped ones, too.
func BenchmarkForward(b *testing.B) {
	exact := sim.ExactOn
	if os.Getenv("WEFT_EXACT") == "off" {
		exact = sim.ExactOff
	}
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
		for _, op := range []string{"all-reduce", "all-gather"} {
			for _, nodes := range []int{16, 128} {
				b.Run(fmt.Sprintf("%s/%s/%d", fabric, op, 8*nodes), func(b *testing.B) {
					r := ringOf(b, nodes, fabric, op)
					var hops, skipped int64
					for b.Loop() {
						out, err := sim.Run(b.Context(), r, sim.Options{Workers: 1, Exact: exact})
						if err != nil {
							b.Fatal(err)
						}
						c := out.Fabrics[0].Points[0].Counts
						hops, skipped = hops+c.PacketHops, c.Skipped.Events*100/c.Events
					}
					b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "hops/s")
					b.ReportMetric(float64(skipped), "%skipped")
				})
			}
		}
	}
}

// BenchmarkForwardRate is BenchmarkForward with parts estimated by their rates, and nothing skipped exactly.
func BenchmarkForwardRate(b *testing.B) {
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
		for _, nodes := range []int{16, 128} {
			b.Run(fmt.Sprintf("%s/all-reduce/%d", fabric, 8*nodes), func(b *testing.B) {
				r := ringOf(b, nodes, fabric, "all-reduce")
				share := 0.0
				for b.Loop() {
					out, err := sim.Run(b.Context(), r, sim.Options{Workers: 1, Exact: sim.ExactOff, Skip: rate(1)})
					if err != nil {
						b.Fatal(err)
					}
					share = out.Fabrics[0].Points[0].Estimate.Share
				}
				b.ReportMetric(100*share, "%estimated")
			})
		}
	}
}

// ringOf is a ring of 1 GiB on whole H100 nodes.
func ringOf(b *testing.B, nodes int, fabric, op string) *scenario.Resolved {
	return simtest.Resolve(b, fmt.Sprintf(`
cluster: {nodes: %d, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [%s]
workload: {collective: %s, algorithm: ring, protocol: simple, sizes: [1GiB]}`, nodes, fabric, op))
}
