package exchange

import (
	"reflect"
	"testing"

	"weft/internal/test/simtest"
)

// A draw that is kept is that of its own scenario: each field that a draw depends on makes another one, and a second
// look finds the same as a first.
func TestAKeptDrawIsThatOfItsScenario(t *testing.T) {
	for _, experts := range []string{
		"", "tokens: 64", "top-k: 4", "count: 64", "gating: zipf", "gating: zipf, skew: 50%", "node-limit: 2", "replicas: 32",
		"placement: striped", "count: 32, weights: [1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", "count: 32",
	} {
		for _, run := range []string{"run: {seed: 1}", "run: {seed: 2}"} {
			r := simtest.Resolve(t, `
cluster: {nodes: 4, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {exchange: moe-dispatch, experts: {`+experts+`}}
`+run)
			kept := drawOf(r)
			if own := newDraw(&r.Workload.Experts, r.Run.Seed, 32, 8); !reflect.DeepEqual(kept, own) || drawOf(r) != kept {
				t.Errorf("%s, %s: the kept draw is another one", experts, run)
			}
		}
	}
}

// What is kept has a bound: the oldest draws leave first.
func TestKeptDrawsAreBounded(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 1, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {exchange: moe-dispatch, experts: {count: 8, top-k: 1, kernel: throughput, tokens: 262144}}
`)
	first := drawOf(r)
	for range 4 {
		r.Run.Seed++
		drawOf(r)
	}
	if draws.size > mostDrawn || len(draws.made) != len(draws.order) || len(draws.order) != len(draws.sizes) {
		t.Errorf("%d choices of %d draws are kept, want %d at most", draws.size, len(draws.made), mostDrawn)
	}
	if r.Run.Seed -= 4; drawOf(r) == first {
		t.Error("the first of five draws of 2 Mi choices is kept")
	}
}
