package calibrate

import (
	"slices"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/scenario"
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

// On TCP nobody is sent to perftest, and on InfiniBand nobody to iperf3. A log of one NIC has no ranks of NCCL.
func TestTheNextMeasurementIsOfTheFabric(t *testing.T) {
	of := func(kind scenario.FabricKind, k kind, format logfile.Format) *Diagnosis {
		return &Diagnosis{Tasks: []*Task{{kind: k, Table: &logfile.Table{Format: format}, base: &scenario.Resolved{Fabrics: []scenario.Fabric{{Kind: kind}}}}}}
	}
	logs := []*Diagnosis{
		of("tcp", collective, logfile.NCCLTests), of(scenario.InfiniBandKind, collective, logfile.NCCLTests),
		of(scenario.InfiniBandKind, bandwidth, logfile.Perftest), of(scenario.InfiniBandKind, bandwidth, logfile.OSU),
	}
	words := map[string][]bool{"iperf3": {true}, "ib_write": {false, true, true, true}, "NCCL_": {true, true}, "all_reduce_perf": {true, true}, "UCX_": {false, false, false, true}}
	for i, d := range logs {
		suits := 0
		for _, m := range measurements {
			if m.isFor(d) {
				suits++
			}
			for word, want := range words {
				if strings.Contains(m.Command, word) && m.isFor(d) && (i >= len(want) || !want[i]) {
					t.Errorf("%q for log %d", m.Command, i)
				}
			}
		}
		if suits < 5 {
			t.Errorf("%d measurements for log %d", suits, i)
		}
	}
}
