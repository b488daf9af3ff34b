package tcp

// ring is a queue in a power of two of slots. An element keeps its index, a
// count from the first one ever pushed, until it is popped.
type ring[T any] struct {
	slots      []T
	head, tail uint64
}

func (r *ring[T]) len() int { return int(r.tail - r.head) }

func (r *ring[T]) at(i uint64) *T { return &r.slots[i&uint64(len(r.slots)-1)] }

func (r *ring[T]) front() *T { return r.at(r.head) }

func (r *ring[T]) back() *T { return r.at(r.tail - 1) }

func (r *ring[T]) pop() { r.head++ }

// push appends a slot with its old content, for the caller to fill.
func (r *ring[T]) push() *T {
	if r.len() == len(r.slots) {
		r.grow()
	}
	r.tail++
	return r.back()
}

func (r *ring[T]) grow() {
	slots := make([]T, max(16, 2*len(r.slots)))
	for i := r.head; i != r.tail; i++ {
		slots[i&uint64(len(slots)-1)] = *r.at(i)
	}
	r.slots = slots
}
