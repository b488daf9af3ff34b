package sim

import "weft/scenario"

// controlled is the plan of a scenario's fabric as its control plane sets it up before
// anything runs, and with what it does about the scenario's faults.
func controlled(r *scenario.Resolved, f *scenario.Fabric) (*plan, error) {
	p, err := newPlan(r, f)
	if err != nil {
		return nil, err
	}
	if err := p.upDown(); err != nil {
		return nil, err
	}
	if err := p.manage(); err != nil {
		return nil, err
	}
	if err := p.planReduction(r); err != nil {
		return nil, err
	}
	err = p.planFaults(r)
	return p, err
}
