package emulate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/internal/live/emulate"
	"weft/internal/sim"
	"weft/internal/sim/runstore"
	"weft/internal/sim/simtest"
	"weft/units"
)

// incast is a scenario with senders that write messages to NIC 0 through a switch.
func incast(fabric string, senders, messages int, bytes string) string {
	var flows []string
	for i := 1; i <= senders; i++ {
		for range messages {
			flows = append(flows, fmt.Sprintf("{src: %d, dst: 0, bytes: %s}", i, bytes))
		}
	}
	return fmt.Sprintf(`
cluster: {nodes: %d, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [%s]
workload: {pattern: flows, operation: write, flows: [%s]}
`, senders+1, fabric, strings.Join(flows, ", "))
}

// TestEmulationAgreesWithSimulation has senders write to one receiver through a switch: by devices of verbs
// through the emulated fabric, and simulated with the times at which their programs began, on which the
// simulation's own number of pauses depends: with XOFF at 512 KiB it goes from 257 to 417.
func TestEmulationAgreesWithSimulation(t *testing.T) {
	const message, messages = 1 << 20, 16
	for _, c := range []struct {
		name, fabric string
		senders      int
	}{
		{"PFC", "{preset: roce-v2-400g, cc: none, ethernet: {ecn: {enabled: false}, pfc: {xoff: 64KiB}}}", 3},
		{"DCQCN", "{preset: roce-v2-400g, ethernet: {ecn: {kmin: 100KB, kmax: 400KB}}}", 3},
		{"TIMELY", "{preset: roce-v2-400g, cc: timely, ethernet: {ecn: {enabled: false}}}", 3},
		{"Swift", "{preset: roce-v2-400g, cc: swift, ethernet: {ecn: {enabled: false}}}", 3},
		{"HPCC", "{preset: roce-v2-400g, cc: hpcc, ethernet: {ecn: {enabled: false}}}", 3},
		{"InfiniBand", "{preset: infiniband-ndr}", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := incast(c.fabric, c.senders, messages, fmt.Sprint(message))
			simulate := func(starts []units.Time) *runstore.Point {
				t.Helper()
				r := simtest.Resolve(t, text)
				for i := range r.Workload.Flows {
					r.Workload.Flows[i].Start = starts[i/messages]
				}
				results, err := sim.Run(t.Context(), r, sim.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return &results.Fabrics[0].Points[0]
			}
			socket, end := start(t, text, emulate.Options{Dilation: 1000})
			var all []*side
			to := open(t, socket, "node0/nic0", message)
			for i := range c.senders {
				from := open(t, socket, fmt.Sprintf("node%d/nic0", i+1), message)
				peer := to
				if i > 0 {
					peer = to.another(t)
				}
				connect(t, from, peer)
				all = append(all, from)
			}
			for _, from := range all {
				for range messages {
					from.write(t, to)
				}
			}
			for _, from := range all {
				for range messages {
					from.completion(t)
				}
			}
			r := end()
			starts := make([]units.Time, c.senders) // as the programs began
			first := units.Forever
			for _, d := range r.Devices {
				first = min(first, d.First)
			}
			for _, d := range r.Devices {
				var node int
				if fmt.Sscanf(d.NIC, "node%d", &node); node > 0 {
					starts[node-1] = d.First - first
				}
			}
			want, got := simulate(starts), &r.Results.Fabrics[0].Points[0]
			t.Logf("dilation %.0f, slip %v, late %d", float64(r.Real.Nanoseconds())*1e3/float64(r.Simulated), r.Slip, r.Late)
			compare(t, "time", float64(got.Time), float64(want.Time), 0.05)
			compare(t, "pauses", float64(got.Counts.Pauses), float64(want.Counts.Pauses), 0.10)
			compare(t, "marks", float64(got.Counts.Marks), float64(want.Counts.Marks), 0.10)
			compare(t, "CNPs", float64(got.Counts.CNPs), float64(want.Counts.CNPs), 0.10)
			compare(t, "credit stalls", float64(got.Counts.CreditStalls), float64(want.Counts.CreditStalls), 0.10)
			compare(t, "packets", float64(got.Counts.Packets), float64(want.Counts.Packets), 0.10)
		})
	}
}

// compare holds a figure against its reference.
func compare(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	t.Logf("%s: %g emulated, %g simulated", what, got, want)
	if math.Abs(got-want) > tolerance*want {
		t.Errorf("%s: %g emulated, %g simulated: %+.1f %%, want within %.0f %%", what, got, want, 100*(got/want-1), 100*tolerance)
	}
}
