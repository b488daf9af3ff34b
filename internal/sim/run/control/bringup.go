package control

import (
	"fmt"

	"weft/internal/sim/protocol"
	"weft/results"
	"weft/scenario"
)

// BringUp simulates the Subnet Manager's bring-up of each InfiniBand fabric of a scenario, from
// power-on. It runs no workload.
func BringUp(r *scenario.Resolved) (*results.Results, error) {
	out := &results.Results{Version: results.ResultsVersion, Scenario: r.Name, Seed: r.Run.Seed, Nodes: r.Cluster.Nodes}
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		if !protocol.Of(f.Kind).SubnetManager {
			continue
		}
		p, err := NewPlan(r, f)
		if err != nil {
			return nil, err
		}
		up, err := bringUp(p, &r.Control)
		if err != nil {
			return nil, err
		}
		out.Fabrics = append(out.Fabrics, results.FabricResult{
			Name: f.Name, Protocol: string(f.Kind), Rate: f.Link.Rate(), Engine: string(p.Routed.Used), EngineWhy: p.Routed.Reason,
			Control: &results.Control{Plane: managerPlane, BringUp: up},
		})
	}
	if len(out.Fabrics) == 0 {
		return nil, fmt.Errorf("the scenario has no InfiniBand fabric, and others have no Subnet Manager")
	}
	return out, nil
}
