package measure

import (
	"weft/internal/sim/fabric/isolation"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/results"
)

// maxViolations is the maximum number of violations in a result.
const maxViolations = 64

// Violations are the packets discarded for their P_Keys, as a manager learns of them, or because
// there is no route between VRFs.
func Violations(n *network.Network, all []isolation.Violation) (told []results.Violation) {
	for i := range all[:min(len(all), maxViolations)] {
		v := &all[i]
		if s := n.Plan.Segments; s != nil {
			told = append(told, results.Violation{
				Port: v.Port, FirstPs: int64(v.First), Packets: v.Packets, From: n.NodeName(v.From), To: n.NodeName(v.To),
				FromVRF: s.VRF[s.Of[v.From]], ToVRF: s.VRF[s.Of[v.To]],
			})
			continue
		}
		trap := v.Trap
		if !protocol.Of(n.Plan.Fabric.Kind).SubnetManager {
			trap = 0 // no manager receives it
		}
		told = append(told, results.Violation{
			Trap: trap, Port: v.Port, FirstPs: int64(v.First), Packets: v.Packets,
			From: n.NodeName(v.From), To: n.NodeName(v.To), FromQP: v.FromQP, ToQP: v.ToQP, PKey: v.PKey, QKey: v.QKey, SL: v.SL,
		})
	}
	return told
}
