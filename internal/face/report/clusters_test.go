package report

import (
	"bytes"
	"strings"
	"testing"

	"weft/internal/sim/collective/nccl"
	tables "weft/internal/study/measured"
	"weft/internal/study/validate"
	"weft/internal/test/golden"
	"weft/scenario"
	"weft/units"
)

// clusterResults are two clusters with made-up times: one node, scored, in a fit, with a row of a
// forced algorithm; and two nodes that are not scored.
func clusterResults() []validate.Result {
	inside := &tables.Cluster{ID: "X", Title: "8 GPUs of one node", Nodes: 1, GPUs: 8, Harness: scenario.Process, Architecture: scenario.Hopper, Fit: tables.FitNode, Without: &nccl.Figures{}}
	between := &tables.Cluster{ID: "Y", Title: "2 nodes of 8 GPUs", Nodes: 2, GPUs: 8, Unscored: "a fault"}
	var out []validate.Result
	for _, c := range []*tables.Cluster{inside, between} {
		r := validate.Result{Case: &validate.Case{ID: "nccl/" + c.ID, Claim: "Collectives take the measured time.", Reference: "Measured: a page (V).", Cluster: c}}
		for i, took := range []units.Time{20, 40, 1000} {
			c.Rows = append(c.Rows, tables.Row{
				Op: scenario.AllReduce, Ranks: 8 * c.Nodes, Bytes: []int64{64 << 10, 8 << 20, 256 << 20}[i], Time: took * units.Microsecond,
			})
		}
		if c == inside {
			c.Rows = append(c.Rows, tables.Row{Op: scenario.AllReduce, Ranks: 8, Bytes: 64 << 10, Time: 50 * units.Microsecond, Algorithm: "ring"})
		}
		for i := range c.Rows {
			m := &c.Rows[i]
			row := validate.Row{Name: units.Bytes(m.Bytes).String(), Unit: validate.Microseconds, Reference: []float64{float64(m.Time)}, Weft: []float64{float64(m.Time) * []float64{1.1, .7, 1.02, 1.3}[i]}, Measured: m}
			if c.Unscored == "" {
				row.InUse = 1.05 * float64(m.Time)
				row.Tolerance = validate.Tolerance{Kind: validate.ToleranceRelative, Limit: .25}
			}
			r.Rows = append(r.Rows, row)
		}
		out = append(out, r)
	}
	return out
}

// TestThePageHasATableAndAPictureOfEachCluster compares the new parts of the page. By hand: the
// mean of X's rows below 1 MiB is (10 % + 30 %) / 2.
func TestThePageHasATableAndAPictureOfEachCluster(t *testing.T) {
	results := clusterResults()
	var markdown, page bytes.Buffer
	d := Validation(results)
	if err := d.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(markdown.String(), "\n## Measured clusters\n")
	section, _, found := strings.Cut(section, figuresIntro) // the figures change with each fit
	if !found {
		t.Error("the page does not introduce the figures")
	}
	golden.File(t, "testdata/clusters.md", section)
	for _, want := range []string{
		"| X | 8 GPUs of one node | yes | all-reduce, 8 | held out | 4 | 20.0 (+30.0) | 30.0 (-30.0) | 2.0 (+2.0) |",
		"| X | 8 GPUs of one node | yes | all-reduce, 8 | in use | 4 | 5.0 (+5.0) | 5.0 (+5.0) | 5.0 (+5.0) |",
		"| inside a node | hopper | all-reduce, 8 | X | 4 | 20.0 (+30.0) MISS | 30.0 (-30.0) MISS | 2.0 (+2.0) |",
	} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("the page has no line %s", want)
		}
	}
	if strings.Contains(markdown.String(), "| between nodes |") {
		t.Error("a cluster that is not scored is in the summary")
	}
	if err := d.HTML(&page); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(page.String(), `class="band s0"`); got != len(results) {
		t.Errorf("%d pictures have a band, want %d", got, len(results))
	}
	times := results[0].Times()
	picture := string(timesPlot(&times, times.Rows[0].Kind()).draw())
	golden.File(t, "testdata/cluster.svg", picture)
	if n := strings.Count(picture, "<title>"); n != 6 {
		t.Errorf("the picture has %d times, want 3 measured and 3 of weft: none of a forced algorithm", n)
	}
}
