package report

import (
	"strings"
	"testing"

	"weft/internal/sim/runstore"
)

// A comparison of changes simulates less of the exchanges than a plain run, and says so where that makes a difference.
func TestAComparisonSaysThatItSimulatesLessOfTheExchanges(t *testing.T) {
	for sampled, want := range map[bool]bool{true: true, false: false} {
		s := &runstore.Serving{
			Points:  []runstore.ServingPoint{{Fabrics: []runstore.ServingFabric{{Name: "one", Run: &runstore.ServingRun{}, Contention: &runstore.ServingContention{Sampled: sampled}}}}},
			Changes: []runstore.ServingChange{{Name: "none", Refused: "no"}},
		}
		if got := strings.Contains(strings.Join(changeSentences(s), " "), "half as much"); got != want {
			t.Errorf("sampled %v: said %v", sampled, got)
		}
	}
}
