package subnet

import (
	"fmt"
	"math/bits"

	"weft/units"
)

// AssignLIDsKeeping gives every end port a LID, as AssignLIDs does, but a port with a LID in known
// keeps it. If a known LID is out of the unicast range, does not fit the LMC, or belongs to another
// port, its port gets a new LID. No port gets a LID of others.
func (s *Subnet) AssignLIDsKeeping(lmc uint8, known map[units.GUID]units.LID, others ...units.LID) error {
	if len(known)+len(others) == 0 {
		return s.AssignLIDs(lmc)
	}
	if lmc > 7 {
		return fmt.Errorf("LMC %d: valid are 0 to 7", lmc)
	}
	taken := make([]bool, int(units.LastUnicastLID)+1)
	for _, lid := range others {
		taken[lid] = true
	}
	order := s.lidOrder()
	width := func(e End) int {
		if s.Nodes[e.Node].Kind == Switch {
			return 1
		}
		return 1 << lmc
	}
	give := func(e End, lid, w int) bool {
		if lid < 1 || lid%w != 0 || lid+w-1 > int(units.LastUnicastLID) {
			return false
		}
		for l := lid; l < lid+w; l++ {
			if taken[l] {
				return false
			}
		}
		for l := lid; l < lid+w; l++ {
			taken[l] = true
		}
		p := s.Port(e)
		p.LID, p.LMC = units.LID(lid), uint8(bits.TrailingZeros(uint(w)))
		return true
	}
	var rest []End
	for _, e := range order {
		if !give(e, int(known[s.Port(e).GUID]), width(e)) {
			rest = append(rest, e)
		}
	}
	next := map[int]int{1: 1, 1 << lmc: 1} // by width: no lower LID is free
	for _, e := range rest {
		w := width(e)
		lid := (next[w] + w - 1) / w * w
		for ; !give(e, lid, w); lid += w {
			if lid > int(units.LastUnicastLID) {
				return fmt.Errorf("the subnet has more ports than one subnet has LIDs: %d unicast LIDs (1 to %d)", units.LastUnicastLID, units.LastUnicastLID)
			}
		}
		next[w] = lid + w
	}
	return nil
}
