package validate

import "testing"

// Every case is evidence for one kind of number, except the systems without a row in the table:
// clusters that somebody reported as broken, and a blog's rule.
func TestEveryCaseIsEvidenceForOneKindOfNumber(t *testing.T) {
	others := map[string]bool{"nccl/A11": true, "nccl/A12": true, "nccl/A13": true}
	used := make([]bool, len(kinds))
	for _, c := range Cases() {
		n := 0
		for i := range kinds {
			if kinds[i].covers(c.ID) {
				used[i] = true
				n++
			}
		}
		if n != 1 && !others[c.ID] || n != 0 && others[c.ID] {
			t.Errorf("%s is in %d kinds", c.ID, n)
		}
	}
	for i := range kinds {
		if !used[i] && len(kinds[i].cases) > 0 {
			t.Errorf("%q has cases %v, and there are none", kinds[i].number, kinds[i].cases)
		}
	}
}

func TestTheTableOfTrustNamesTheWorstRow(t *testing.T) {
	results := []Result{{Case: &Case{ID: "nccl/A5"}, Rows: []Row{
		{Name: "small", Reference: []float64{100}, Weft: []float64{101}, Tolerance: within(.1)},
		{Name: "large", Reference: []float64{100}, Weft: []float64{80}, Tolerance: within(.1)},
		{Name: "shown", Reference: []float64{100}, Weft: []float64{150}},
		{Name: "bound", Reference: []float64{100}, Weft: []float64{900}, Tolerance: atLeast},
	}}}
	for _, x := range Trusts(results) {
		if x.Number != "time of a collective between nodes" {
			continue
		}
		if x.Passed+x.Missed != 3 || x.Missed != 1 || x.Scored.At != "nccl/A5: large" || x.Shown.At != "nccl/A5: shown" || fixed(100*x.Shown.Error, 1) != "50.0" {
			t.Errorf("%+v", x)
		}
		return
	}
	t.Error("the kind of nccl/A5 is missing")
}
