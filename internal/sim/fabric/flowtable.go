package fabric

import "weft/units"

// flowBlock is how many flows of a NIC lie together. Of fewer the table of blocks would
// be larger, and with more a NIC of few flows takes more memory: 3.5 KB at least.
const flowBlock = 8

// flowTable has the flows of a NIC by number, in blocks, so that finding one reads
// nothing but the table of blocks, which stays in the processor's caches where a table
// of flows would not.
type flowTable struct {
	blocks []*[flowBlock]flow
	n      int
}

// at is the flow of a number, which must be one.
func (t *flowTable) at(q units.QPN) *flow { return &t.blocks[q/flowBlock][q%flowBlock] }

// all gives the flows in the order of their numbers.
func (t *flowTable) all(yield func(*flow) bool) {
	for i := range t.n {
		if !yield(t.at(units.QPN(i))) {
			return
		}
	}
}

// add makes room for a flow and gives its number.
func (t *flowTable) add(s *flowSlab) units.QPN {
	if t.n%flowBlock == 0 {
		t.blocks = append(t.blocks, s.block())
	}
	t.n++
	return units.QPN(t.n - 1)
}

// The bounds of how many blocks of flows a slab has: 7 KB and 3.5 MB.
const (
	minSlab = 1 << 1
	maxSlab = 1 << 10
)

// flowSlab is where blocks of flows come from: each slab is twice the last, because
// many flows are worth huge pages.
type flowSlab struct {
	room [][flowBlock]flow
	last int // how many blocks the last slab had
}

func (s *flowSlab) block() *[flowBlock]flow {
	if len(s.room) == 0 {
		s.last = min(max(minSlab, 2*s.last), maxSlab)
		s.room = makeHuge[[flowBlock]flow](s.last, s.last)
	}
	b := &s.room[0]
	s.room = s.room[1:]
	return b
}
