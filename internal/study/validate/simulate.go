package validate

import (
	"context"

	"weft/internal/sim"
	"weft/internal/sim/collective/nccl"
	"weft/results"
	"weft/scenario"
)

// clusterOf is a cluster on presets of fabrics.
func clusterOf(nodes int, node scenario.Node, shape scenario.Shape, fabrics ...string) scenario.Scenario {
	s := scenario.Scenario{Cluster: scenario.Cluster{Nodes: nodes, Node: node}, Topology: scenario.Topology{Shape: shape}}
	for _, preset := range fabrics {
		s.Fabrics = append(s.Fabrics, scenario.Fabric{Preset: preset})
	}
	return s
}

// simulate simulates a scenario for a case.
func (e *Env) simulate(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
	o.Exact = e.Exact
	return sim.Run(ctx, r, o)
}

// firstPoint runs a scenario of one size on one fabric, with figures of NCCL's kernels; nil is those
// in use.
func (e *Env) firstPoint(name string, s *scenario.Scenario, figures *nccl.Figures) (p results.Point, err error) {
	f, err := scenario.New(name, s)
	if err != nil {
		return p, err
	}
	r, err := f.Resolve()
	if err != nil {
		return p, err
	}
	r.NCCL.SetFigures(figures)
	out, err := e.simulate(e.Ctx, r, sim.Options{Workers: 1})
	if err != nil {
		return p, err
	}
	return out.Fabrics[0].Points[0], nil
}
