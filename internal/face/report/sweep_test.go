package report

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"weft/internal/study/ledger"
	"weft/internal/study/sweep"
	"weft/scenario"
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
		row := sweep.Row{Status: sweep.OK, Fabric: "roce-v2-400g", Bytes: 1024, Values: make([]float64, len(scenario.Values[scenario.SweepQuantity]()))}
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

// swept is the sentences of a sweep of kmin over 100KB, 200KB and 300KB, with the time of each variant in microseconds, seed by
// seed, and the number of marks.
func swept(t *testing.T, seeds int, marks float64, us func(variant, seed int) float64) string {
	t.Helper()
	text := fmt.Sprintf(`name: thresholds
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, sizes: [1KiB]}
sweep: {axes: [{path: "fabrics[0].ethernet.ecn.kmin", values: [100KB, 200KB, 300KB]}], seeds: %d}
`, seeds)
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
		row := sweep.Row{Status: sweep.OK, Fabric: "roce-v2-400g", Bytes: 1024}
		for _, q := range scenario.Values[scenario.SweepQuantity]() {
			switch q {
			case "time_ps":
				row.Values = append(row.Values, us(i/seeds, i%seeds)*1e6)
			case "ecn_marks":
				row.Values = append(row.Values, marks)
			default:
				row.Values = append(row.Values, 0)
			}
		}
		if err := rows.Add(strconv.Itoa(i), row); err != nil {
			t.Fatal(err)
		}
	}
	table, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := table.Analyse()
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := sweepSentences(table, a, "swept")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(sentences, " ")
}

// The first of equal variants is not the best. The best of several over seeds is one only if they show it.
func TestABestVariantIsOneThatTheSeedsShow(t *testing.T) {
	luck := []float64{0, 30, 0, 60, 30, 0, 30, 60, 0, 30, 60, 0}
	for _, c := range []struct {
		name      string
		seeds     int
		marks     float64
		us        func(variant, seed int) float64
		says, not string
	}{
		{"equal", 1, 0, func(int, int) float64 { return 50 }, "kmin made no difference: no packet was marked.", "shortest"},
		{"equal with seeds", 4, 0, func(_, seed int) float64 { return 50 + luck[seed] }, "kmin made no difference: no packet was marked.", "shortest"},
		{"equal with marks", 1, 7, func(int, int) float64 { return 50 }, "kmin made no difference.", "no packet"},
		{"one run", 1, 7, func(v, _ int) float64 { return 50 - float64(v) }, "The shortest time of 1 KiB is 48.00 us: variant 2, kmin 300KB, roce-v2-400g; each variant is one run", "Over"},
		{"luck", 10, 7, func(v, seed int) float64 { return 200 + luck[(seed+5*v)%10] }, "The seeds do not show which variant has the shortest time", "Over"},
		{"a best one", 10, 7, func(v, seed int) float64 { return 200 - 50*float64(v) + luck[(seed+5*v)%10]/10 }, "Over 10 seeds the shortest time of 1 KiB is 102.4 us: variant 20 and its other seeds, kmin 300KB, roce-v2-400g; the next takes 1.49 times as long (95 % interval", "do not show"},
	} {
		if text := swept(t, c.seeds, c.marks, c.us); !strings.Contains(text, c.says) || strings.Contains(text, c.not) {
			t.Errorf("%s: %s\nwant %q and not %q", c.name, text, c.says, c.not)
		}
	}
}
