package many

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// variants are scenarios with 2 and more nodes.
func variants(t *testing.T, n int) (out []*scenario.Resolved) {
	t.Helper()
	for i := range n {
		f, err := scenario.Decode("test.yaml", fmt.Appendf(nil, `
cluster: {nodes: %d, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, sizes: [1KiB]}
`, 2+i))
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// nodes is a runner whose time is the number of nodes in nanoseconds.
func nodes(_ context.Context, r *scenario.Resolved, _ sim.Options) (*results.Results, error) {
	p := results.Point{Time: units.Time(r.Cluster.Nodes) * units.Nanosecond}
	return &results.Results{Fabrics: []results.FabricResult{{Points: []results.Point{p}}}}, nil
}

func timeOf(outcome *results.Results, err error) string {
	p, err := PointOf(outcome, err)
	if err != nil {
		return err.Error()
	}
	return p.Time.String()
}

func TestRowsAreInTheOrderOfTheVariants(t *testing.T) {
	all := variants(t, 7)
	var want []string
	for i := range all {
		want = append(want, (units.Time(2+i) * units.Nanosecond).String())
	}
	for _, workers := range []int{0, 1, 2, 5, 100} {
		last := 0
		got := Rows(t.Context(), all, Options{Run: nodes, Workers: workers, Progress: func(p sim.Progress) {
			if last++; p.Done != last || p.Total != 7 {
				t.Errorf("%d of %d are done, want %d of 7", p.Done, p.Total, last)
			}
		}}, timeOf)
		if !slices.Equal(got, want) || last != 7 {
			t.Errorf("on %d cores the rows are %v, want %v", workers, got, want)
		}
	}
}

// Variants share the cores; fewer variants than cores have several each.
func TestVariantsShareTheCores(t *testing.T) {
	all := variants(t, 4)
	for workers, want := range map[int]int{1: 1, 4: 1, 7: 1, 9: 2} {
		run := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
			if o.Workers != want || o.Seeds != 3 {
				t.Errorf("of %d cores a variant has %d, and %d seeds; want %d, and 3", workers, o.Workers, o.Seeds, want)
			}
			return nodes(ctx, r, o)
		}
		Rows(t.Context(), all, Options{Run: run, Workers: workers, Simulation: sim.Options{Seeds: 3}}, timeOf)
	}
}

func TestAfterTheEndNoVariantBegins(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	begun := 0
	rows := Rows(ctx, variants(t, 5), Options{Workers: 1, Run: func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		if begun++; begun == 2 {
			stop()
			return nil, ctx.Err()
		}
		return nodes(ctx, r, o)
	}}, func(_ *results.Results, err error) error { return err })
	if begun != 2 || rows[0] != nil {
		t.Errorf("%d variants began, the first with %v; want 2 and no error", begun, rows[0])
	}
	for i, err := range rows[1:] {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("variant %d has the error %v, want that of the context", 1+i, err)
		}
	}
}

func TestAVariantWithoutItsResultSaysSo(t *testing.T) {
	two := &results.Results{Fabrics: []results.FabricResult{{Points: make([]results.Point, 2)}}}
	for _, outcome := range []*results.Results{nil, {}, {Partial: true, Fabrics: two.Fabrics}, two} {
		if _, err := PointOf(outcome, nil); err == nil || !strings.Contains(err.Error(), "neither results nor a reason") {
			t.Errorf("%+v has the error %v", outcome, err)
		}
	}
	if f, err := FabricOf(two, nil); err != nil || len(f.Points) != 2 {
		t.Errorf("the fabric is %+v, %v", f, err)
	}
}
