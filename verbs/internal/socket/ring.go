package socket

// ring is a queue of endpoints that grows.
type ring struct {
	items      []*Endpoint
	head, size int
}

func (r *ring) push(e *Endpoint) {
	if r.size == len(r.items) {
		bigger := make([]*Endpoint, max(16, 2*r.size))
		n := copy(bigger, r.items[r.head:])
		copy(bigger[n:], r.items[:r.head])
		r.items, r.head = bigger, 0
	}
	r.items[(r.head+r.size)%len(r.items)] = e
	r.size++
}

func (r *ring) pop() *Endpoint {
	e := r.items[r.head]
	r.items[r.head] = nil
	r.head = (r.head + 1) % len(r.items)
	r.size--
	return e
}
