package proof

import "math/bits"

// farAway is the distance without a path.
const farAway = ^uint16(0)

// distances is the least number of cables from each switch to 64 destination switches. One
// breadth-first search serves all 64, with a bit per destination (Then et al., "The more the
// merrier: efficient multi-source graph traversal", 2014).
type distances struct {
	to               []uint16 // by destination, then by switch
	seen, now, later []uint64
}

func newDistances(n *network) *distances {
	s := len(n.sw)
	return &distances{
		to:   make([]uint16, block*s),
		seen: make([]uint64, s), now: make([]uint64, s), later: make([]uint64, s),
	}
}

// search computes the distances to the roots; a root of -1 is skipped.
func (d *distances) search(n *network, roots *[block]int32) {
	s := len(n.sw)
	for i := range d.to {
		d.to[i] = farAway
	}
	clear(d.seen)
	clear(d.now)
	for l, r := range roots {
		if r >= 0 {
			d.now[r] |= 1 << l
			d.seen[r] |= 1 << l
			d.to[l*s+int(r)] = 0
		}
	}
	for hop, more := uint16(1), true; more; hop++ {
		clear(d.later)
		for u, b := range d.now {
			if b == 0 {
				continue
			}
			for _, v := range n.neighbours[u] {
				d.later[v] |= b
			}
		}
		more = false
		for u := range d.later {
			fresh := d.later[u] &^ d.seen[u]
			d.later[u] = fresh
			if fresh == 0 {
				continue
			}
			more = true
			d.seen[u] |= fresh
			for ; fresh != 0; fresh &= fresh - 1 {
				d.to[bits.TrailingZeros64(fresh)*s+u] = hop
			}
		}
		d.now, d.later = d.later, d.now
	}
}

// of is the distance from each switch to the l-th destination.
func (d *distances) of(l int) []uint16 {
	s := len(d.now)
	return d.to[l*s : (l+1)*s]
}
