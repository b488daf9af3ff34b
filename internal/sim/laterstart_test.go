package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// TestMessagesThatStartLaterTakeTheSameTime starts an all-to-all together with an incast at several
// times. No device and no congestion control works at multiples of a time since the run's start, so
// the messages take the same times and everything is counted the same.
func TestMessagesThatStartLaterTakeTheSameTime(t *testing.T) {
	for _, fabric := range []string{
		"preset: infiniband-fdr",
		"preset: infiniband-edr, ib: {queueing: fifo}",
		"preset: infiniband-ndr",
		"preset: infiniband-ndr, cc: {preset: ib-cc}",
		"preset: infiniband-ndr, routing: {mode: adaptive}",
		"preset: infiniband-ndr, transport: {qps-per-connection: 2}",
		"preset: infiniband-ndr, nic: {contexts: 4, receive-rate: 200Gbps, receive-buffer: 64KiB}",
		"preset: roce-v2-400g, cc: {preset: none}, switch: {buffer: 2MiB}", // pauses
		"preset: roce-v2-400g, cc: {preset: dcqcn-firmware}, nic: {cnp-generation: 1us, cnp-reaction: 1us}",
		"preset: roce-v2-400g, cc: {preset: dcqcn-paper}",
		"preset: roce-v2-400g, cc: {preset: dcqcn-ns3}",
		"preset: roce-v2-400g, cc: {preset: hpcc}",
		"preset: roce-v2-400g, cc: {preset: swift}",
		"preset: roce-v2-400g, cc: {preset: timely}",
		"preset: roce-v2-400g, routing: {mode: flowlet}",
		"preset: roce-v2-400g, routing: {mode: adaptive}",
		"preset: roce-v2-400g, routing: {mode: spray}",
		"preset: roce-v2-400g, ethernet: {pfc: {receivers: [{nic: 2, drain: 100Gbps}]}}",
		"preset: roce-v2-400g, ethernet: {pfc: {enabled: false}, ecn: {kmin: 50KB, kmax: 100KB}}, switch: {buffer: 200KiB}", // losses
		"preset: ultra-ethernet-400g",
		"preset: efa-200g",
		"preset: iwarp-400g",
		"preset: tcp-400g, switch: {buffer: 200KiB}",
	} {
		want := ""
		for _, start := range []int64{0, 333, 1_234_567, 7_654_321_987} {
			r := runtest.Run(t, simtest.Resolve(t, "cluster: {nodes: 8, node: {gpus: 1, nics: 1}}\n"+
				"topology: {shape: fat-tree, levels: 2, radix: 4}\nfabrics: [{"+fabric+"}]\n"+allToAllAndIncast(8, start)), 1)
			p := &r.Fabrics[0].Points[0]
			p.Counts.Skipped.Of = 0 // the time of the run, with that before the start
			got := fmt.Sprintf("%+v %+v", p.Flows, p.Counts)
			if start == 0 {
				want = got
			}
			if got != want {
				t.Errorf("%s: with a start after %d ps\n%s, want\n%s", fabric, start, got, want)
			}
		}
	}
}

// allToAllAndIncast is a pattern of messages of several sizes that start at a time in picoseconds.
func allToAllAndIncast(hosts int, start int64) string {
	var b strings.Builder
	b.WriteString("workload:\n  pattern: flows\n  flows:\n")
	for d := 1; d < hosts; d++ {
		for src := range hosts {
			fmt.Fprintf(&b, "    - {src: %d, dst: %d, bytes: %d, start: %dps}\n", src, (src+d)%hosts, 200_000*(1+d%2), start)
		}
		fmt.Fprintf(&b, "    - {src: %d, dst: 0, bytes: 1MiB, start: %dps}\n", d, start)
	}
	return b.String()
}
