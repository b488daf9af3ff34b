package control

import (
	"weft/internal/sim/run/network"
	"weft/internal/sim/scenario"
)

// NewPlan is the plan of a scenario's fabric as its control plane sets it up before
// anything runs, and with what it does about the scenario's faults.
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
