package phases

import (
	"weft/internal/sim/run/network"
)

// Calm is the plan without what disturbs a job on its fabric: faults, slow cables and
// streams beside it, on the same network with the same tables; nil where nothing does.
func Calm(p *network.Plan) *network.Plan {
	if steady(p) && len(p.Slow) == 0 {
		return nil
	}
	f := *p.Fabric
	f.SlowLinks, f.Beside = nil, nil
	q := *p
	q.Fabric, q.Faults, q.Slow = &f, nil, nil
	return &q
}

// steady reports whether what a network does to a collective stays the same while the
// collective does: nothing fails meanwhile, and no other traffic comes and goes.
func steady(p *network.Plan) bool { return p.Faults == nil && len(p.Fabric.Beside) == 0 }
