package workload

import (
	"weft/internal/sim/state"
	"weft/units"
)

// Walk visits a rank's progress. Its operations are numbers of a group: between equal states the rank has
// moved on in its list. spans are the times of its operations.
//
// What has begun and what is over says all of the operations from the first that is not over on, if they
// depend on each other as those of the other state do.
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

// Window is the operations that are not over, up to the last that waits for nothing else.
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

// Skip marks an operation as over, after which the operations that may begin are known.
func (p *Progress) Skip(op int32) {
	p.running--
	p.Dependents(op, func(after int32) { p.waits[after]-- })
}

// Skipped says that operations from an index on wait for others.
func (p *Progress) Skipped(high int) { p.high = high }

// Walk visits what a rank's computation has lost. Its operations are numbers of the group ops, and the ends
// that were foreseen of the group turns.
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

// Repeated is a stretch of a rank's operations that repeats those before it.
type Repeated struct {
	From, To int        // operations
	By       int        // places to the operation that is repeated
	Period   units.Time // which has begun and ended so much earlier
	Until    units.Time // later begins and ends do not belong to it
}

// Repeat gives the operations of a stretch their times, and calls began and over with those that begin and end.
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
