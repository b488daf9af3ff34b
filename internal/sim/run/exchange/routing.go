package exchange

import (
	"math"
	"math/rand/v2"
	"slices"

	"weft/internal/sim/engine"
	"weft/scenario"
)

// streamRouting separates the random stream of a rank's tokens from the seed's other streams.
const streamRouting = 0x6d6f65

// gate is the choice of experts: each has a weight, by which tokens choose.
type gate struct {
	x       *scenario.Experts
	weights []float64
	place   *placement
	nodes   int
	keys    []float64 // scratch: by expert
	nearest []float64 // scratch: by node, the smallest key of its experts
}

// weightsOf are the relative frequencies of the experts.
func weightsOf(x *scenario.Experts) []float64 {
	w := make([]float64, x.Count)
	for i := range w {
		switch x.Gating {
		case scenario.GatingZipf:
			w[i] = math.Pow(float64(i+1), -x.Skew.Float())
		case scenario.GatingWeights:
			w[i] = float64(x.Weights[i])
		default:
			w[i] = 1
		}
	}
	return w
}

// choose draws the distinct experts of a token, and appends them to out, which has room for them. An expert's key is
// exponential with its weight as the rate: the smallest keys are a draw without replacement by the
// weights (Efraimidis and Spirakis 2006). With node-limited routing a token chooses among the nodes
// with the smallest keys first, as tests/legacy/test_internode.py of DeepEP does.
func (g *gate) choose(rng *rand.Rand, out []int) []int {
	limited := g.x.NodeLimit > 0 && g.x.NodeLimit < g.nodes
	g.keys = g.keys[:0]
	for _, w := range g.weights {
		key := rng.ExpFloat64()
		if w == 0 {
			g.keys = append(g.keys, math.Inf(1))
			continue
		}
		g.keys = append(g.keys, key/w)
	}
	if limited {
		g.limit()
	}
	first := len(out)
	for e, key := range g.keys {
		if math.IsInf(key, 1) || len(out)-first == g.x.TopK && key >= g.keys[out[len(out)-1]] {
			continue
		}
		if len(out)-first < g.x.TopK {
			out = append(out, e)
		}
		i := len(out) - 1
		for ; i > first && g.keys[out[i-1]] > key; i-- {
			out[i] = out[i-1]
		}
		out[i] = e
	}
	return out
}

// limit leaves the experts of the nodes whose smallest keys are the smallest.
func (g *gate) limit() {
	g.nearest = g.nearest[:0]
	for range g.nodes {
		g.nearest = append(g.nearest, math.Inf(1))
	}
	for e, key := range g.keys {
		node := g.place.node(e)
		g.nearest[node] = min(g.nearest[node], key)
	}
	last := slices.Sorted(slices.Values(g.nearest))[g.x.NodeLimit-1]
	for e := range g.keys {
		if g.nearest[g.place.node(e)] > last {
			g.keys[e] = math.Inf(1)
		}
	}
}

// copies are the experts, or one of their copies, to which a rank's tokens go: TopK numbers of
// copies for each token. Copies of an expert take turns.
func (g *gate) copies(seed uint64, rank int) []int {
	pcg := engine.Stream(seed, streamRouting, uint32(rank))
	rng := rand.New(&pcg)
	all := make([]int, 0, g.x.Tokens*g.x.TopK)
	turn := make([]int, g.x.Count)
	for e := range turn {
		turn[e] = rank // so that ranks do not all begin with the first copy
	}
	for range g.x.Tokens {
		from := len(all)
		all = append(all, g.choose(rng, make([]int, 0, g.x.TopK))...)
		for i, e := range all[from:] {
			own := g.place.copies[e]
			all[from+i] = own[turn[e]%len(own)]
			turn[e]++
		}
	}
	return all
}
