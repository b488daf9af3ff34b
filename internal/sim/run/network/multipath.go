package network

import (
	"weft/internal/base/topology"
	"weft/internal/sim/protocol"
	"weft/internal/sim/routing"
	"weft/scenario"
)

// Multipath is what the switches of a fabric use of their equally short paths; nil if they use all.
func Multipath(f *scenario.Fabric, g *topology.Graph) *routing.Multipath {
	if !protocol.Of(f.Kind).Ethernet() || f.Routing.Mode == scenario.UpDown || len(f.Switches) == 0 && f.Routing.MaxPaths == 0 && f.Routing.ASN == 0 {
		return nil
	}
	m := &routing.Multipath{Most: make([]int, g.Switches()), ASN: make([]uint32, g.Switches()), Relax: make([]bool, g.Switches())}
	for i := range m.Most {
		own := f.OfSwitch(g.Nodes[g.Endpoints+i].Name).Routing
		m.Most[i], m.ASN[i], m.Relax[i] = own.MaxPaths, own.ASN, own.MultipathRelax
	}
	return m
}
