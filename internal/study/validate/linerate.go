package validate

import (
	"cmp"
	"fmt"

	"weft/internal/study/measured"
	"weft/scenario"
	"weft/units"
)

// lineRates are all-reduces to compare with the rate of a node's NICs.
var lineRates = []struct {
	nodes     int
	algorithm scenario.Algorithm // empty is NCCL's choice
	tolerance Tolerance
}{
	{2, "", atLeast},
	{2, "ring", atMost},
	{3, "", atMost},
	{3, "ring", atMost},
	{4, "", atMost},
}

// lineRateCases compare a rule of NCCL's maintainers with the simulation.
func lineRateCases() []*Case {
	return []*Case{{
		ID:    "nccl/line-rate",
		Claim: "On two nodes the bus bandwidth of an all-reduce exceeds the rate of a node's NICs, but not by a ring; on three and more it does not.",
		Reference: "An NCCL maintainer: all-reduce on exactly two nodes can exceed the NICs unless NCCL_ALGO=RING, and does not on three or more (github.com/NVIDIA/nccl-tests/issues/169, V). " +
			"By trees each of two nodes sends every byte once, by a ring 2(n-1)/n times, which is the factor of bus bandwidth; A2 and A5 of this page have measured it. " +
			"The reference is 16 ports of 200 Gb/s, 400 GB/s.",
		Setting: "oci-h100, RoCE v2 at 200 Gb/s, 1 GiB, NCCL's choice of algorithm or a ring.",
		Slow:    true,
		Run:     lineRateRows,
	}}
}

func lineRateRows(e *Env) ([]Row, error) {
	const nics = 16 * 200e9 / 8 // B/s
	bytes := int64(gib)
	if e.Short {
		bytes = 512 * mib
	}
	var rows []Row
	for _, c := range lineRates {
		s := clusterOf(c.nodes, scenario.Node{Preset: "oci-h100"}, "", "roce-v2-200g")
		s.Workload = scenario.Workload{Collective: scenario.AllReduce, Algorithm: c.algorithm, Sizes: []units.Bytes{units.Bytes(bytes)}}
		p, err := e.firstPoint("line rate", &s, nil)
		if err != nil {
			return nil, err
		}
		bus := measured.BusFactor(scenario.AllReduce, 8*c.nodes) * float64(bytes) / (float64(p.Time) / 1e12)
		rows = append(rows, one(fmt.Sprintf("%d nodes, %s", c.nodes, cmp.Or(string(c.algorithm), "NCCL's choice")), Gigabytes, nics, bus, c.tolerance, ""))
	}
	return rows, nil
}
