package calibrate

import (
	"slices"
	"strings"
	"testing"
)

// The measurement shows one of two equal candidates and not the other. Every measurement speaks of
// hypotheses that exist.
func TestTheNextMeasurementDividesTheCandidates(t *testing.T) {
	byID := func(id string) *Hypothesis {
		i := slices.IndexFunc(Hypotheses, func(h Hypothesis) bool { return h.ID == id })
		if i < 0 {
			t.Fatalf("there is no hypothesis %s", id)
		}
		return &Hypotheses[i]
	}
	for _, m := range measurements {
		for _, id := range m.shows {
			byID(id)
		}
	}
	d := &Diagnosis{Explanations: []Explanation{{Hypothesis: byID("slow-nic"), Posterior: .5}, {Hypothesis: byID("gpudirect-off"), Posterior: .45}}}
	next, ok := d.Next()
	if !ok || !next.Shows("slow-nic") || next.Shows("gpudirect-off") {
		t.Errorf("%v %+v", ok, next)
	}
	d.Explanations[1].Posterior = .001
	if next, ok := d.Next(); ok {
		t.Errorf("one candidate is left, and %q is to divide it", next.Command)
	}
	d.Healthy = .4 // and a healthy cluster
	if next, ok := d.Next(); !ok || !strings.Contains(next.Command, "ib") {
		t.Errorf("%v %+v", ok, next)
	}
}

// On TCP nobody is sent to perftest, and on InfiniBand nobody to iperf3.
func TestTheNextMeasurementIsOfTheFabric(t *testing.T) {
	var on [2]int
	for _, m := range measurements {
		tcp, ib := strings.Contains(m.Command, "iperf3"), strings.Contains(m.Command, "ib_write")
		if tcp && m.isFor(true) || ib && m.isFor(false) {
			t.Errorf("%q on another fabric", m.Command)
		}
		if m.isFor(false) {
			on[0]++
		}
		if m.isFor(true) {
			on[1]++
		}
	}
	if on[0] < 5 || on[1] < 10 {
		t.Errorf("%d measurements on TCP, %d with RDMA", on[0], on[1])
	}
}
