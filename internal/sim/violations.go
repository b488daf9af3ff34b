package sim

import (
	"weft/internal/fabric"
	"weft/internal/runstore"
	"weft/scenario"
)

// violationsTold is how many violations a result has.
const violationsTold = 64

// violations are what the network discarded for P_Keys, as a manager is told, or for
// want of a route between VRFs.
func (n *network) violations(all []fabric.Violation) (told []runstore.Violation) {
	for i := range all[:min(len(all), violationsTold)] {
		v := &all[i]
		if s := n.plan.segments; s != nil {
			told = append(told, runstore.Violation{
				Port: v.Port, FirstPs: int64(v.First), Packets: v.Packets, From: n.NodeName(v.From), To: n.NodeName(v.To),
				FromVRF: s.vrf[s.Of[v.From]], ToVRF: s.vrf[s.Of[v.To]],
			})
			continue
		}
		trap := v.Trap
		if n.plan.fabric.Kind != scenario.InfiniBandKind {
			trap = 0 // nobody is there to be told
		}
		told = append(told, runstore.Violation{
			Trap: trap, Port: v.Port, FirstPs: int64(v.First), Packets: v.Packets,
			From: n.NodeName(v.From), To: n.NodeName(v.To), FromQP: v.FromQP, ToQP: v.ToQP, PKey: v.PKey, QKey: v.QKey, SL: v.SL,
		})
	}
	return told
}
