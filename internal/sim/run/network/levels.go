package network

import (
	"weft/internal/sim/protocol"
	"weft/scenario"
)

// Level is the service level of a path: the message's own, or the fabric's.
func (p *Plan) Level(a, b int32, key uint16, own int) int {
	if own > 0 || !protocol.Of(p.Fabric.Kind).ServiceLevels {
		return own
	}
	return p.Fabric.SLOf(int(a), int(b), scenario.PKey(key&^fullMember), p.Keys.levels)
}

// OwnLevels reports whether messages of a scenario have service levels other than
// the fabric's.
func ownLevels(f *scenario.Fabric, r *scenario.Resolved) bool {
	if !protocol.Of(f.Kind).ServiceLevels {
		return false
	}
	own := f.IB.AckSL != f.IB.SL || len(scenario.ServiceLevelsOf(f, &r.Workload)) > 1 || r.Serving.KV.Class > 0
	for i := range f.Beside {
		own = own || f.Beside[i].Class != f.IB.SL
	}
	return own
}
