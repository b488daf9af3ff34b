package sim

import (
	"strings"
	"testing"

	"weft/internal/sim/simtest"
)

// TestFaultsMayOverlap lays faults of a cable over each other in every way: what is
// broken for ever stays broken, and what is broken twice works when both are over.
func TestFaultsMayOverlap(t *testing.T) {
	for _, faults := range []string{
		"{at: 5us, link: leaf0 port 9}, {at: 50us, link: leaf0 port 9, until: 90us}",
		"{at: 50us, link: leaf0 port 9, until: 90us}, {at: 5us, switch: spine0}",
		"{at: 5us, link: leaf0 port 9, until: 70us}, {at: 50us, link: leaf0 port 9, until: 90us}",
		"{at: 5us, link: leaf0 port 9, until: 70us}, {at: 75us, link: leaf0 port 9, until: 90us}",
		"{at: 5us, link: leaf0 port 9, until: 70us}, {at: 5us, link: leaf0 port 9, until: 70us}",
	} {
		results := run(t, simtest.Resolve(t, simtest.LeafSpine+simtest.BothFabrics+"faults: ["+faults+"]"), 1)
		for _, f := range results.Fabrics {
			if p := &f.Points[0]; !p.Measured() || p.Counts.DroppedFault == 0 {
				t.Errorf("%s: %s: %d packets lost at cables, want some, and a time", faults, f.Name, p.Counts.DroppedFault)
			}
		}
	}
}

// TestTrafficWithoutAMessageSaysSo asks for uniform traffic so thin that nobody sends.
func TestTrafficWithoutAMessageSaysSo(t *testing.T) {
	_, err := Run(t.Context(), simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [infiniband-ndr]
workload: {pattern: uniform, sizes: [1GiB], load: 1%, duration: 1us}`), Options{})
	if err == nil || !strings.Contains(err.Error(), "no message of 1 GiB is sent: at a load of 1/100 a NIC sends one every 2.147 s in the mean") || strings.Contains(err.Error(), "partition") {
		t.Errorf("%v, want that no message is sent, and why", err)
	}
}
