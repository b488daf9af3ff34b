package weft_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
	"weft/units"
)

// allReduces are all-reduces of 1 MiB on clusters of some sizes.
func allReduces(nodes ...int) (variants []*scenario.Resolved, err error) {
	c := weft.Collective{Fabrics: []string{"roce-v2-400g"}, Sizes: []units.Bytes{units.MiB}}
	file, err := scenario.New("all-reduce", c.Scenario())
	for _, n := range nodes {
		r, failed := file.Resolve(scenario.Set("cluster.nodes", n, "variant"))
		variants, err = append(variants, r), errors.Join(err, failed)
	}
	return variants, err
}

// An all-reduce on clusters of three sizes. A program simulates whatever it varies, and concludes.
func ExampleMany() {
	variants, err := allReduces(2, 3, 4)
	if err != nil {
		log.Fatal(err)
	}
	for i, x := range weft.Many(context.Background(), variants, weft.Options{}) {
		if x.Err != nil {
			log.Fatal(x.Err)
		}
		fmt.Printf("%d nodes: %v\n", variants[i].Cluster.Nodes, x.Results.Fabrics[0].Points[0].Time)
	}
	// Output:
	// 2 nodes: 82.06 us
	// 3 nodes: 108.6 us
	// 4 nodes: 109.6 us
}

// A sweep's variants in a program's own loop.
func ExampleVariants() {
	file, err := scenario.Decode("sweep", []byte(`
cluster: {nodes: 2, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, sizes: [1MiB]}
sweep: {axes: [{path: cluster.nodes, values: [2, 4]}]}
`))
	if err != nil {
		log.Fatal(err)
	}
	variants, err := weft.Variants(file)
	if err != nil {
		log.Fatal(err)
	}
	for i, x := range weft.Many(context.Background(), variants, weft.Options{}) {
		if x.Err != nil {
			log.Fatal(x.Err)
		}
		fmt.Printf("%d nodes: %v\n", variants[i].Cluster.Nodes, x.Results.Fabrics[0].Points[0].Time)
	}
	// Output:
	// 2 nodes: 82.88 us
	// 4 nodes: 111.2 us
}

func TestAVariantThatIsNotValidHasItsNumber(t *testing.T) {
	file, err := scenario.Decode("sweep", []byte(`
cluster: {nodes: 2, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, sizes: [1MiB]}
sweep: {axes: [{path: cluster.nodes, values: [2, 40000]}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := weft.Variants(file); err == nil || !strings.Contains(err.Error(), "variant 1: ") {
		t.Errorf("40,000 nodes: %v, want an error of variant 1", err)
	}
}

func TestManyIsRunForEachScenario(t *testing.T) {
	variants, err := allReduces(4, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	variants = append(variants, nil)
	var last weft.Progress
	got := weft.Many(t.Context(), variants, weft.Options{Workers: 2, Seeds: 2, Progress: func(p weft.Progress) { last = p }})
	if last.Done != 4 || last.Total != 4 || last.Events == 0 {
		t.Errorf("the progress ends with %+v, want 4 of 4", last)
	}
	for i, r := range variants {
		want, failed := weft.Run(t.Context(), r, weft.Options{Seeds: 2})
		if r == nil {
			if got[i].Results != nil || got[i].Err == nil || got[i].Err.Error() != failed.Error() {
				t.Errorf("without a scenario: %+v, want %v", got[i], failed)
			}
			continue
		}
		a, _ := want.Encode()
		if b, _ := got[i].Results.Encode(); string(a) != string(b) || got[i].Err != nil {
			t.Errorf("%d nodes: %v\n%s\nwant\n%s", r.Cluster.Nodes, got[i].Err, b, a)
		}
	}
	o := weft.Options{Finished: func(weft.Finished) {}}
	for _, x := range weft.Many(t.Context(), variants, o) {
		if x.Results != nil || x.Err == nil {
			t.Errorf("%+v with Options.Finished, want an error", x)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, x := range weft.Many(stopped, variants, weft.Options{}) {
		if !errors.Is(x.Err, context.Canceled) {
			t.Errorf("%+v after the end of the context", x)
		}
	}
}
