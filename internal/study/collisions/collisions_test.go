package collisions

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
)

const leafSpine = `
name: made up
cluster: {nodes: 8, node: hgx-a100-100g}
topology: {shape: fat-tree, levels: 2, radix: 32}
fabrics: [roce-v2-100g]
workload: {pattern: permutation, sizes: [256KiB, 1MiB]}
`

func spec(t *testing.T, policies ...Policy) *Spec {
	t.Helper()
	f, err := scenario.Decode("test.yaml", []byte(leafSpine))
	if err != nil {
		t.Fatal(err)
	}
	return &Spec{File: f, Nodes: []int{2, 4}, Policies: policies, Seeds: 10}
}

var (
	hashed  = Policy{Name: "ecmp", Mode: scenario.ECMP, QPs: 1}
	sprayed = Policy{Name: "spray", Mode: scenario.Spray}
)

// madeUp gives 100 GB/s on one switch. On the leaf-spine ECMP keeps 50 GB/s plus its hash seed, and
// fails with the last seed; spraying keeps all.
func madeUp(_ context.Context, r *scenario.Resolved, _ sim.Options) (*results.Results, error) {
	f := &r.Fabrics[0]
	busbw := 100.0
	if f.Topology.Shape != scenario.SingleSwitch && f.Routing.Mode == scenario.ECMP {
		if f.Routing.HashSeed == 9 {
			return nil, errors.New("deadlock at 3 us")
		}
		busbw = 50 + float64(f.Routing.HashSeed)
	}
	return &results.Results{Fabrics: []results.FabricResult{{Points: []results.Point{{Bytes: int64(r.Workload.Sizes[0]), BusBW: busbw}}}}}, nil
}

func TestTheLossIsAgainstOneSwitchOverTheHashSeeds(t *testing.T) {
	r, err := Run(t.Context(), spec(t, hashed, sprayed), many.Options{Run: madeUp, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if r.Bytes != 1<<20 || len(r.Sizes) != 2 || r.Sizes[1].Ranks != 32 || r.Sizes[0].Reference != 100 {
		t.Fatalf("the result is of %d B, sizes %+v; want the largest size, and 16 and 32 ranks", r.Bytes, r.Sizes)
	}
	ecmp, spray := r.Sizes[0].Cells[0], r.Sizes[0].Cells[1]
	// 50 to 58 GB/s: nine seeds, the fifth is the median.
	want := Quantiles{0.42, 0.428, 0.46, 0.492, 0.5}
	for _, x := range [][2]float64{
		{ecmp.Lost.Least, want.Least},
		{ecmp.Lost.P10, want.P10},
		{ecmp.Lost.Median, want.Median},
		{ecmp.Lost.P90, want.P90},
		{ecmp.Lost.Most, want.Most},
	} {
		if math.Abs(x[0]-x[1]) > 1e-9 {
			t.Fatalf("ECMP lost %+v, want %+v", ecmp.Lost, want)
		}
	}
	if ecmp.BusBW.Median != 54 || math.Abs(ecmp.BusBW.P10-50.8) > 1e-9 {
		t.Errorf("ECMP has %+v, want the remaining bandwidth", ecmp.BusBW)
	}
	if ecmp.Measured != 9 || ecmp.Failed != 1 || !strings.Contains(ecmp.FailedWhy, "deadlock") {
		t.Errorf("%d seeds are measured and %d failed (%s), want 9 and 1", ecmp.Measured, ecmp.Failed, ecmp.FailedWhy)
	}
	if spray.Lost.Most != 0 || spray.Measured != 10 {
		t.Errorf("spraying lost %+v on %d seeds", spray.Lost, spray.Measured)
	}
}

// With real packets ECMP loses much of a permutation over the spines. More queue pairs lose less,
// and spraying loses almost nothing. Inside a leaf nothing is lost.
func TestQueuePairsAndSprayingMendCollisions(t *testing.T) {
	four := Policy{Name: "ecmp, 4 QPs", Mode: scenario.ECMP, QPs: 4}
	s := spec(t, hashed, four, sprayed)
	s.Seeds = 5
	s.Overrides = []scenario.Override{
		{Path: "fabrics[0].transport.split-data", Value: "true", Origin: "test"},
		{Path: "workload.sizes", Value: "1MiB", Origin: "test"},
	}
	s.Nodes = []int{2, 8}
	r, err := Run(t.Context(), s, many.Options{Run: sim.Run, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range r.Sizes[0].Cells {
		if math.Abs(c.Lost.Most) > 0.05 {
			t.Errorf("%s lost %.3f inside a leaf", r.Policies[k].Name, c.Lost.Most)
		}
	}
	large := r.Sizes[1].Cells
	one, fourQPs, spray := large[0].Lost.Median, large[1].Lost.Median, large[2].Lost.Median
	if one < 0.4 || fourQPs > one-0.1 || spray > 0.1 {
		t.Errorf("lost with 1 QP %.2f, with 4 %.2f, sprayed %.2f; want a lot, less, and little", one, fourQPs, spray)
	}
}

func TestAStoppedRunKeepsTheSizesThatAreComplete(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	n := 0
	r, err := Run(ctx, spec(t, sprayed), many.Options{Workers: 1, Run: func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		if n++; n == 13 { // of eleven a size
			stop()
			return nil, ctx.Err()
		}
		return madeUp(ctx, r, o)
	}})
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Sizes) != 1 || !r.Partial {
		t.Errorf("stopped in the second size: %+v, %v; want the first, marked as partial", r, err)
	}
}

func TestAFailedReferenceIsAnError(t *testing.T) {
	_, err := Run(t.Context(), spec(t, hashed), many.Options{Workers: 1, Run: func(context.Context, *scenario.Resolved, sim.Options) (*results.Results, error) {
		return nil, errors.New("deadlock at 3 us")
	}})
	var reference *ReferenceError
	if !errors.As(err, &reference) || reference.Nodes != 2 {
		t.Errorf("the error is %v, want that of the reference", err)
	}
}

func TestQuantilesOfALossMirrorTheRemainingBandwidth(t *testing.T) {
	for n := 1; n < 12; n++ {
		var left, lost []float64
		for i := range n {
			x := float64((i*7)%n) + 0.25
			left, lost = append(left, x), append(lost, 100-x)
		}
		a, b := quantilesOf(left), quantilesOf(lost)
		for _, pair := range [][2]float64{{a.Least, b.Most}, {a.P10, b.P90}, {a.Median, b.Median}, {a.P90, b.P10}, {a.Most, b.Least}} {
			if math.Abs(pair[0]+pair[1]-100) > 1e-9 {
				t.Errorf("of %d values: %+v and %+v do not mirror", n, a, b)
			}
		}
	}
}
