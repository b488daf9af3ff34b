package report

import (
	"strings"
	"testing"

	"weft/internal/study/cablehealth"
)

func TestTheMedianOfACounterIsAWholeNumber(t *testing.T) {
	for median, want := range map[float64]string{0: "0", 1e-15: "1e-15", 970: "970", 1056.5: "1056", 12345678: "12345678"} {
		e := &cablehealth.Evidence{Peers: &cablehealth.Peers{Median: median, Ports: 2}}
		if got := evidenceText(&cablehealth.Finding{}, e); !strings.Contains(got, "alike ports "+want+" ") {
			t.Errorf("%g is shown as %q", median, got)
		}
	}
}
