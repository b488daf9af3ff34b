package roce

import (
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/study/faultcost"
)

// TestANegativeCostIsExplained: the report of a job that is faster with a fault says so. The report of a slower job
// has no such sentence.
func TestANegativeCostIsExplained(t *testing.T) {
	for found, want := range map[int64]bool{700: true, 1300: false, 1000: false} {
		r := &faultcost.Report{
			Jobs:  []faultcost.Job{{Name: "incast", Found: faultcost.Outcome{TimePs: found}, NotMended: "two settings contradict each other"}},
			Costs: []faultcost.Cost{{Rule: "ecn-missing", Places: []string{"leaf1"}, Mended: []faultcost.Outcome{{TimePs: 1000, Marks: 1}}}},
		}
		if got := strings.Contains(onTerminal(t, jobSection(r, 0)), "faster with the fault"); got != want {
			t.Errorf("as found %d ps, mended 1000 ps: the explanation is there: %t, want %t", found, got, want)
		}
	}
}

// onTerminal is a section as a terminal shows it.
func onTerminal(t *testing.T, s doc.Section) string {
	t.Helper()
	d, b := &doc.Document{}, strings.Builder{}
	d.Add(s)
	if err := d.Terminal(&b, doc.Style{Details: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
