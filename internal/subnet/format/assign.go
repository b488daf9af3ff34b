package format

import (
	"math/bits"

	"weft/internal/subnet"
	"weft/units"
)

// Assign gives the ports of a subnet the LIDs that they had when the tables
// were made, and takes away all others. A port with several LIDs gets the LMC
// that covers them. It returns how many LIDs belong to ports that the subnet
// does not have.
//
// A file that does not say whose its LIDs are leaves the subnet alone.
func (l *LFTs) Assign(s *subnet.Subnet) (strangers int) { return assign(s, l.Port) }

// assign gives out LIDs by the GUIDs of the ports that they belong to.
func assign(s *subnet.Subnet, port []units.GUID) (strangers int) {
	by := newIndex(s)
	first, last := map[subnet.End]int{}, map[subnet.End]int{}
	for lid, guid := range port {
		if guid == 0 {
			continue
		}
		end, known := by.port[guid]
		if !known {
			strangers++
			continue
		}
		if _, ok := first[end]; !ok {
			first[end] = lid
		}
		last[end] = lid
	}
	if len(first) == 0 {
		return strangers
	}
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			p := &s.Nodes[i].Ports[j]
			p.LID, p.LMC = 0, 0
			e := subnet.End{Node: int32(i), Port: uint8(j)}
			if lid, ok := first[e]; ok {
				p.LID, p.LMC = units.LID(lid), lmcOf(lid, last[e])
			}
		}
	}
	return strangers
}

// lmcOf is the least LMC with which a port answers to all of first to last.
func lmcOf(first, last int) uint8 { return uint8(min(bits.Len(uint(last-first)), 7)) }
