package network_test

import (
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/units"
)

// TestCNPsAreAPortsOrAQueuePairs has sixteen senders to one receiver, whose port sends a CNP
// every 4 us in all, or one for each queue pair.
func TestCNPsAreAPortsOrAQueuePairs(t *testing.T) {
	results := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 3, node: dgx-h100}
topology: {shape: single-switch}
fabrics:
  - {preset: roce-v2-400g}
  - {preset: roce-v2-400g, name: each, cc: {preset: dcqcn-firmware, cnp-scope: queue-pair}}
workload: {pattern: incast, fan-in: 16, sizes: [2MiB]}`), 1)
	port, each := &results.Fabrics[0].Points[0], &results.Fabrics[1].Points[0]
	const period = 4 * units.Microsecond
	if most := int64(port.Time/period) + 1; port.Counts.CNPs > most || port.Counts.CNPs < most/4 {
		t.Errorf("a port sent %d CNPs in %v, want no more than %d, and not far fewer", port.Counts.CNPs, port.Time, most)
	}
	if most := int64(each.Time/period) + 1; each.Counts.CNPs <= 2*most || each.Counts.CNPs > 16*most {
		t.Errorf("16 queue pairs drew %d CNPs in %v, want well over %d and no more than %d", each.Counts.CNPs, each.Time, most, 16*most)
	}
}

// TestProcessingDelaysACNPsEffect gives the NICs times for CNPs at both ends: each CNP is later by
// their sum. With jitter the mean grows by the jitter of both ends.
func TestProcessingDelaysACNPsEffect(t *testing.T) {
	results := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 3, node: dgx-h100}
topology: {shape: single-switch}
fabrics:
  - {preset: roce-v2-400g, nic: {model: connectx-7, jitter: {distribution: none}}, host: {jitter: {distribution: none}}, switch: {jitter: {distribution: none}}}
  - {preset: roce-v2-400g, name: fixed, nic: {model: connectx-7, cnp-generation: 3us, cnp-reaction: 2us, jitter: {distribution: none}}, host: {jitter: {distribution: none}}, switch: {jitter: {distribution: none}}}
  - {preset: roce-v2-400g, name: drawn, nic: {model: connectx-7, cnp-jitter: {distribution: exponential, mean: 4us}, jitter: {distribution: none}}, host: {jitter: {distribution: none}}, switch: {jitter: {distribution: none}}}
workload: {pattern: incast, fan-in: 16, sizes: [16MiB]}
run: {jitter: true}`), 1)
	mean := func(i int) float64 {
		c := &results.Fabrics[i].Points[0].Counts
		if c.CNPsTaken < 100 {
			t.Fatalf("%d CNPs arrived, want 100 or more", c.CNPsTaken)
		}
		return float64(c.CNPDelay) / float64(c.CNPsTaken) / float64(units.Microsecond)
	}
	none, fixed, drawn := mean(0), mean(1)-mean(0), mean(2)-mean(0)
	if fixed < 4.99 || fixed > 5.2 {
		t.Errorf("5 us of processing delay CNPs by %.3f us more than the %.3f us of the way", fixed, none)
	}
	if drawn < 7 || drawn > 11 { // in order, so a CNP also waits for those before it
		t.Errorf("4 us of jitter at each end delay CNPs by %.3f us on average, want 8, and more to keep their order", drawn)
	}
}

// TestWaitsForARateAreCounted runs an incast whose senders are cut below a packet in 10 us and then wait
// for the timer that raises their rates: the port's idle time is in their waits. Without congestion
// control nothing waits for a rate.
func TestWaitsForARateAreCounted(t *testing.T) {
	results := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 3, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics:
  - roce-v2-400g
  - {preset: roce-v2-400g, name: free, cc: none}
workload: {pattern: incast, fan-in: 2, sizes: [8MiB]}`), 1)
	cut, free := &results.Fabrics[0].Points[0], &results.Fabrics[1].Points[0]
	if free.Counts.PaceWaits != 0 {
		t.Errorf("without congestion control %d packets waited for a rate", free.Counts.PaceWaits)
	}
	idle, waited := cut.Time-free.Time, units.Time(cut.Counts.PaceWait)
	if idle < 200*units.Microsecond {
		t.Fatalf("DCQCN makes the incast %v longer: want one whose port is idle for a timer of 300 us", idle)
	}
	if waited < idle || waited > 2*cut.Time {
		t.Errorf("two senders waited %v for their rates, and the port was idle for %v of %v", waited, idle, cut.Time)
	}
}
