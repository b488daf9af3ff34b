package validate

import (
	"fmt"
	"math"
	"strings"

	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/scenario"
	"weft/units"
)

// reckoned is NCCL's cost model of an all-reduce with one algorithm and protocol: a
// latency, a bandwidth, and a factor on the bandwidth by size.
type reckoned struct {
	algo, proto string
	latency     float64             // us
	gbps        float64             // of algorithm bandwidth, GB/s
	factor      map[float64]float64 // treeCorrectionFactor; others are 1
	plateau     float64             // added to the latency from plateauBytes on, us
}

// plateauBytes is the size from which a ring's steps with Simple between nodes take
// longer: 64 bytes for each of 128 ranks and of 16 channels, the number in logs of
// such clusters.
const plateauBytes = 64 * 16 * 128

// reckonings are NCCL's times for a cluster of eight H100 a node with 400 Gb/s each. The formulas
// are ncclTopoTuneModel's (src/graph/tuning.cc of NCCL), with its constants written out once more.
var reckonings = []struct {
	id    string
	nodes int
	of    []reckoned
}{
	{"model/1-node", 1, []reckoned{
		{algo: "ring", proto: "ll", latency: 6.6 + 14*.6, gbps: 141 * 8 / 14.},
		{algo: "ring", proto: "ll128", latency: 14 + 14*1.9, gbps: 360 * .92 * 8 / 14},
		{algo: "ring", proto: "simple", latency: 8.4 + 14*3.4, gbps: 360 * 8 / 14.},
		{algo: "nvls", proto: "simple", latency: 25, gbps: 2 * 8 * 40 * .85 * 7 / 8 * 8 / 14},
	}},
	{"model/16-nodes", 16, []reckoned{
		{algo: "ring", proto: "ll128", latency: 14 + 224*1.9 + 30*4, gbps: 8 * 36.7 * 128 / 254},
		{algo: "ring", proto: "simple", latency: 8.4 + 224*3.4 + 30*14, gbps: 8 * 48 * 128 / 254., plateau: .4 * (8.4 + 224*3.4 + 30*14)},
		{algo: "tree", proto: "ll", latency: 6.8 + 2*(7*.6+4*5), gbps: 20.4 * .85 / 2, factor: map[float64]float64{64 * kib: .6, 256 * kib: .4, 4 * mib: .7, 16 * mib: .9}},
		{algo: "tree", proto: "ll128", latency: 14 + 2*(7*1.25+4*8.5), gbps: 8 * 29 * .85 / 2, factor: map[float64]float64{64 * kib: .6, 256 * kib: .6, 4 * mib: .8, 16 * mib: .9, 64 * mib: .9}},
		{algo: "tree", proto: "simple", latency: 8.4 + 2*(7*4+4*14), gbps: 8 * 36 * .85 / 2, factor: map[float64]float64{8: .9, 64 * kib: .6, 256 * kib: .5, 4 * mib: .7, 16 * mib: .7, 64 * mib: .8}},
		{algo: "nvls-tree", proto: "simple", latency: 25 + 2*4*20.9, gbps: 8 * 45.5 * 128 / 254},
	}},
}

// micros is the model's time of a size.
func (r *reckoned) micros(bytes float64) float64 {
	f, latency := r.factor[bytes], r.latency
	if f == 0 {
		f = 1
	}
	if bytes >= plateauBytes {
		latency += r.plateau
	}
	return latency + bytes/1000/(r.gbps*f)
}

// modelCases compare the executor of collectives with NCCL's own model.
func modelCases() []*Case {
	out := []*Case{formulaCase()}
	for i := range reckonings {
		c := &reckonings[i]
		out = append(out, &Case{
			ID:    c.id,
			Claim: fmt.Sprintf("An all-reduce of 8 bytes on %d node(s) of 8 H100 takes the time that NCCL's cost model gives, by each algorithm and protocol; larger sizes stand beside the model's times.", c.nodes),
			Reference: "NCCL's cost model, src/graph/tuning.cc (V): latency + size / bandwidth. The latency is the base latency and the steps' hwLatencies on a byte's way; " +
				"the bandwidth is the least of the rates of links, NICs and kernels, times treeCorrectionFactor. It was fitted by its authors to whole collectives on their clusters, and chooses the algorithm.",
			Setting: "dgx-h100, InfiniBand NDR, rail-optimised. weft takes from the same source the base latencies, the steps' latencies less the wire's, and the kernels' ceilings; the way of every byte is simulated. " +
				"So 8 bytes show whether the steps add up: a ring with Simple takes 12 to 13 us more than the formula on 2, 4, 8 and 16 nodes alike, because the slowest byte crosses between nodes once more than the formula counts (14 us in place of 3.4) and waits once for the proxy thread (3 us, less with a faster one). The larger sizes show how far simulation and formula are apart: queues, and the filling of the pipeline in chunks, which the formula has as a factor or not at all.",
			Slow: true,
			Run:  func(e *Env) ([]Row, error) { return modelRows(e, c.nodes, c.of) },
		})
	}
	return out
}

