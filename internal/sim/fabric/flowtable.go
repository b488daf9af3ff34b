package fabric

import "weft/units"

// flowBlock is the number of a NIC's flows in a block. Smaller blocks would make the table of
// blocks larger; larger blocks would cost a NIC with few flows more memory: 3.5 KB is the minimum.
const flowBlock = 8

// flowTable has the flows of a NIC by number, in blocks. Finding a flow reads only the table of
// blocks, which stays in the processor's caches; a table of flows would not.
type flowTable struct {
	blocks []*[flowBlock]flow
	n      int
}

// flow is the flow with a number, which must exist.
func (t *flowTable) flow(q units.QPN) *flow { return &t.blocks[q/flowBlock][q%flowBlock] }

// all are the flows in the order of their numbers.
func (t *flowTable) all(yield func(*flow) bool) {
	for i := range t.n {
		if !yield(t.flow(units.QPN(i))) {
			return
		}
	}
}

// makeRoom makes room for a flow and returns its number.
func (t *flowTable) makeRoom(s *flowSlab) units.QPN {
	if t.n%flowBlock == 0 {
		t.blocks = append(t.blocks, s.block())
	}
	t.n++
	return units.QPN(t.n - 1)
}

// The bounds of the number of blocks in a slab: 7 KB and 3.5 MB.
const (
	minSlab = 1 << 1
	maxSlab = 1 << 10
)

// flowSlab allocates blocks of flows: each slab is twice as large as the last, because many flows
// are worth huge pages.
type flowSlab struct {
	room [][flowBlock]flow
	last int // number of blocks of the last slab
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
