package phases

import (
	"weft/internal/sim/run/network"
)

// Undisturbed is the plan without disturbances of a job on its fabric: without faults, slow cables and
// streams, on the same network with the same tables; nil if there are none.
func Undisturbed(p *network.Plan) *network.Plan {
	if steady(p) && len(p.Slow) == 0 {
		return nil
	}
	f := *p.Fabric
	f.SlowLinks, f.Beside = nil, nil
	q := *p
	q.Fabric, q.Faults, q.Slow = &f, nil, nil
	return &q
}

// steady reports whether the network's effect on a collective stays the same while the collective
// does: there are no faults and no other traffic.
func steady(p *network.Plan) bool { return p.Faults == nil && len(p.Fabric.Beside) == 0 }
