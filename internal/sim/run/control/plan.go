package control

import (
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// NewPlan is the plan of a scenario's fabric after its control plane has set it up, with its
// reactions to the scenario's faults.
func NewPlan(r *scenario.Resolved, f *scenario.Fabric) (*network.Plan, error) {
	p, err := network.NewPlan(r, f)
	if err != nil {
		return nil, err
	}
	if err := upDown(p); err != nil {
		return nil, err
	}
	if err := manage(p); err != nil {
		return nil, err
	}
	err = planFaults(p, r)
	return p, err
}
