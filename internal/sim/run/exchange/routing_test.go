package exchange

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/internal/test/simtest"
	"weft/scenario"
)

func trafficFor(t *testing.T, experts string) *traffic {
	t.Helper()
	return trafficOf(simtest.Resolve(t, `
cluster: {nodes: 4, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {exchange: moe-dispatch, experts: {`+experts+`}}`))
}

func gateOf(t *traffic, nodes int) *gate {
	return &gate{x: &t.w.Experts, weights: weightsOf(&t.w.Experts), place: t.place, nodes: nodes}
}

// With a limit of two nodes the eight experts of each token are distinct and on two nodes at most;
// without it most tokens have experts on all four.
func TestNodeLimitedRoutingLimitsTheNodesOfAToken(t *testing.T) {
	for _, c := range []struct {
		experts     string
		least, most int
	}{{"node-limit: 2", 1, 2}, {"", 2, 4}} {
		tr := trafficFor(t, c.experts)
		all := gateOf(tr, 4).copies(1, 0)
		if len(all) != 128*8 {
			t.Fatalf("%d choices of 128 tokens", len(all))
		}
		for token := range slices.Chunk(all, 8) {
			nodes := map[int]bool{}
			for _, e := range token {
				nodes[tr.place.node(e)] = true
			}
			distinct := len(slices.Compact(slices.Sorted(slices.Values(token))))
			if len(nodes) < c.least || len(nodes) > c.most || distinct != 8 {
				t.Errorf("%q: a token has %d experts on %d nodes: %v", c.experts, distinct, len(nodes), token)
			}
		}
	}
}

// The chosen experts are the first of all, sorted by their keys, within the limit of nodes.
func TestATokenChoosesTheSmallestKeys(t *testing.T) {
	tr := trafficFor(t, "count: 64, gating: zipf, node-limit: 2")
	g := gateOf(tr, 4)
	for seed := range uint64(200) {
		keys, order, rng := make([]float64, 64), make([]int, 64), rand.New(rand.NewPCG(seed, 1))
		for e, w := range g.weights {
			keys[e], order[e] = rng.ExpFloat64()/w, e
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
		var want []int
		nodes := map[int]bool{}
		for _, e := range order {
			if node := g.place.node(e); len(want) < 8 && (nodes[node] || len(nodes) < 2) {
				nodes[node] = true
				want = append(want, e)
			}
		}
		if got := g.choose(rand.New(rand.NewPCG(seed, 1)), nil); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, by sorting %v", seed, got, want)
		}
	}
}

// Tokens of one expert go to the i-th in proportion to 1/i, here within 3 %.
func TestZipfIsZipf(t *testing.T) {
	tr := trafficFor(t, "count: 32, top-k: 1, gating: zipf, tokens: 20000")
	sum := 0.0
	for i := range 32 {
		sum += 1 / float64(i+1)
	}
	for _, e := range []int{0, 1, 7} {
		n := 0
		for rank := range tr.counts {
			n += int(tr.counts[rank][e])
		}
		want := 32 * 20000 / float64(e+1) / sum
		if math.Abs(float64(n)-want) > 0.03*want {
			t.Errorf("expert %d gets %d tokens, want %.0f", e, n, want)
		}
	}
}

// The copies of an expert share its tokens, each rank's to within one.
func TestCopiesShareTheTokensOfTheirExpert(t *testing.T) {
	tr := trafficFor(t, "count: 32, replicas: 32, gating: zipf")
	shared := 0
	for e, copies := range tr.place.copies {
		for rank := range tr.counts {
			least, most := int32(math.MaxInt32), int32(0)
			for _, c := range copies {
				least, most = min(least, tr.counts[rank][c]), max(most, tr.counts[rank][c])
			}
			if most-least > 1 {
				t.Fatalf("copies of expert %d get %d to %d tokens of rank %d", e, least, most, rank)
			}
		}
		if len(copies) > 1 {
			shared++
		}
	}
	if shared == 0 || len(tr.place.copies[0]) < len(tr.place.copies[31]) {
		t.Errorf("%d experts have copies; the hottest has %d, the coldest %d", shared, len(tr.place.copies[0]), len(tr.place.copies[31]))
	}
}

// Each placement gives every rank the same number of experts.
func TestPlacementsAreEven(t *testing.T) {
	for _, p := range []scenario.Placement{scenario.PlacementContiguous, scenario.PlacementStriped, scenario.PlacementBalanced} {
		tr := trafficFor(t, "count: 96, gating: zipf, placement: "+string(p))
		held := make([]int, 32)
		for _, rank := range tr.place.ranks {
			held[rank]++
		}
		if slices.Min(held) != 3 || slices.Max(held) != 3 {
			t.Errorf("%s: ranks have %v experts, want 3 each", p, held)
		}
	}
}
