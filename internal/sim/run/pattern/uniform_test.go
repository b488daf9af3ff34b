package pattern_test

import (
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/simtest"
	"weft/units"
)

// TestTrafficWithoutAMessageIsAnError has uniform traffic so thin that no NIC sends.
func TestTrafficWithoutAMessageIsAnError(t *testing.T) {
	_, err := sim.Run(t.Context(), simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [infiniband-ndr]
workload: {pattern: uniform, sizes: [1GiB], load: 1%, duration: 1us}`), sim.Options{})
	if err == nil || !strings.Contains(err.Error(), "no message of 1 GiB is sent: at a load of 1/100 a NIC sends one every 2.147 s in the mean") || strings.Contains(err.Error(), "partition") {
		t.Errorf("%v, want that no message is sent, and why", err)
	}
}

// TestTheTimeOfUniformTrafficIsTheMeanTimeOfAMessage offers every fabric the same load for
// 2 ms, the time of each run. A message takes ten times as long on TCP as on RDMA.
func TestTheTimeOfUniformTrafficIsTheMeanTimeOfAMessage(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [infiniband-ndr, roce-v2-400g, tcp-400g]
workload: {pattern: uniform, load: 1%, duration: 2ms, sizes: [4KiB]}`)
	results, err := sim.Run(t.Context(), r, sim.Options{Seeds: 2})
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
			t.Errorf("%s: %.3f GB/s for each receiver, want the offered 0.5", f.Name, p.BusBW)
		}
	}
}
