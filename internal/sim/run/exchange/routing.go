package exchange

import (
	"math"
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/internal/sim/scenario"
)

// streamRouting separates the random stream of a rank's tokens from the seed's other streams.
const streamRouting = 0x6d6f65

// gate is the choice of experts: each has a weight, by which tokens choose.
type gate struct {
	x       *scenario.Experts
	weights []float64
	place   *placement
	nodes   int
	keys    engine.Heap[choice, *choice] // scratch
}

// choice is an expert with the key by which a token ranks it: the smallest are chosen.
type choice struct {
	key    float64
	expert int
}

// Before orders by key, then by expert.
func (c *choice) Before(o *choice) bool {
	return c.key < o.key || c.key == o.key && c.expert < o.expert
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

// choose draws the distinct experts of a token, and appends them to out. An expert's key is
// exponential with its weight as the rate: the smallest keys are a draw without replacement by the
// weights (Efraimidis and Spirakis 2006). With node-limited routing a token chooses among the nodes
// with the smallest keys first, as tests/legacy/test_internode.py of DeepEP does.
func (g *gate) choose(rng *rand.Rand, out []int) []int {
	g.keys = g.keys[:0]
	for e, w := range g.weights {
		key := rng.ExpFloat64()
		if w > 0 {
			g.keys.Push(choice{key / w, e})
		}
	}
	nodes := make([]bool, g.nodes)
	used := 0
	for len(g.keys) > 0 && len(out) < g.x.TopK {
		k := g.keys.Pop()
		if limit := g.x.NodeLimit; limit > 0 {
			node := g.place.node(k.expert)
			if !nodes[node] && used == limit {
				continue
			}
			if !nodes[node] {
				nodes[node] = true
				used++
			}
		}
		out = append(out, k.expert)
	}
	return out
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
