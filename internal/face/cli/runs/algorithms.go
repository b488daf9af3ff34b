package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// everyAlgorithm is the value of --algo that compares all of NCCL's.
const everyAlgorithm = "all"

// contenders are NCCL's algorithms for a collective; some collectives have no choice.
var contenders = map[scenario.Collective][]scenario.Algorithm{
	scenario.AllReduce: {
		scenario.AlgoRing, scenario.AlgoTree, scenario.AlgoNVLS, scenario.AlgoNVLSTree, scenario.AlgoCollNetDirect, scenario.AlgoCollNetChain,
	},
	scenario.AllGather:     shards,
	scenario.ReduceScatter: shards,
	scenario.Broadcast:     {scenario.AlgoRing},
	scenario.Reduce:        {scenario.AlgoRing},
}

// shards are the contenders of all-gather and reduce-scatter.
var shards = []scenario.Algorithm{scenario.AlgoRing, scenario.AlgoNVLS, scenario.AlgoCollNetDirect}

// algorithms runs a sweep with NCCL's choice and with each of its algorithms and protocols, and
// reports the fastest at each size.
func (b *bench) algorithms(ctx context.Context, e *simulator.Simulator, r *scenario.Resolved) error {
	list := contenders[r.Workload.Collective]
	switch {
	case b.Out != "" || b.JSON:
		return fmt.Errorf("--algo %s prints a table only: leave out --out and --json", everyAlgorithm)
	case len(list) == 0:
		return fmt.Errorf("--algo %s: NCCL has one algorithm for %s", everyAlgorithm, r.Workload.Collective)
	}
	var chosen []results.Point
	keep := func(to *[]results.Point) func(*results.Results) error {
		return func(results *results.Results) error {
			if len(results.Fabrics) > 0 {
				*to = results.Fabrics[0].Points
			}
			return nil
		}
	}
	if err := b.Execution.Run(ctx, e, r, keep(&chosen)); err != nil {
		return err
	}
	best := slices.Clone(chosen)
	for _, algo := range list {
		if !takesPart(r, algo) {
			continue
		}
		for _, proto := range scenario.Protocols(r.Workload.Collective, algo) {
			forced := *r
			forced.Workload.Algorithm, forced.Workload.Protocol = algo, proto
			var points []results.Point
			err := b.Execution.Run(ctx, e, &forced, keep(&points))
			if err != nil && exit.CodeOf(err) != exit.Failed { // an algorithm that the cluster cannot run has no points
				return err
			}
			best = faster(best, points)
		}
	}
	return e.Present(standings(r, chosen, best), false, nil)
}

// takesPart reports whether NCCL has an algorithm on a cluster: reduction in the switch of a node
// needs such a switch; between nodes it is NVLS-tree, or NVLS if the network reduces.
func takesPart(r *scenario.Resolved, a scenario.Algorithm) bool {
	multicast, several, sharp := r.Cluster.Node.ScaleUp.Multicast, r.Cluster.Nodes > 1, r.Fabrics[0].IB.SHARP
	switch a {
	case scenario.AlgoNVLS:
		return multicast && (!several || sharp)
	case scenario.AlgoNVLSTree:
		return multicast && several
	case scenario.AlgoCollNetDirect, scenario.AlgoCollNetChain:
		return sharp && several
	}
	return true
}

// faster is the faster of two points at each size.
func faster(a, b []results.Point) []results.Point {
	for i := range min(len(a), len(b)) {
		if b[i].Time > 0 && b[i].Time < a[i].Time {
			a[i] = b[i]
		}
	}
	return a
}

// standings is the verdict on NCCL's choice, and a row for each size.
func standings(r *scenario.Resolved, chosen, best []results.Point) *doc.Document {
	t := doc.NewTable("size", "NCCL's choice", "time", "fastest in weft", "time", "choice / fastest")
	name := func(p *results.Point) string { return strings.TrimSpace(p.Algorithm + " " + p.Wire) }
	right, worst := 0, 1.0
	for i := range chosen {
		c, f := &chosen[i], &best[i]
		ratio := float64(c.Time) / float64(max(f.Time, 1))
		if c.Time == f.Time {
			right++
		}
		worst = max(worst, ratio)
		t.Add(doc.Bytes(units.Bytes(c.Bytes)), doc.Text(name(c)), doc.Time(c.Time), doc.Text(name(f)), doc.Time(f.Time), doc.Ratio(ratio, 2))
	}
	return &doc.Document{
		Brand: "NCCL's choice of algorithm", Title: fmt.Sprintf("%s on %s", r.Workload.Collective, r.Fabrics[0].Name),
		Footer: "Made by weft bench --algo all. The same flags and version make the same page.",
		Sections: []doc.Section{
			{Verdict: true, Blocks: doc.Paragraphs(fmt.Sprintf("NCCL's choice is the fastest at %d of %d sizes, and takes at most %.2f times as long as the fastest.", right, len(chosen), worst))},
			{Title: "Sizes", In: doc.Details, Blocks: []doc.Block{t}},
		},
	}
}
