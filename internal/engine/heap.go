package engine

// Before is what a Heap orders by: a total order, so that it gives its elements
// out in one way only.
type Before[T any] interface {
	*T
	Before(*T) bool
}

// Heap is a binary heap of values, the first in their order at index 0.
type Heap[T any, P Before[T]] []T

// Push adds an element.
func (h *Heap[T, P]) Push(e T) {
	s := append(*h, e)
	i := len(s) - 1
	for i > 0 && P(&e).Before(&s[(i-1)/2]) {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = e
	*h = s
}

// Pop takes the first element, of which there must be one.
func (h *Heap[T, P]) Pop() T {
	var zero T
	s := *h
	last := len(s) - 1
	top, e := s[0], s[last]
	s[last] = zero // holds on to nothing
	s = s[:last]
	i := 0
	for {
		c := 2*i + 1
		if c >= last {
			break
		}
		if c+1 < last && P(&s[c+1]).Before(&s[c]) {
			c++
		}
		if !P(&s[c]).Before(&e) {
			break
		}
		s[i] = s[c]
		i = c
	}
	if last > 0 {
		s[i] = e
	}
	*h = s
	return top
}
