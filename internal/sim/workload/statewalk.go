package workload

import (
	"weft/internal/sim/state"
	"weft/units"
)

// Walk visits a rank's progress in its list of operations. In two equal states a rank may be at different
// places of its list, so operations are numbers of the group ops. spans are the times of the operations.
//
// For each operation from the first that is not over on, the walk visits whether it has begun and
// whether it is over. The rest follows from their dependencies, which the caller compares.
func (p *Progress) Walk(w *state.Walk, ops state.Group, spans []Span) {
	low, high := p.Window(spans)
	w.Number(ops, uint64(low), 63)
	w.Word(uint64(high - low))
	for i := low; i < high; i++ {
		began, over := uint64(spans[i].Begin>>63), uint64(spans[i].End>>63)
		w.Word(began<<1 ^ over)
	}
	for i := range p.units {
		u := &p.units[i]
		w.Visit(&u.busy)
		w.Word(uint64(len(u.due)))
		for k := range u.due {
			op := uint64(u.due[k])
			w.Moved(ops, &op)
			u.due[k] = turn(op)
		}
	}
}

// Window is the range of operations in progress: from the first that is not over to the last that waits
// for no other operation.
func (p *Progress) Window(spans []Span) (low, high int) {
	for p.low < len(spans) && spans[p.low].End >= 0 {
		p.low++
	}
	return p.low, max(p.low, p.high)
}

// Dependents calls f with the operations that wait for an operation, in the order in which they begin.
func (p *Progress) Dependents(op int32, f func(after int32)) {
	for e := p.heads[op]; e >= 0; e = p.next[e] {
		f(p.to[e])
	}
}

// EndSkipped marks an operation as over that a skipped period has ended. Over would begin the operations
// that waited for it; those of a skipped period are known to have begun.
func (p *Progress) EndSkipped(op int32) {
	p.running--
	p.Dependents(op, func(after int32) { p.waits[after]-- })
}

// SetWindowEnd sets the end of the window after skipped periods: operations from it on wait for others.
func (p *Progress) SetWindowEnd(high int) { p.high = high }

// Walk visits the computation under way, and the multiprocessors that communication has taken from it.
// Operations are numbers of the group ops. The counts of foreseen ends are numbers of the group turns.
func (c *Contention) Walk(w *state.Walk, ops, turns state.Group) {
	w.Word(uint64(c.taken))
	turn := uint64(c.turn)
	w.Moved(turns, &turn)
	c.turn = uint32(turn)
	if c.op < 0 {
		w.Word(0)
		return
	}
	w.Word(1)
	op := uint64(c.op)
	w.Moved(ops, &op)
	c.op = int32(op)
	w.Word(uint64(c.left))
	w.Past(&c.since)
}

// Repeated is a range of a rank's operations in skipped periods. Each repeats the operation By places
// before it, a Period later.
type Repeated struct {
	From, To int // operations
	By       int
	Period   units.Time
	Until    units.Time // end of the skipped periods: later begins and ends do not belong to them
}

// Repeat gives the operations of skipped periods their times. It calls began with those that begin in
// them, and over with those that end in them.
func (t *Timeline) Repeat(rank int, r Repeated, began, over func(op int32)) {
	spans := t.Spans[rank]
	for i := r.From; i < r.To; i++ {
		s, before := &spans[i], &spans[i-r.By]
		if at := before.Begin + r.Period; s.Begin < 0 && before.Begin >= 0 && at < r.Until {
			t.Began(rank, int32(i), at)
			began(int32(i))
		}
		if at := before.End + r.Period; s.End < 0 && before.End >= 0 && at < r.Until {
			t.Over(rank, int32(i), at)
			over(int32(i))
		}
	}
}
