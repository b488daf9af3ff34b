package sim_test

import (
	"fmt"
	"os"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/simtest"
	"weft/scenario"
)

// BenchmarkForward is a collective of 1 GiB on whole H100 nodes, on one core. The steps of rings repeat themselves;
// trees and the rounds of an all-to-all do not. With WEFT_EXACT=off every period is simulated. hops/s counts the
// skipped ones, too.
func BenchmarkForward(b *testing.B) {
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
		for _, p := range []struct {
			name, workload string
			repeats        bool
			nodes          []int
		}{
			{"ring", ring("all-reduce"), true, []int{16, 128}},
			{"all-gather", ring("all-gather"), true, []int{16, 128}},
			{"tree", "collective: all-reduce, algorithm: tree, protocol: simple", false, []int{16}},
			{"all-to-all", "collective: all-to-all", false, []int{16}},
		} {
			for _, nodes := range p.nodes {
				b.Run(fmt.Sprintf("%s/%s/%d", fabric, p.name, 8*nodes), func(b *testing.B) {
					if testing.Short() && !p.repeats {
						b.Skip("every packet is simulated")
					}
					forward(b, gibibyte(b, nodes, fabric, p.workload))
				})
			}
		}
	}
}

// BenchmarkForwardPattern is messages of 256 MiB between the NICs of 64 nodes, on one core. An incast repeats
// itself, and a permutation on one switch does. A permutation whose flows collide on links of a fat tree does not.
func BenchmarkForwardPattern(b *testing.B) {
	const tree = "{shape: fat-tree, levels: 2, radix: 16}"
	for _, p := range []struct{ name, fabric, topology, workload string }{
		{"infiniband-ndr/incast", "infiniband-ndr, routing: {mode: deterministic}", tree, "incast, fan-in: 63"},
		{"infiniband-ndr/permutation", "infiniband-ndr", "{shape: single-switch, radix: 64}", "permutation"},
		{"infiniband-ndr/collisions", "infiniband-ndr, routing: {mode: deterministic}", tree, "permutation"},
		{"roce-v2-400g/permutation", "roce-v2-400g", "{shape: single-switch, radix: 64}", "permutation"},
		{"roce-v2-400g/collisions", "roce-v2-400g", tree, "permutation"},
	} {
		b.Run(p.name, func(b *testing.B) {
			forward(b, simtest.Resolve(b, fmt.Sprintf(`
cluster: {nodes: 64, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: %s
fabrics: [{preset: %s}]
workload: {pattern: %s, sizes: [256MiB]}`, p.topology, p.fabric, p.workload)))
		})
	}
}

// forward runs a scenario, with WEFT_EXACT=off every period of it.
func forward(b *testing.B, r *scenario.Resolved) {
	exact := sim.ExactOn
	if os.Getenv("WEFT_EXACT") == "off" {
		exact = sim.ExactOff
	}
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
}

// ring is a collective by rings.
func ring(op string) string { return "collective: " + op + ", algorithm: ring, protocol: simple" }

// gibibyte is a workload of 1 GiB on whole H100 nodes.
func gibibyte(b *testing.B, nodes int, fabric, workload string) *scenario.Resolved {
	return simtest.Resolve(b, fmt.Sprintf(`
cluster: {nodes: %d, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [%s]
workload: {%s, sizes: [1GiB]}`, nodes, fabric, workload))
}
