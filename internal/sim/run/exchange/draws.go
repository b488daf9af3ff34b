package exchange

import (
	"fmt"
	"sync"

	"weft/scenario"
)

// draw is where the experts are and which of them the tokens of each rank choose. Many simulations have the same: the
// two directions of an exchange, its fabrics, and faults of the network. A draw is not changed once it is made.
type draw struct {
	place   *placement
	choices [][]int   // by rank: TopK copies of experts for each token
	counts  [][]int32 // by rank and copy: tokens
}

// mostDrawn bounds the choices that are kept: 64 MiB of them.
const mostDrawn = 8 << 20

// draws are the latest draws.
var draws struct {
	sync.Mutex
	made  map[string]func() *draw
	order []string // the oldest first
	sizes []int    // in choices, in the same order
	size  int
}

// drawOf is the draw of a scenario's exchange: a function of the scenario alone, made once as long as it is kept.
func drawOf(r *scenario.Resolved) *draw {
	x, seed, ranks, perNode := r.Workload.Experts, r.Run.Seed, r.Cluster.Ranks(), r.Cluster.Node.GPUs
	size := ranks * x.Tokens * x.TopK
	if size > mostDrawn {
		return newDraw(&x, seed, ranks, perNode)
	}
	key := fmt.Sprintf("%d tokens, %d of %d experts, %s %d/%d %v, %d nodes, %d replicas %s, seed %d, %d ranks by %d",
		x.Tokens, x.TopK, x.Count, x.Gating, x.Skew.Num, x.Skew.Den, x.Weights, x.NodeLimit, x.Replicas, x.Placement, seed, ranks, perNode)
	draws.Lock()
	made, known := draws.made[key]
	if !known {
		made = sync.OnceValue(func() *draw { return newDraw(&x, seed, ranks, perNode) })
		keep(key, size, made)
	}
	draws.Unlock()
	return made()
}

// keep adds a draw to the kept ones, and forgets the oldest beyond their bound.
func keep(key string, size int, made func() *draw) {
	if draws.made == nil {
		draws.made = make(map[string]func() *draw)
	}
	draws.made[key] = made
	draws.order, draws.sizes, draws.size = append(draws.order, key), append(draws.sizes, size), draws.size+size
	for draws.size > mostDrawn {
		delete(draws.made, draws.order[0])
		draws.size -= draws.sizes[0]
		draws.order, draws.sizes = draws.order[1:], draws.sizes[1:]
	}
}

// newDraw draws the tokens of all ranks.
func newDraw(x *scenario.Experts, seed uint64, ranks, perNode int) *draw {
	weights := weightsOf(x)
	d := &draw{place: placementOf(x, weights, ranks, perNode)}
	g := &gate{x: x, weights: weights, place: d.place, nodes: ranks / perNode}
	for rank := range ranks {
		choices, counts := g.copies(seed, rank), make([]int32, x.Copies())
		for _, c := range choices {
			counts[c]++
		}
		d.choices, d.counts = append(d.choices, choices), append(d.counts, counts)
	}
	return d
}
