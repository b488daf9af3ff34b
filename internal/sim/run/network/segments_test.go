package network_test

import (
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// segmented is two tenants in VRFs of their own on a leaf-spine fabric, and a store
// that both reach by leaks.
const segmented = `
cluster: {nodes: 6, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: fat-tree, levels: 2, radix: 4}
fabrics: [FABRIC]
isolation:
  segments:
    - {members: "node[0-1]", vlan: 10, vrf: a}
    - {members: "node[2-3]", vlan: 20, vrf: b}
    - {members: node4, vlan: 30, vrf: store}
  leaks: [{from: a, to: store}, {from: store, to: a}, {from: b, to: store}]
`

// All messages within a VRF arrive, and none between VRFs, in either direction. These are
// discarded where they enter the fabric, counted, and reported with both VRFs.
func TestSwitchesKeepVRFsApart(t *testing.T) {
	const flows = "workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: 8KiB}, {src: 0, dst: 2, bytes: 8KiB}, {src: 3, dst: 2, bytes: 8KiB}, {src: 1, dst: 4, bytes: 8KiB}, {src: 2, dst: 4, bytes: 8KiB}, {src: 5, dst: 0, bytes: 8KiB}]}\n"
	r := simtest.Resolve(t, strings.Replace(segmented, "FABRIC", "{preset: roce-v2-400g, transport: {timeout: 1ms, retry: 1}}", 1)+flows)
	for _, workers := range []int{1, 3} {
		out := runtest.Run(t, r, workers)
		p := &out.Fabrics[0].Points[0]
		// The store has no way back to b: it gets the message, and b gets no acknowledgement.
		if p.Flows.N != 4 || p.Counts.MessagesBarred != 2 {
			t.Errorf("%d messages arrive and %d are barred, want 4 and 2", p.Flows.N, p.Counts.MessagesBarred)
		}
		sum, seen := int64(0), map[string]bool{}
		for _, v := range p.Violations {
			sum += v.Packets
			seen[v.FromVRF+">"+v.ToVRF] = true
			if leaf := strings.Fields(v.Port)[0]; !strings.HasPrefix(leaf, "leaf") {
				t.Errorf("%s discards: want the leaf of the sender", v.Port)
			}
		}
		if sum == 0 || sum != p.Counts.DroppedSegment {
			t.Errorf("%d packets in violations, %d counted", sum, p.Counts.DroppedSegment)
		}
		for _, want := range []string{"a>b", "store>b", "default>a"} {
			if !seen[want] {
				t.Errorf("there is no violation %s: %v", want, seen)
			}
		}
		if len(seen) != 3 {
			t.Errorf("violations between %v", seen)
		}
	}
}

// A collective over VRFs that no route joins cannot run, on no transport.
func TestCollectivesBetweenVRFsAreRefused(t *testing.T) {
	for _, fabric := range []string{"roce-v2-400g", "tcp-400g"} {
		r := simtest.Resolve(t, strings.Replace(segmented, "FABRIC", fabric, 1)+"workload: {collective: all-reduce, sizes: [1KiB]}\n")
		if _, err := sim.Run(t.Context(), r, sim.Options{}); err == nil || !strings.Contains(err.Error(), "no route leads") {
			t.Errorf("%s: %v, want a refusal", fabric, err)
		}
	}
}
