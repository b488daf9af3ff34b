package weft_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"weft"
	"weft/scenario"
	"weft/units"
)

func TestACollectiveIsTheScenarioThatSaysTheSame(t *testing.T) {
	for text, c := range map[string]weft.Collective{
		"workload: {collective: all-reduce}": {},
		"name: dgx-a100\ncluster: {nodes: 3, node: dgx-a100}\nfabrics: [roce-v2-200g]\nworkload: {collective: all-gather, algorithm: ring, sizes: [1MiB, 8B]}": {
			Op: "all-gather", Cluster: "dgx-a100", Nodes: 3, Fabrics: []string{"roce-v2-200g"}, Sizes: []units.Bytes{units.MiB, 8}, Algorithm: "ring",
		},
	} {
		want, err := scenario.Decode("text", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := scenario.New("go", c.Scenario())
		if err != nil {
			t.Fatal(err)
		}
		a, err1 := got.Resolve()
		b, err2 := want.Resolve()
		if err1 != nil || err2 != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %v, %v:\n%+v\n%+v", text, err1, err2, a, b)
		}
	}
}

func TestAnInvalidCollectiveIsAnErrorOfItsField(t *testing.T) {
	_, err := weft.Collective{Cluster: "dgx-h10"}.Run(t.Context())
	var all scenario.Errors
	if !errors.As(err, &all) || len(all) != 1 || all[0].Path != "cluster.node" {
		t.Errorf("%v: want one error of cluster.node", err)
	}
}

func TestWhatCannotBeSimulatedIsAnError(t *testing.T) {
	file, err := scenario.New("two", weft.Collective{Nodes: 2, Fabrics: []string{"infiniband-ndr"}, Sizes: []units.Bytes{8}}.Scenario())
	if err != nil {
		t.Fatal(err)
	}
	two, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string
		r     *scenario.Resolved
		seeds int
	}{
		{"the scenario has no fabric: want one from File.Resolve", nil, 0},
		{"the scenario has no fabric: want one from File.Resolve", &scenario.Resolved{}, 3},
		{"Options.Seeds is 1001: want 0 to 1000, or AutoSeeds", two, weft.MaxSeeds + 1},
		{"Options.Seeds is -2: want 0 to 1000, or AutoSeeds", two, -2},
	} {
		if results, err := weft.Run(t.Context(), c.r, weft.Options{Seeds: c.seeds}); results != nil || err == nil || err.Error() != c.want {
			t.Errorf("got  %v, %v\nwant %s", results, err, c.want)
		}
	}
}

func TestAStoppedRunReturnsTheFinishedPoints(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	file, err := scenario.New("stopped", weft.Collective{Nodes: 2, Fabrics: []string{"infiniband-ndr"}, Sizes: []units.Bytes{8, units.GiB}}.Scenario())
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	results, err := weft.Run(ctx, r, weft.Options{Workers: 1, Finished: func(weft.Finished) { cancel() }})
	if !errors.Is(err, context.Canceled) || results == nil || !results.Partial {
		t.Fatalf("%v, %+v: want partial results and context.Canceled", err, results)
	}
	points := results.Fabrics[0].Points
	if !points[0].Measured() || points[1].Measured() || !points[1].Partial {
		t.Errorf("%+v: want the first size alone", points)
	}
}
