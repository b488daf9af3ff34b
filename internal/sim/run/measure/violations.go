package measure

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/internal/sim/runstore"
)

// violationsTold is how many violations a result has.
const violationsTold = 64

// Violations are what the network discarded for P_Keys, as a manager is told, or for
// want of a route between VRFs.
func Violations(n *network.Network, all []fabric.Violation) (told []runstore.Violation) {
	for i := range all[:min(len(all), violationsTold)] {
		v := &all[i]
		if s := n.Plan.Segments; s != nil {
			told = append(told, runstore.Violation{
				Port: v.Port, FirstPs: int64(v.First), Packets: v.Packets, From: n.NodeName(v.From), To: n.NodeName(v.To),
				FromVRF: s.VRF[s.Of[v.From]], ToVRF: s.VRF[s.Of[v.To]],
			})
			continue
		}
		trap := v.Trap
		if !protocol.Of(n.Plan.Fabric.Kind).SubnetManager {
			trap = 0 // nobody is there to be told
		}
		told = append(told, runstore.Violation{
			Trap: trap, Port: v.Port, FirstPs: int64(v.First), Packets: v.Packets,
			From: n.NodeName(v.From), To: n.NodeName(v.To), FromQP: v.FromQP, ToQP: v.ToQP, PKey: v.PKey, QKey: v.QKey, SL: v.SL,
		})
	}
	return told
}
