package tcp

import "slices"

// span is the bytes of a stream from start up to end.
type span struct{ start, end uint64 }

// spans are the bytes that a receiver has out of order: sorted, disjoint, few.
type spans []span

// add inserts the bytes of s and returns the span that now contains them. fresh is false if all of
// them were there. It refuses (ok is false) to keep more than maxSpans.
func (p *spans) add(s span) (whole span, fresh, ok bool) {
	q := *p
	// i is the first span that s touches or precedes.
	i := len(q)
	for i > 0 && q[i-1].end >= s.start {
		i--
	}
	if i < len(q) && q[i].start <= s.start && s.end <= q[i].end {
		return q[i], false, true
	}
	j := i
	for j < len(q) && q[j].start <= s.end {
		s = span{min(s.start, q[j].start), max(s.end, q[j].end)}
		j++
	}
	if i == j && len(q) >= maxSpans {
		return span{}, false, false
	}
	*p = slices.Replace(q, i, j, s)
	return s, true, true
}

// absorb removes spans that begin at or before next and returns the first byte that is then
// missing.
func (p *spans) absorb(next uint64) uint64 {
	q := *p
	n := 0
	for n < len(q) && q[n].start <= next {
		next = max(next, q[n].end)
		n++
	}
	*p = slices.Delete(q, 0, n)
	return next
}
