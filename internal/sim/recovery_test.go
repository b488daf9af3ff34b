package sim

import (
	"fmt"
	"testing"

	"weft/internal/sim/simtest"
	"weft/units"
)

// TestSelectiveRepeatSendsWhatWasLost corrupts packets of a permutation on both
// fabrics. A packet that is lost is sent again once, where go-back-N sends
// everything behind it, too; the network loses no credits and nothing stands still.
func TestSelectiveRepeatSendsWhatWasLost(t *testing.T) {
	for _, fabric := range []string{"roce-v2-400g", "infiniband-ndr"} {
		for _, rate := range []string{"0.1%", "1%"} {
			common := "{preset: " + fabric + ", cc: none, routing: {mode: deterministic}, link: {error-rate: " + rate + "}, transport: {timeout: 1ms, window: 256KiB"
			results := run(t, simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics:
  - `+common+`}, name: back}
  - `+common+`, recovery: selective-repeat}, name: selective}
workload: {pattern: permutation, sizes: [4MiB]}`), 1)
			back, selective := &results.Fabrics[0].Points[0], &results.Fabrics[1].Points[0]
			b, s := &back.Counts, &selective.Counts
			if s.DroppedCorrupt == 0 || s.Drops() != s.DroppedCorrupt {
				t.Errorf("%s at %s: %d packets corrupted of %d dropped, want all and some", fabric, rate, s.DroppedCorrupt, s.Drops())
			}
			if s.Retransmissions > s.DroppedCorrupt {
				t.Errorf("%s at %s: selective repeat sent %d packets again and %d were lost", fabric, rate, s.Retransmissions, s.DroppedCorrupt)
			}
			if b.Retransmissions < 4*s.Retransmissions || back.Time <= selective.Time {
				t.Errorf("%s at %s: go-back-N sent %d again and took %d, selective repeat %d and %d: want much less of both",
					fabric, rate, b.Retransmissions, back.Time, s.Retransmissions, selective.Time)
			}
		}
	}
}

// TestALossCostsWhatTheNICsScheduleSays corrupts packets of a message by adaptive routing,
// where nothing but a timeout finds them, on NICs with a schedule and on ones without.
func TestALossCostsWhatTheNICsScheduleSays(t *testing.T) {
	const text = `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics:
  - {preset: infiniband-ndr, link: {error-rate: 0.1%}}
  - {preset: infiniband-ndr, name: nominal, link: {error-rate: 0.1%}, transport: {retransmission: fixed}}
workload: {pattern: flows, flows: [{src: 0, dst: 8, bytes: 4MiB}]}`
	for seed := range 8 {
		r := simtest.Resolve(t, text+fmt.Sprintf("\nrun: {seed: %d}", seed))
		results := run(t, r, 1)
		schedule := r.Fabrics[0].NIC.Retransmission.Times
		p, nominal := &results.Fabrics[0].Points[0], &results.Fabrics[1].Points[0]
		n := units.Time(p.Counts.Timeouts)
		if p.Counts.DroppedCorrupt > 0 && n == 0 || p.Counts.Drops() != p.Counts.DroppedCorrupt {
			t.Errorf("seed %d: %d packets corrupted of %d dropped, and %d timeouts", seed, p.Counts.DroppedCorrupt, p.Counts.Drops(), n)
		}
		if low, high := n*schedule[0], n*schedule[3]+units.Millisecond; p.Time < low || p.Time > high {
			t.Errorf("seed %d: %d timeouts took %v, want %v to %v", seed, n, p.Time, low, high)
		}
		if k := units.Time(nominal.Counts.Timeouts); nominal.Time < k*r.Fabrics[1].Transport.Timeout {
			t.Errorf("seed %d: %d timeouts of %v took %v", seed, k, r.Fabrics[1].Transport.Timeout, nominal.Time)
		}
	}
}
