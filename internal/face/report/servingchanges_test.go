package report

import (
	"strings"
	"testing"

	"weft/results"
)

// A comparison of changes simulates less of the exchanges than a plain run, and says so where that makes a difference.
func TestAComparisonSaysThatItSimulatesLessOfTheExchanges(t *testing.T) {
	for sampled, want := range map[bool]bool{true: true, false: false} {
		s := &results.Serving{
			Points:  []results.ServingPoint{{Fabrics: []results.ServingFabric{{Name: "one", Run: &results.ServingRun{}, Contention: &results.ServingContention{Sampled: sampled}}}}},
			Changes: []results.ServingChange{{Name: "none", Refused: "no"}},
		}
		if got := strings.Contains(strings.Join(changeSentences(s), " "), "half as many"); got != want {
			t.Errorf("sampled %v: said %v", sampled, got)
		}
	}
}
