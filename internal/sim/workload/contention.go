package workload

import "weft/units"

// Contention is what a rank's computation loses to communication beside it: each of a kernel's thread
// blocks has a multiprocessor to itself while it runs, also while it waits for other ranks (NCCL
// issues 689 and 1656). A computation that has some of the multiprocessors has as much of its rate.
// At most one computation is under way at a time.
type Contention struct {
	all, taken int64      // multiprocessors; all is 0 if communication takes none
	op         int32      // the computation under way, or -1
	left       units.Time // of it, if it had all multiprocessors
	since      units.Time // the time at which that was left
	turn       uint32     // the number of ends that were foreseen
}

// NewContention is the contention of each rank of a graph.
func NewContention(g *Graph) []Contention {
	list := make([]Contention, len(g.Ranks))
	for i := range list {
		list[i] = Contention{all: int64(g.Multiprocessors), op: -1}
	}
	return list
}

// End is the time at which a computation ends unless communication begins or ends before. If it does,
// Turn has changed, and another end holds.
type End struct {
	At   units.Time
	Op   int32
	Turn uint32
}

// Begin begins an operation. ok reports whether there is a computation with a new end.
func (c *Contention) Begin(o *Op, op int32, now units.Time) (e End, ok bool) {
	switch {
	case o.Kind == Compute && c.all == 0:
		return End{now + o.Time, op, 0}, true
	case o.Kind == Compute:
		c.op, c.left, c.since = op, o.Time, now
		return c.foresee(), true
	}
	return c.take(int64(o.Blocks), now)
}

// Holds reports whether a foreseen end still holds.
func (c *Contention) Holds(turn uint32) bool { return c.all == 0 || turn == c.turn }

// Over ends an operation. ok reports whether there is a computation with a new end.
func (c *Contention) Over(o *Op, now units.Time) (e End, ok bool) {
	if o.Kind == Compute {
		c.op = -1
		return End{}, false
	}
	return c.take(-int64(o.Blocks), now)
}

// take changes the number of multiprocessors that communication has.
func (c *Contention) take(blocks int64, now units.Time) (e End, ok bool) {
	if c.all == 0 || blocks == 0 {
		return End{}, false
	}
	if c.op >= 0 {
		c.left -= (now - c.since) * units.Time(c.free()) / units.Time(c.all)
		c.since = now
	}
	c.taken += blocks
	if c.op < 0 {
		return End{}, false
	}
	return c.foresee(), true
}

// free is the number of multiprocessors that computation has: at least half of them, since the
// kernels of a computation that were begun before keep theirs.
func (c *Contention) free() int64 { return max(c.all-c.taken, (c.all+1)/2) }

func (c *Contention) foresee() End {
	c.turn++
	free := units.Time(c.free())
	return End{c.since + (max(0, c.left)*units.Time(c.all)+free-1)/free, c.op, c.turn}
}
