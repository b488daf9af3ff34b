package sim

import (
	"context"
	"testing"

	"weft/internal/sim/runstore"
	"weft/internal/sim/simtest"
	"weft/units"
)

// ranged are the switch ranges of a comparison of two fabrics at its smallest size.
func ranged(t *testing.T, more string) []*runstore.SwitchRange {
	t.Helper()
	r := simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
workload: {collective: all-reduce, sizes: [1KiB, 64KiB]}
fabrics: [`+more+`]
`)
	out, err := Run(context.Background(), r, Options{Workers: 1, SwitchRange: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []*runstore.SwitchRange
	for i := range out.Fabrics {
		all = append(all, out.Fabrics[i].SwitchRange)
	}
	return all
}

// The smallest size is simulated with the latencies that sources give for each fabric's
// switch. A slower switch makes it longer, in proportion.
func TestTheSmallestSizeIsSimulatedOverTheSwitchesLatencies(t *testing.T) {
	all := ranged(t, "infiniband-ndr, roce-v2-400g")
	for i, want := range [][3]units.Time{{130, 150, 330}, {300, 500, 650}} {
		s := all[i]
		if s == nil || s.Bytes != 1024 || s.Sources[0] == "" || s.Sources[1] == "" {
			t.Fatalf("fabric %d: %+v", i, s)
		}
		for k := range want {
			if got := units.Time(s.LatencyPs[k]); got != want[k]*units.Nanosecond {
				t.Errorf("%s: latency %d is %v, want %v ns", s.Switch, k, got, want[k])
			}
		}
		slope := func(a, b int) float64 {
			return float64(s.TimePs[b]-s.TimePs[a]) / float64(s.LatencyPs[b]-s.LatencyPs[a])
		}
		if low, high := slope(0, 1), slope(1, 2); low < 1 || high < 1 || low/high > 1.2 || high/low > 1.2 {
			t.Errorf("%s: %v: %.2f and %.2f ps longer for each ps of a switch", s.Switch, s.TimePs, low, high)
		}
	}
}

func TestALatencyThatTheScenarioStatesHasNoRange(t *testing.T) {
	all := ranged(t, "{preset: infiniband-ndr, switch: {model: qm9700, latency: 200ns}}, roce-v2-400g")
	if s := all[0]; s == nil || s.TimePs[0] != s.TimePs[2] || s.Sources[0] != "" {
		t.Errorf("a latency that the scenario gives has a range: %+v", s)
	}
	if s := all[1]; s == nil || s.TimePs[0] >= s.TimePs[2] {
		t.Errorf("the other fabric has the range %+v", s)
	}
	if one := ranged(t, "infiniband-ndr"); one[0] != nil {
		t.Errorf("one fabric is compared with nothing, and has %+v", one[0])
	}
}
