package control_test

import (
	"testing"

	"weft/internal/test/runtest"
	"weft/units"
)

// Of four datagrams two carry a key that is not their receiver's: one is from the sender of
// a good datagram, one from another sender.
func TestDatagramsWithAnotherQKeyAreDroppedAndTrapped(t *testing.T) {
	p := runtest.Point(t, `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [infiniband-ndr]
workload: {pattern: flows, transport: ud, qkey: 0x1234, flows: [
  {src: 0, dst: 1, bytes: 2KiB}, {src: 1, dst: 2, bytes: 2KiB, qkey: 0x80},
  {src: 1, dst: 2, bytes: 1KiB, start: 1us}, {src: 3, dst: 2, bytes: 2KiB, qkey: 5}]}`)
	if p.Flows.N != 2 || p.Counts.DroppedQKey != 2 || p.Counts.MessagesBarred != 2 || p.Counts.MessagesLost != 0 {
		t.Errorf("%d arrive, %d dropped, %d barred, %d lost; want 2, 2, 2 and none", p.Flows.N, p.Counts.DroppedQKey, p.Counts.MessagesBarred, p.Counts.MessagesLost)
	}
	if len(p.Violations) != 2 || len(p.Traps.Ports) != 1 || p.Traps.Ports[0].QKeys != 2 {
		t.Fatalf("violations %+v, traps %+v; want two at one port, which counts both", p.Violations, p.Traps)
	}
	for i, want := range []struct {
		from string
		key  uint32
	}{{"node1/nic0", 0x80}, {"node3/nic0", 5}} {
		if v := p.Violations[i]; v.Trap != 258 || v.Port != "node2/nic0 port 1" || v.From != want.from || v.QKey != want.key || v.Packets != 1 || v.KnownPs <= v.FirstPs {
			t.Errorf("%+v; want trap 258 at node2/nic0 port 1, key %#x from %s", v, want.key, want.from)
		}
	}
	if gap := units.Time(p.Violations[1].KnownPs - p.Violations[0].KnownPs); gap != subnetTimeout {
		t.Errorf("the second trap of the port comes %v after the first, want %v", gap, subnetTimeout)
	}
}
