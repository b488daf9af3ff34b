package validate

import (
	"context"
	"errors"
	"fmt"

	"weft/internal/sim"
	"weft/internal/sim/scenario"
	"weft/units"
)

// models are the scenarios of the measured systems: presets of the catalog, with
// the values of the system's source where the system differs. No value comes from
// the measured tables.
var models = map[string]scenario.Scenario{
	"A1":   clusterOf(2, scenario.Node{Preset: "dgx-a100", NICs: 4}, "", "efa-100g"),
	"A2":   clusterOf(2, scenario.Node{Preset: "dgx-h100", NICs: 32}, "", "efa-100g"),
	"A4":   clusterOf(1, scenario.Node{Preset: "dgx-h100"}, scenario.SingleSwitch, "infiniband-ndr"),
	"A5":   clusterOf(2, scenario.Node{Preset: "oci-h100"}, "", "roce-v2-200g"),
	"A8":   clusterOf(1, scenario.Node{Preset: "gb200-nvl72"}, scenario.FatTree, "infiniband-ndr"),
	"A11":  clusterOf(2, scenario.Node{Preset: "dgx-h100"}, "", "roce-v2-400g"),
	"H200": clusterOf(2, scenario.Node{Preset: "dgx-h200"}, "", "roce-v2-400g"),
	"A12":  clusterOf(0, scenario.Node{Preset: "hgx-a100-100g"}, "", "roce-v2-100g"), // as many nodes as the table's line
}

// clusterOf is a cluster on presets of fabrics.
func clusterOf(nodes int, node scenario.Node, shape scenario.Shape, fabrics ...string) scenario.Scenario {
	s := scenario.Scenario{Cluster: scenario.Cluster{Nodes: nodes, Node: node}, Topology: scenario.Topology{Shape: shape}}
	for _, preset := range fabrics {
		s.Fabrics = append(s.Fabrics, scenario.Fabric{Preset: preset})
	}
	return s
}

// operations are the names of nccl-tests' operations in a scenario.
var operations = map[string]scenario.Collective{
	"all-reduce": scenario.AllReduce, "all-gather": scenario.AllGather, "reduce-scatter": scenario.ReduceScatter,
	"alltoall": scenario.AllToAll, "sendrecv": scenario.SendRecv,
}

// simulated runs one line of a measured table on the model of its system.
func simulated(ctx context.Context, s *System, p *Point) (units.Time, error) {
	model, ok := models[s.ID]
	if !ok {
		return 0, errors.New("the catalog has no such node")
	}
	if p.Ranks%s.GPUs != 0 {
		return 0, fmt.Errorf("%d ranks do not fill whole nodes: not modelled", p.Ranks)
	}
	if s.ID == "A12" {
		model.Cluster.Nodes = p.Ranks / s.GPUs
	}
	model.Workload = scenario.Workload{Collective: operations[p.Op], Sizes: []units.Bytes{units.Bytes(p.Bytes)}}
	return firstPoint(ctx, s.ID, &model)
}

// firstPoint runs a scenario of one size on one fabric and gives its time.
func firstPoint(ctx context.Context, name string, s *scenario.Scenario) (units.Time, error) {
	f, err := scenario.New(name, s)
	if err != nil {
		return 0, err
	}
	r, err := f.Resolve()
	if err != nil {
		return 0, err
	}
	out, err := sim.Run(ctx, r, sim.Options{Workers: 1})
	if err != nil {
		return 0, err
	}
	return out.Fabrics[0].Points[0].Time, nil
}
