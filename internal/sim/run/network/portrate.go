package network

import (
	"weft/internal/base/topology"
	"weft/units"
)

// PortRate is the rate of a port of the nodes' NICs: in a fabric of a file that of most of their cables, else the fabric's.
func (p *Plan) PortRate() units.Rate {
	of := map[units.Rate]int{}
	usual := p.Fabric.Link.Rate()
	for nic := range p.Graph.Compute() {
		for _, c := range p.Graph.Nodes[topology.NodeID(nic)].Cables {
			if c < 0 {
				continue
			}
			rate := p.Graph.Cables[c].Rate
			if rate == 0 {
				rate = p.Fabric.Link.Rate()
			}
			of[rate]++
			if of[rate] > of[usual] || of[rate] == of[usual] && rate > usual {
				usual = rate
			}
		}
	}
	return usual
}
