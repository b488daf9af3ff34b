package report

import (
	"strings"
	"testing"

	"weft/results"
	"weft/scenario"
	"weft/units"
)

// A fabric whose senders waited for the rate of congestion control is named with the waits; one whose
// waits are short beside the time of its NICs is not.
func TestWaitsForARateAreNamed(t *testing.T) {
	f, err := scenario.Decode("test.yaml", []byte(`
cluster: {nodes: 3, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [roce-v2-400g, infiniband-ndr]
workload: {pattern: incast, fan-in: 2, sizes: [8MiB]}`))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	point := func(c results.Counts) []results.Point {
		return []results.Point{{Bytes: 8 << 20, Time: 600 * units.Microsecond, Counts: c}}
	}
	for _, c := range []struct {
		waited units.Time
		named  bool
	}{{300 * units.Microsecond, true}, {80 * units.Microsecond, false}, {0, false}} {
		r := &results.Results{Workload: "incast", Fabrics: []results.FabricResult{
			{Name: "roce-v2-400g", Protocol: "roce-v2", Points: point(results.Counts{PaceWaits: min(3, int64(c.waited)), PaceWait: int64(c.waited)})},
			{Name: "infiniband-ndr", Protocol: "infiniband", Points: point(results.Counts{})},
		}}
		text := strings.Join(Judge(r, sc).Notes, "\n")
		if strings.Contains(text, "held senders back") != c.named {
			t.Errorf("with waits of %s: named %t is wrong: %s", c.waited, c.named, text)
		}
		if c.named && (!strings.Contains(text, "roce-v2-400g held senders back at 8 MiB: 3 packets") || !strings.Contains(text, "300 us in all") || !strings.Contains(text, "each 300 us (cc.increase-period)")) {
			t.Errorf("the sentence lacks the waits or the timer: %s", text)
		}
	}
}
