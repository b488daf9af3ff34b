package pattern_test

import (
	"fmt"
	"testing"

	"weft/internal/test/runtest"
	"weft/units"
)

// TestANarrowSlotBoundsTheNICsRate sends a message of 64 packets from NICs in PCIe slots
// of fewer lanes or smaller packets than the link needs. A slot carries lanes × lane rate ×
// payload / (payload + overhead), which is less than two devices reach through a switch in a
// full slot.
func TestANarrowSlotBoundsTheNICsRate(t *testing.T) {
	const packets = 64
	w := ways[1]
	for _, c := range []struct {
		pcie                 string
		lanes, payload, rate int64 // of a lane in bit/s
	}{
		{"{generation: gen5, lanes: 4}", 4, 256, 31_507_692_307},
		{"{generation: gen4, lanes: 8, peer-rate: 480Gbps}", 8, 256, 15_753_846_153},
		{"{generation: gen5, max-payload: 64B}", 16, 64, 31_507_692_307},
	} {
		slot := c.lanes * c.rate * c.payload / (c.payload + 24)
		bus := func(bytes int64) int64 { return bytes * 8_000_000_000_000 / slot }
		first, middle := int64(4096+82+16), int64(4096+82)
		want := hostSend + units.Time(bus(first)+(packets-2)*bus(middle)) + w.takes(4096+82+4) + hostReceive
		got := runtest.Point(t, `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1, pcie: `+c.pcie+`}}
topology: {shape: single-switch}
fabrics: [roce-v2-400g]
workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: `+fmt.Sprint(packets*4096)+`B}]}`)
		if got.Time != want {
			t.Errorf("%s: %v, want %v", c.pcie, got.Time.Exact(), want.Exact())
		}
	}
}
