package sweep

import (
	"context"
	"math"
	"testing"

	"weft/internal/sim"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// madeUp is a simulator whose time is 100 us, times 4 on the second fabric, times 1.1 with 4 nodes; larger sizes take
// longer, and the tail of the second fabric is shorter.
func madeUp(_ context.Context, r *scenario.Resolved, _ sim.Options) (*results.Results, error) {
	t := 100 * float64(units.Microsecond)
	tail := 50 * units.Microsecond
	if r.Fabrics[0].Name == "roce-v2-400g" {
		t, tail = 4*t, tail/2
	}
	if r.Cluster.Nodes == 4 {
		t *= 1.1
	}
	p := results.Point{Bytes: int64(r.Workload.Sizes[0]), Time: units.Time(t) * units.Time(r.Workload.Sizes[0]/units.KiB)}
	p.Flows.P99 = tail
	return &results.Results{Fabrics: []results.FabricResult{{Points: []results.Point{p}}}}, nil
}

func TestAnAxisExplainsItsShareAtEqualSize(t *testing.T) {
	a := analysisOfGrid(t)
	// The logarithms of 4 and of 1.1 in a third of the variants, as variances: 1/4 and 2/9 of their squares.
	fabric, nodes := math.Pow(math.Log(4), 2)/4, math.Pow(math.Log(1.1), 2)*2/9
	want := map[string]float64{"fabric": fabric / (fabric + nodes), "nodes": nodes / (fabric + nodes), "algorithm": 0, "seed": 0}
	if len(a.Factor) != len(want) || a.Factor[0].Name != "fabric" {
		t.Fatalf("factors: %+v", a.Factor)
	}
	for i := range a.Factor {
		x := &a.Factor[i]
		chance := float64(len(x.Values)-1) / 47 // what as many groups explain by chance
		if math.Abs(x.Share-want[x.Name]) > 1.1*chance {
			t.Errorf("%s explains %.4f, want %.4f less at most %.4f for chance", x.Name, x.Share, want[x.Name], chance)
		}
	}
}

// analysisOfGrid is the analysis of the grid with made-up times.
func analysisOfGrid(t *testing.T) *Analysis {
	t.Helper()
	f := folder(t, grid, t.TempDir())
	sweepAll(t, f, Options{Run: madeUp, Workers: 2})
	rows, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := rows.Analyse()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTheParetoSetHasTheFastestAndTheShortestTail(t *testing.T) {
	front := analysisOfGrid(t).Pareto
	if len(front) != 2 || front[0].Row.Fabric != "infiniband-ndr" || front[1].Row.Fabric != "roce-v2-400g" || front[0].Bytes != 64<<10 || front[1].Variant.Values[0] == "4" {
		for _, l := range front {
			t.Errorf("on the front: %+v", l)
		}
	}
}

func TestTheEstimateTakesTheTimeOfSimilarRuns(t *testing.T) {
	f := folder(t, grid, t.TempDir())
	rows, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	e, err := rows.Estimate(nil)
	if err != nil || e.CoreSeconds != 0 || e.Variants != 48 || e.Missing != 48 || e.Invalid != 0 || e.Memory <= 0 {
		t.Errorf("without a similar run: %+v, %v", e, err)
	}
	work := 0.0
	for i := range 48 {
		v := f.Space.Variant(i)
		r, err := f.Space.Resolve(f.Space.file, &v)
		if err != nil {
			t.Fatal(err)
		}
		work += workOf(r)
	}
	e, err = rows.Estimate([]Past{{work: 2, seconds: 1}, {work: 1, seconds: 4}, {work: 1, seconds: 1}})
	if err != nil || math.Abs(e.CoreSeconds/work-1) > 1e-9 || math.Abs(e.LeastSeconds/work-0.5) > 1e-9 || math.Abs(e.MostSeconds/work-4) > 1e-9 {
		t.Errorf("work %g, at 0.5, 1 and 4 s: %+v, %v", work, e, err)
	}
}

// Every fourth of these variants has the smaller size: an estimate that looked at them alone would be a thirtieth.
func TestTheEstimateLooksAtAllSizes(t *testing.T) {
	text := `cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, sizes: [1KiB, 1MiB]}
sweep: {axes: [{path: "fabrics[0].ethernet.ecn.kmin", from: 1KB, to: 200KB, step: 1KB, points: 200, scale: linear}], seeds: 2}
`
	f := folder(t, text, t.TempDir())
	rows, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	e, err := rows.Estimate([]Past{{work: 1, seconds: 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for i := range 4 { // as all
		v := f.Space.Variant(i)
		r, err := f.Space.Resolve(f.Space.file, &v)
		if err != nil {
			t.Fatal(err)
		}
		want += workOf(r) / 4 * float64(f.Space.Len())
	}
	if f.Space.Len() != 800 || e.Looked != looksAt || math.Abs(e.CoreSeconds/want-1) > 0.2 {
		t.Errorf("%d variants, %d were looked at: %.3g s, want %.3g s", f.Space.Len(), e.Looked, e.CoreSeconds, want)
	}
}

func TestASampleIsOfTheSizeAndTheSameEachTime(t *testing.T) {
	for n, most := range map[int]int{0: 5, 3: 5, 5: 5, 1000: 50} {
		first, again := Sample(n, most), Sample(n, most)
		drawn := 0
		for i := range n {
			take := first()
			if take != again() {
				t.Errorf("thing %d of %d is drawn once and is not drawn again", i, n)
			}
			if take {
				drawn++
			}
		}
		if drawn != min(n, most) {
			t.Errorf("%d of %d are drawn, want %d", drawn, n, min(n, most))
		}
	}
}
