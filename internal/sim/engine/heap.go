package engine

// Before is the order of a Heap: a total order, so that a Heap returns its elements in one sequence
// only.
type Before[T any] interface {
	*T
	Before(*T) bool
}

// Heap is a binary heap of values, the first in their order at index 0.
type Heap[T any, P Before[T]] []T

// Elements are compared in place: with the address of an element outside the slice, each call would
// allocate.

// Push adds an element.
func (h *Heap[T, P]) Push(e T) {
	s := append(*h, e)
	for i := len(s) - 1; i > 0; {
		parent := (i - 1) / 2
		if !P(&s[i]).Before(&s[parent]) {
			break
		}
		s[i], s[parent] = s[parent], s[i]
		i = parent
	}
	*h = s
}

// Pop removes and returns the first element, of which there must be one.
func (h *Heap[T, P]) Pop() T {
	var zero T
	s := *h
	last := len(s) - 1
	top := s[0]
	i := 0
	for {
		c := 2*i + 1
		if c >= last {
			break
		}
		if c+1 < last && P(&s[c+1]).Before(&s[c]) {
			c++
		}
		if !P(&s[c]).Before(&s[last]) {
			break
		}
		s[i] = s[c]
		i = c
	}
	s[i] = s[last]
	s[last] = zero // holds on to nothing
	*h = s[:last]
	return top
}
