package format

import (
	"math/bits"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
)

// Assign gives the ports of a subnet the LIDs that they have in the tables, and removes all others.
// A port with several LIDs gets the LMC that covers them. It returns the number of LIDs whose ports
// are not in the subnet.
//
// If the file does not name the owners of its LIDs, the subnet stays unchanged. A LID that the file
// leaves out (Undumped) stays with its port, or goes to the only port without a LID; if there is no
// such port, Undumped becomes 0.
func (l *LFTs) Assign(s *subnet.Subnet) (strangers int) {
	before := subnet.None
	if l.Undumped > 0 && l.Undumped <= s.TopLID() {
		before = s.Owners()[l.Undumped]
	}
	strangers = assign(s, l.Port)
	if l.Undumped > 0 {
		l.placeUndumped(s, before)
	}
	return strangers
}

// placeUndumped gives the LID that the file leaves out to a port without one.
func (l *LFTs) placeUndumped(s *subnet.Subnet, before subnet.End) {
	var bare []subnet.End
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			p := &s.Nodes[i].Ports[j]
			if own := j == 0; own == (s.Nodes[i].Kind == subnet.Switch) && p.LID == 0 && (own || p.Peer.Exists()) {
				bare = append(bare, subnet.End{Node: int32(i), Port: uint16(j)})
			}
		}
	}
	switch {
	case before.Exists() && s.Port(before).LID == l.Undumped: // the file does not name the owners of LIDs
	case slices.Contains(bare, before):
		s.Port(before).LID = l.Undumped
	case len(bare) == 1:
		s.Port(bare[0]).LID = l.Undumped
	default:
		l.Undumped = 0
	}
}

// assign gives out LIDs by the port GUIDs of their owners.
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
			e := subnet.End{Node: int32(i), Port: uint16(j)}
			if lid, ok := first[e]; ok {
				p.LID, p.LMC = units.LID(lid), lmcOf(lid, last[e])
			}
		}
	}
	return strangers
}

// lmcOf is the least LMC that covers the LIDs first to last.
func lmcOf(first, last int) uint8 { return uint8(min(bits.Len(uint(last-first)), 7)) }
