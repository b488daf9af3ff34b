package network_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/units"
)

// TestRingsOfSwitchesDoNotDeadlock runs fabrics that would stand still on one lane: with
// small buffers, a ring of sixteen switches and a dragonfly.
func TestRingsOfSwitchesDoNotDeadlock(t *testing.T) {
	for _, shape := range []string{
		"{shape: torus, dims: [16], hosts-per-leaf: 8, radix: 12}",
		"{shape: torus, dims: [5, 5], hosts-per-leaf: 6, radix: 12}",
		"{shape: dragonfly, hosts-per-leaf: 4, switches-per-group: 8, global-links: 4, groups: 4, radix: 16}",
	} {
		out := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 16, node: dgx-h100}
topology: `+shape+`
fabrics: [{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {buffer: 8KiB, hoq-lifetime: forever, leaf-hoq-lifetime: forever}}]
workload: {pattern: permutation, sizes: [1MiB]}`), 2)
		if p := out.Fabrics[0].Points[0]; p.Time <= 0 || p.Counts.Drops() > 0 {
			t.Errorf("%s: %v, %d drops", shape, p.Time, p.Counts.Drops())
		}
	}
}

// TestATransferInANodeIsProgress runs a collective of one node, in which no NIC sends, for longer
// than a standstill takes to be found.
func TestATransferInANodeIsProgress(t *testing.T) {
	out := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 1, node: {preset: mi300x-8, gpus: 2, nics: 2, scale-up: {generation: xgmi-mi300, link-rate: 1GB/s}}}
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, algorithm: ring, sizes: [64MiB]}`), 1)
	if p := out.Fabrics[0].Points[0]; p.Time < 60*units.Millisecond {
		t.Errorf("64 MiB at 1 GB/s took %v", p.Time)
	}
}

// TestStandstillNamesTheCircle runs a permutation on a ring of Ethernet switches
// that pause one another, and expects the circle, port by port and once around, on
// any number of cores.
func TestStandstillNamesTheCircle(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: torus, dims: [16], hosts-per-leaf: 8, radix: 12}
fabrics: [{preset: roce-v2-400g, cc: none, routing: {mode: deterministic}, ethernet: {ecn: {enabled: false}, pfc: {xoff: 16KiB, xon-offset: 8KiB}}}]
workload: {pattern: permutation, sizes: [4MiB]}`)
	_, err := runtest.SameOnCores(t, r, 1, 2, 3)
	if err == nil {
		t.Fatal("a ring of full buffers went on")
	}
	wants := []string{"no progress since", "deadlock: 16 ports wait for one another in a circle"}
	for i := range 16 {
		wants = append(wants, fmt.Sprintf("\n  switch(%d) port 9 to switch(%d): ", i, (i+1)%16))
	}
	for _, want := range wants {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("the error does not say %q once: %v", want, err)
		}
	}
}
