package sm

import (
	"maps"
	"slices"

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
	shared   func(own units.GUID, use func(map[units.LID]units.GUID))
}

// assign gives every end port of a subnet its LID. at is the index into nodes, by node of the
// subnet.
func (b *lidBook) assign(s *subnet.Subnet, at []int32) error {
	known := b.known(s, at)
	if b.shared == nil {
		return b.give(s, known, nil)
	}
	var err error
	b.shared(b.guid, func(owner map[units.LID]units.GUID) { err = b.give(s, known, owner) })
	return err
}

// give gives out the LIDs. owner is those of the ports of all planes: a port keeps what another plane gave it, and no LID
// is given out twice.
func (b *lidBook) give(s *subnet.Subnet, known map[units.GUID]units.LID, owner map[units.LID]units.GUID) error {
	here := map[units.GUID]bool{}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			here[s.Nodes[i].Ports[p].GUID] = true
		}
	}
	var others, own []units.LID
	for lid, guid := range owner {
		if here[guid] {
			own = append(own, lid)
		} else {
			others = append(others, lid)
		}
	}
	slices.Sort(own)
	for _, lid := range slices.Backward(own) { // the first of a port's LIDs is the last here
		known[owner[lid]] = lid
		delete(owner, lid)
	}
	if err := s.AssignLIDsKeeping(b.lmc, known, others...); err != nil {
		return err
	}
	if owner != nil {
		for lid, e := range s.Owners() {
			if e.Exists() {
				owner[units.LID(lid)] = s.Port(e).GUID
			}
		}
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
