package report

import (
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/study/validate"
)

// TestMissesOfAClusterAreOneLineAnOperation: a line has the range of sizes, the number of rows and the
// largest error of the rows that miss, by hand from the times of clusterResults.
func TestMissesOfAClusterAreOneLineAnOperation(t *testing.T) {
	results := clusterResults()
	mean := validate.Row{Name: "mean", Unit: validate.Percent, Reference: []float64{.08}, Weft: []float64{.2}, Tolerance: validate.Tolerance{Kind: validate.ToleranceAtMost}}
	results[0].Rows = append([]validate.Row{mean}, results[0].Rows...)
	results = append(results, validate.Result{Case: &validate.Case{ID: "uet/incast"}, Rows: []validate.Row{
		{Name: "2:1", Reference: []float64{100}, Weft: []float64{120}, Tolerance: validate.Tolerance{Kind: validate.ToleranceRelative, Limit: .1}},
	}})
	many := validate.Result{Case: &validate.Case{ID: "nccl/ordering"}}
	for i := range mostSingle {
		many.Rows = append(many.Rows, validate.Row{Name: "x", Reference: []float64{100}, Weft: []float64{111 + float64(i)}, Tolerance: validate.Tolerance{Kind: validate.ToleranceRelative, Limit: .05}})
	}
	results = append(results, many)
	d := &doc.Document{}
	d.Add(doc.Section{Blocks: missSummary(results)})
	var page strings.Builder
	if err := d.Markdown(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| uet/incast: 2:1 | 100 | 120 | +20.000 % | ±10 % |",
		"| nccl/ordering | rows | 8 | +18.0 % | ±5 % |",
		"| nccl/X | means | 1 | 20.0 % | at most 8 % |",
		"| nccl/X | all-reduce, 8 ranks, 64 KiB to 8 MiB | 2 | -30.0 % | ±25 % |",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no line %s in\n%s", want, page.String())
		}
	}
	if strings.Contains(page.String(), "nccl/Y") {
		t.Error("a row that is not scored is a miss")
	}
}