// treeMiss is the reason for the trees' rows above the tolerance; without the time of the proxy
// thread they are within it.
const treeMiss = "the proxy thread of a rank serves the rank's connections, three in a tree, one after the other, 0.5 us each; the formula takes each connection alone"

// modelSizes are the sizes of the rows, in bytes.
var modelSizes = []float64{8, 64 * kib, 256 * kib, 4 * mib, 16 * mib, 64 * mib}

func modelRows(e *Env, nodes int, list []reckoned) ([]Row, error) {
	sizes := modelSizes
	if e.Short {
		sizes = sizes[:2]
	}
	rows := make([]Row, len(list)*len(sizes))
	return rows, e.each(len(rows), func(i int) error {
		c, bytes := &list[i/len(sizes)], sizes[i%len(sizes)]
		got, err := modelled(e, nodes, c, int64(bytes))
		rows[i] = one(fmt.Sprintf("%s, %s, %s", c.algo, c.proto, units.Bytes(bytes)), Microseconds, math.Round(c.micros(bytes)*1e6), float64(got), shown, "")
		if bytes == 8 {
			rows[i].Tolerance = within(0.01)
		}
		if rows[i].Verdict() == Miss && strings.Contains(c.algo, "tree") {
			rows[i].Note = treeMiss
		}
		return err
	})
}

// formulaCase compares weft's copy of NCCL's cost model, package nccl, with the same
// arithmetic at every size.
func formulaCase() *Case {
	return &Case{
		ID:    "model/formula",
		Claim: "weft computes the time by which NCCL chooses algorithm and protocol as NCCL's cost model does.",
		Reference: "NCCL's cost model, src/graph/tuning.cc (V), written out once more: latency + size / bandwidth, with treeCorrectionFactor and the ring's plateau of latency. " +
			"Below 1 % means the same formula: both are arithmetic.",
		Setting: "Eight H100 a node with 400 Gb/s each, one node and sixteen; all-reduce by each algorithm and protocol of the rows of model/1-node and model/16-nodes. Nothing is simulated.",
		Run: func(*Env) ([]Row, error) {
			var rows []Row
			for i := range reckonings {
				more, err := formulaRows(reckonings[i].nodes, reckonings[i].of)
				if err != nil {
					return nil, err
				}
				rows = append(rows, more...)
			}
			return rows, nil
		},
	}
}

func formulaRows(nodes int, list []reckoned) (rows []Row, err error) {
	// dgx-h100 as NCCL sees it: 18 NVLinks of 20.6 GB/s a GPU, a 400 Gb/s port for each.
	c := nccl.Cluster{Nodes: nodes, PerNode: 8, GPU: nccl.Hopper, NVLinkGBps: 18 * 20.6, NICs: 8, NICGBps: 50, NVSwitch: true, NVLS: true, CPU: nccl.Intel}
	for i := range list {
		r := &list[i]
		for _, bytes := range modelSizes {
			choice, err := c.With(collective.AllReduce, formulaAlgos[r.algo], formulaProtos[r.proto], int64(bytes))
			if err != nil {
				return nil, err
			}
			what := fmt.Sprintf("%d node(s): %s, %s, %s", nodes, r.algo, r.proto, units.Bytes(bytes))
			rows = append(rows, one(what, Microseconds, math.Round(r.micros(bytes)*1e6), float64(choice.Time), within(0.01), ""))
		}
	}
	return rows, nil
}

var formulaAlgos = map[string]nccl.Algo{"ring": nccl.Ring, "tree": nccl.Tree, "nvls": nccl.NVLS, "nvls-tree": nccl.NVLSTree}

var formulaProtos = map[string]nccl.Proto{"ll": nccl.LL, "ll128": nccl.LL128, "simple": nccl.Simple}

// modelled runs one size by one algorithm and protocol.
func modelled(e *Env, nodes int, c *reckoned, bytes int64) (units.Time, error) {
	s := clusterOf(nodes, scenario.Node{Preset: "dgx-h100"}, scenario.RailOptimised, "infiniband-ndr")
	s.Workload = scenario.Workload{
		Collective: scenario.AllReduce, Algorithm: scenario.Algorithm(c.algo), Protocol: scenario.Protocol(c.proto), Sizes: []units.Bytes{units.Bytes(bytes)},
	}
	s.NCCL.Times = scenario.KernelsReckoned
	p, err := e.firstPoint("model", &s, nil)
	return p.Time, err
}
