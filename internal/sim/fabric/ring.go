package fabric

// ring is a queue of flows.
type ring struct {
	slots []*flow // a power of two
	head  uint32
	n     uint32
}

func (r *ring) push(f *flow) {
	if int(r.n) == len(r.slots) {
		bigger := make([]*flow, max(4, 2*len(r.slots)))
		for i := range r.n {
			bigger[i] = r.slots[(r.head+i)&uint32(len(r.slots)-1)]
		}
		r.slots, r.head = bigger, 0
	}
	r.slots[(r.head+r.n)&uint32(len(r.slots)-1)] = f
	r.n++
}

// at is the place of a flow, counted from the end: 1 is the last.
func (r *ring) at(fromEnd uint32) **flow {
	return &r.slots[(r.head+r.n-fromEnd)&uint32(len(r.slots)-1)]
}

// beforeLast is the flow before the last; there must be two.
func (r *ring) beforeLast() *flow { return *r.at(2) }

// swapLast swaps the last two flows.
func (r *ring) swapLast() {
	last, before := r.at(1), r.at(2)
	*last, *before = *before, *last
}

// first is the flow that pop would take.
func (r *ring) first() *flow { return r.slots[r.head&uint32(len(r.slots)-1)] }

func (r *ring) pop() *flow {
	f := r.first()
	r.head++
	r.n--
	return f
}
