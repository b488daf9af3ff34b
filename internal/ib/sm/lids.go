package sm

import (
	"maps"

	"weft/internal/ib/subnet"
	"weft/units"
)

// lidBook is the LIDs of all end ports ever discovered, by port GUID. Ports keep them over sweeps,
// and over restarts of the manager.
type lidBook struct {
	*outbox
	*fabric
	lids     map[units.GUID]units.LID
	lmc      uint8
	reassign bool // ports lose LIDs that are not in the book
}

// assign gives every end port of a subnet its LID. at is the index into nodes, by node of the
// subnet.
func (b *lidBook) assign(s *subnet.Subnet, at []int32) error {
	known := b.known(s, at)
	if err := s.AssignLIDsKeeping(b.lmc, known); err != nil {
		return err
	}
	b.tellOfLost(known, s)
	return nil
}

// keep writes the LIDs of a subnet into the book.
func (b *lidBook) keep(s *subnet.Subnet) {
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if q := &s.Nodes[i].Ports[p]; q.LID != 0 {
				b.lids[q.GUID] = q.LID
			}
		}
	}
}

// known is the LIDs that ports should keep: the LIDs of the book first, then the LIDs that ports
// have.
func (b *lidBook) known(s *subnet.Subnet, at []int32) map[units.GUID]units.LID {
	known := maps.Clone(b.lids)
	if b.reassign {
		return known
	}
	for i := range s.Nodes {
		n := b.nodes[at[i]]
		for p := range n.ports {
			q := &n.ports[p]
			if _, given := known[q.guid]; !given && q.guid != 0 && q.have && q.info.LID != 0 {
				known[q.guid] = q.info.LID
			}
		}
	}
	return known
}

// tellOfLost reports the ports that could not keep their LIDs.
func (b *lidBook) tellOfLost(known map[units.GUID]units.LID, s *subnet.Subnet) {
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			q := &s.Nodes[i].Ports[p]
			if had := known[q.GUID]; q.LID != 0 && had != 0 && had != q.LID {
				b.event(Event{Kind: LIDNotKept, GUID: q.GUID, LID: had, Now: q.LID})
			}
		}
	}
}
