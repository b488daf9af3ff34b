package inspect

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"weft/internal/ib/format"
)

// TestAReportDoesNotDependOnTheOrderOfTheNodes: a file and the same with its nodes in other orders give one report.
func TestAReportDoesNotDependOnTheOrderOfTheNodes(t *testing.T) {
	text, err := os.ReadFile("testdata/plafrim.in")
	if err != nil {
		t.Fatal(err)
	}
	s, _, _, err := format.ReadSubnet("plafrim", strings.NewReader(string(text)), format.Options{Contradictions: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(Subnet(s))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(want), "only path between") {
		t.Fatalf("the report names no finding with an order: %s", want)
	}
	for range 5 {
		order := make([]int32, len(s.Nodes))
		for i, at := range rand.Perm(len(order)) {
			order[i] = int32(at)
		}
		if got, err := json.Marshal(Subnet(s.Reordered(order))); err != nil || string(got) != string(want) {
			t.Fatalf("with the nodes in another order: %v\n%s\nwant\n%s", err, got, want)
		}
	}
}
