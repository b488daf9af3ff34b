package subnet

import (
	"fmt"
	"math/bits"

	"weft/internal/base/sorting"
	"weft/units"
)

// TopLID is the highest LID of any port, 0 if no port has a LID.
func (s *Subnet) TopLID() units.LID {
	top := units.LID(0)
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			if p := &s.Nodes[i].Ports[j]; p.LID != 0 {
				top = max(top, p.LID+1<<p.LMC-1)
			}
		}
	}
	return top
}

// Owners is the port of each LID from 0 to TopLID, None if there is none. If two ports have the
// same LID, the first in the order of nodes counts; Check reports the clash.
func (s *Subnet) Owners() []End {
	owners := make([]End, int(s.TopLID())+1)
	for i := range owners {
		owners[i] = None
	}
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			p := &s.Nodes[i].Ports[j]
			if p.LID == 0 {
				continue
			}
			for l := int(p.LID); l < int(p.LID)+1<<p.LMC; l++ {
				if !owners[l].Exists() {
					owners[l] = End{int32(i), uint16(j)}
				}
			}
		}
	}
	return owners
}

// AssignLIDs gives every end port a LID, as OpenSM 3.3 does for a subnet without LIDs: first the
// manager's port (Origin), then the ports in the order of their GUIDs read backwards, byte by byte
// (OpenSM compares the network byte order of GUIDs as if it were the processor's; seen in its
// guid2lid of every reference fabric). With an LMC above 0, adapters get 2^lmc LIDs from a multiple
// of 2^lmc. Switches get one LID, even with an enhanced port 0 (OpenSM's lmc_esp0 is FALSE by
// default).
//
// An adapter's port without a cable gets no LID. It is an error if the unicast range, 1 to 49,151,
// does not suffice.
func (s *Subnet) AssignLIDs(lmc uint8) error {
	if lmc > 7 {
		return fmt.Errorf("LMC %d: valid are 0 to 7", lmc)
	}
	next := 1
	for _, e := range s.lidOrder() {
		p, width := s.Port(e), 1<<lmc
		if s.Nodes[e.Node].Kind == Switch {
			width = 1
		}
		next = (next + width - 1) / width * width
		if next+width-1 > int(units.LastUnicastLID) {
			return fmt.Errorf("the subnet has more ports than one subnet has LIDs: %d unicast LIDs (1 to %d), %d per adapter port with LMC %d",
				units.LastUnicastLID, units.LastUnicastLID, 1<<lmc, lmc)
		}
		p.LID, p.LMC = units.LID(next), uint8(bits.TrailingZeros(uint(width)))
		next += width
	}
	return nil
}

// lidOrder lists the ports that get a LID, in the order of assignment.
func (s *Subnet) lidOrder() []End {
	var order []End
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind == Switch {
			order = append(order, End{int32(i), 0})
			continue
		}
		for j := 1; j < len(n.Ports); j++ {
			if n.Ports[j].Peer.Exists() {
				order = append(order, End{int32(i), uint16(j)})
			}
		}
	}
	first := s.Origin
	if first.Exists() && s.Nodes[first.Node].Kind == Switch {
		first.Port = 0
	}
	sorting.Func(order, func(a, b End) int {
		switch {
		case a == b:
			return 0
		case a == first:
			return -1
		case b == first:
			return 1
		}
		ka, kb := bits.ReverseBytes64(uint64(s.Port(a).GUID)), bits.ReverseBytes64(uint64(s.Port(b).GUID))
		if ka != kb {
			if ka < kb {
				return -1
			}
			return 1
		}
		return int(a.Node) - int(b.Node) // duplicate GUIDs: Check reports them
	})
	return order
}
