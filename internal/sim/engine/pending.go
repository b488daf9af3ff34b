package engine

import (
	"cmp"
	"math/bits"
	"slices"

	"weft/units"
)

// Waiting is a pending event of a queue.
type Waiting struct {
	Event
	Cell int // its cell; 0 in a Queue
}

// order sorts events by time, class and source.
func order(all []Waiting) {
	slices.SortFunc(all, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Source, b.Source))
	})
}

// event is the event of a key in the bucket that begins at start.
func (s *span) event(start units.Time, key uint64) Event {
	return Event{Time: start + s.offset(key), Class: s.class(key), Source: key & s.mask}
}

// Pending appends the pending events to all, in their order.
func (q *Queue) Pending(all []Waiting) []Waiting {
	first := len(all)
	for _, key := range q.keys[q.pos:] {
		all = append(all, Waiting{Event: q.event(q.start, key)})
	}
	for d := int64(1); d <= q.reach && q.inWheel > 0; d++ {
		bucket := q.number + d
		if q.words[(bucket&q.reach)>>6] == 0 && bucket&63 == 0 {
			d += 63
			continue
		}
		all = q.pending(all, q.slots[bucket&q.reach], units.Time(bucket)<<q.width, 0, &q.span)
	}
	for i := range q.far {
		e := &q.far[i]
		all = append(all, Waiting{Event: Event{Time: e.time, Class: e.class, Source: e.source}})
	}
	order(all[first:])
	return all
}

// pending appends the events of a list of a bucket.
func (l *lists) pending(all []Waiting, list uint32, start units.Time, cell int, s *span) []Waiting {
	for key := range l.each(list) {
		all = append(all, Waiting{Event: s.event(start, key), Cell: cell})
	}
	return all
}

// Restart replaces the pending events by others, none of them before now.
func (q *Queue) Restart(now units.Time, all []Waiting) {
	*q = *NewQueue(q.width, uint(bits.Len64(uint64(q.reach))))
	q.number = int64(now) >> q.width
	q.start = units.Time(q.number) << q.width
	for _, e := range all {
		q.Push(e.Time, e.Class, e.Source)
	}
}

// Pending appends the pending events of all cells to all, in their order. No cell may be open.
func (q *Cells) Pending(all []Waiting) []Waiting {
	first := len(all)
	for bucket := q.slot; bucket <= q.slot+q.reach; bucket++ {
		s := int(bucket & q.reach)
		for cell := q.nextMarked(s, 0); cell >= 0; cell = q.nextMarked(s, cell+1) {
			all = q.pending(all, q.events[s*q.cells+cell], units.Time(bucket)<<q.width, cell, &q.span)
		}
	}
	for i := range q.far {
		e := &q.far[i]
		all = append(all, Waiting{Event{Time: e.time, Class: e.class, Source: e.source}, e.cell})
	}
	order(all[first:])
	return all
}

// Restart replaces the pending events by others, none of them before now. No cell may be open.
func (q *Cells) Restart(now units.Time, all []Waiting) {
	*q = *NewCells(q.cells, q.width, uint(bits.Len64(uint64(q.reach))))
	q.slot = int64(now) >> q.width
	q.floor, q.ahead = q.slot, uint64(q.reach)+1
	for _, e := range all {
		q.Push(e.Cell, e.Time, e.Class, e.Source)
	}
}
