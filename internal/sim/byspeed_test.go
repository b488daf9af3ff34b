package sim_test

import (
	"fmt"
	"testing"

	"weft/internal/sim"
)

// mixedSpines is two leaves with eight hosts each and four spines, two of which have cables of 100 Gb/s.
func mixedSpines(settings string) string {
	links := ""
	for host := range 16 {
		links += fmt.Sprintf("{ends: [%d, %d], length: 5m}, ", host, 16+host/8)
	}
	for leaf := range 2 {
		for spine := range 4 {
			rate := "400Gbps"
			if spine >= 2 {
				rate = "100Gbps"
			}
			links += fmt.Sprintf("{ends: [%d, %d], count: 2, rate: %s, length: 5m}, ", 16+leaf, 18+spine, rate)
		}
	}
	flows := ""
	for host := range 8 {
		flows += fmt.Sprintf("{src: %d, dst: %d, bytes: 4MiB}, ", host, 8+host)
	}
	return fmt.Sprintf(`
cluster: {nodes: 16, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: listed, links: [%s]}
fabric: {preset: infiniband-ndr, routing: {mode: deterministic}, ib: {%s}}
workload: {pattern: flows, flows: [%s]}
`, links, settings, flows)
}

// TestBySpeedSparesSlowSpines: with ib.by-speed fewer flows cross the slow spines, and the last message arrives sooner, with
// minhop, and with auto, which is then updn. ftree counts no rates.
func TestBySpeedSparesSlowSpines(t *testing.T) {
	last := func(settings string) int64 {
		t.Helper()
		out, err := sim.Run(t.Context(), resolveIn(t, t.TempDir(), mixedSpines(settings)), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return int64(out.Fabrics[0].Points[0].Time)
	}
	for _, engine := range []string{"minhop", "auto"} {
		plain, weighed := last("engine: "+engine), last("engine: "+engine+", by-speed: true")
		t.Logf("%s: %d ps without, %d by speed", engine, plain, weighed)
		if 4*weighed >= 3*plain {
			t.Errorf("%s: the messages take %d ps by speed and %d without, want a quarter less", engine, weighed, plain)
		}
	}
	if plain, weighed := last("engine: ftree"), last("engine: ftree, by-speed: true"); plain != weighed {
		t.Errorf("ftree: %d ps by speed, %d without, want the same", weighed, plain)
	}
}
