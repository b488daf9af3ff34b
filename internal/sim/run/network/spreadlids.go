package network

import "weft/internal/sim/fabric"

// SpreadLIDs gives each NIC a number of LIDs with ports of their own. Each connection uses one LID of its peer, by a hash of
// its number, and one of its own for what comes back. port is a switch's port, from 0, to the k-th LID of a NIC.
//
// For a switch the ports to the LIDs of a NIC are a set, of which the connection's entropy picks one: all switches pick
// the same one.
func (p *Plan) SpreadLIDs(lids int, port func(sw, nic, k int) uint16) error {
	t, err := p.Tables.WithSets(func(sw, nic int) []uint16 {
		set := make([]uint16, lids)
		for k := range set {
			set[k] = port(sw, nic, k)
		}
		return set
	})
	if err != nil {
		return err
	}
	p.Tables, p.lids = t, lids
	p.Hash = func(_ int32, entropy uint32, _ int) int { return p.lidOf(entropy) }
	return nil
}

// lidOf is the number of the LID that packets of a connection go to, from 0. Packets that come back, whose entropy differs
// in the lowest bit, go to the LID of the same number.
func (p *Plan) lidOf(entropy uint32) int {
	if p.lids <= 1 {
		return 0
	}
	return int(entropy>>1) % p.lids
}

// LIDs is the number of LIDs of a NIC among which connections choose; 1 without [Plan.SpreadLIDs].
func (p *Plan) LIDs() int { return max(1, p.lids) }

// Routing is the switches' method of choosing a path.
func (p *Plan) Routing() fabric.Routing {
	if p.lids > 1 {
		return fabric.ECMP
	}
	return SwitchRouting(p.Fabric.Routing.Mode)
}
