package report

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"weft/internal/sim/scenario"
	"weft/internal/study/ledger"
	"weft/internal/study/sweep"
)

// A page of more rows than an analysis holds says so; the best and the slowest variant are of all rows.
func TestThePageOfALargeSweepSaysWhatItIsDrawnFrom(t *testing.T) {
	const text = `name: large
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, sizes: [1KiB]}
sweep: {axes: [{path: workload.algorithm, values: [ring, tree]}], seeds: 30000}
`
	f, err := sweep.Create(t.TempDir(), []byte(text), sweep.About{Weft: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ledger.Open(f.Dir, "w")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for i := range f.Space.Len() {
		row := sweep.Row{Status: sweep.OK, Fabric: "roce-v2-400g", Bytes: 1024, Values: make([]float64, len(scenario.SweepQuantities()))}
		row.Values[0] = float64(2_000_000 + i)
		if i == 54_320 {
			row.Values[0] = 1_000_000
		}
		if i == 321 {
			row.Values[0] = 4_000_000
		}
		if err := rows.Add(strconv.Itoa(i), row); err != nil {
			t.Fatal(err)
		}
	}
	table, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Sweep(table, "swept")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := d.HTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"variant 54320, algorithm tree", "takes 4 times as long: variant 321,", "of 50,000 variants, drawn at random from 60,000 with a result",
		fmt.Sprintf("The lines are %d variants, drawn at random from 50,000.", wiresMost),
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
