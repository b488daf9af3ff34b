package sim

import (
	"strings"
	"testing"

	"weft/internal/sim/simtest"
	"weft/units"
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

// TestANetworkWithoutDelaysRuns has cables, switches and NICs that take no time but that
// of the bytes: an event is still later than what causes it.
func TestANetworkWithoutDelaysRuns(t *testing.T) {
	const none = "link: {per-metre: 1ps, fec-latency: 0}, switch: {latency: 0}, nic: {tx-pipeline: 0, rx-pipeline: 0, ack-pipeline: 0, packet-gap: 0}, host: {post: 0, poll: 0}"
	results := run(t, simtest.Resolve(t, `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1, pcie: {latency: 0}}}
topology: {shape: fat-tree, levels: 2, radix: 4, cables: {node-leaf: 1mm, leaf-spine: 1mm}}
fabrics: [{preset: infiniband-ndr, `+none+`}, {preset: roce-v2-400g, `+none+`}]
workload: {pattern: incast, fan-in: 3, sizes: [4KiB]}`), 1)
	for i, bytes := range []units.Time{8 + 12 + 16 + 4 + 4096 + 4 + 2, 8 + 14 + 20 + 8 + 12 + 16 + 4 + 4096 + 4 + 4 + 12} {
		// Three packets cross the receiver's wire one after the other, on InfiniBand with
		// a credit update of 6 bytes before each of the last two at the most; a cable
		// takes a picosecond.
		if p, want := &results.Fabrics[i].Points[0], 3*bytes*20; p.Time < want || p.Time > want+2*6*20+20*units.Picosecond {
			t.Errorf("%s: %d ps, want %d and a few", results.Fabrics[i].Name, p.Time, want)
		}
	}
}

// TestTheTimeOfUniformTrafficIsThatOfAMessage offers every fabric the same for 2 ms, which
// is how long each run takes; a message takes TCP ten times as long as it takes RDMA.
func TestTheTimeOfUniformTrafficIsThatOfAMessage(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [infiniband-ndr, roce-v2-400g, tcp-400g]
workload: {pattern: uniform, load: 1%, duration: 2ms, sizes: [4KiB]}`)
	results, err := Run(t.Context(), r, Options{Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	rdma := results.Fabrics[0].Points[0].Time
	for i, most := range []units.Time{2 * units.Microsecond, 3 * units.Microsecond, 60 * units.Microsecond} {
		f, p := &results.Fabrics[i], &results.Fabrics[i].Points[0]
		if p.Time > most || i == 2 && p.Time < 10*rdma || p.Seeds == nil || p.Seeds.TimesPs[0] != int64(p.Flows.Mean) {
			t.Errorf("%s takes %v in the mean for a message of 4 KiB, of seeds %+v and %v", f.Name, p.Time, p.Seeds, p.Flows.Mean)
		}
		// 1 % of 50 GB/s; the number of messages is Poisson's, 488 in the mean, of two seeds.
		if p.BusBW < 0.8*0.5 || p.BusBW > 1.2*0.5 {
			t.Errorf("%s: %.3f GB/s for each receiver, want what is offered, 0.5", f.Name, p.BusBW)
		}
	}
}
