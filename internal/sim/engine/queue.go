package engine

import (
	"fmt"
	"math/bits"

	"weft/units"
)

// Class orders the events of the same instant; lower classes first.
type Class uint8

// MaxClass is the largest class that fits a key.
const MaxClass Class = 15

// Event is an event of a Queue.
type Event struct {
	Time   units.Time
	Source uint64
	Class  Class
	// Last is true if no other event waits at the instant.
	Last bool
}

// Queue is the event queue of one simulation partition: a timing wheel whose buckets are sorted
// when they are reached, with a heap for the events beyond the wheel. The zero value is not ready;
// use NewQueue.
type Queue struct {
	Bucket
	lists
	slots []uint32 // by slot: the list of the bucket's events
	words []uint64 // a bit per slot that is not empty
	sums  []uint64 // a bit per word that is not zero

	number  int64 // number of the bucket being handled
	reach   int64 // slots - 1
	inWheel int
	far     Heap[farEvent, *farEvent]
}

// NewQueue makes a queue whose wheel has 2^slotsLog2 buckets of 2^widthLog2
// picoseconds. Both affect speed only, never the order; but sources have no more
// than SourceBits(widthLog2) bits. It panics on values outside 6..24 and 1..28,
// which only code can choose.
func NewQueue(widthLog2, slotsLog2 uint) *Queue {
	if widthLog2 < 1 || widthLog2 > maxWidth || slotsLog2 < 6 || slotsLog2 > 24 {
		panic(fmt.Sprintf("engine: wheel of 2^%d buckets of 2^%d ps is out of bounds", slotsLog2, widthLog2))
	}
	slots := 1 << slotsLog2
	q := &Queue{
		Bucket: Bucket{span: newSpan(widthLog2)},

		slots: make([]uint32, slots),
		words: make([]uint64, slots/64),
		sums:  make([]uint64, (slots/64+63)/64),
		lists: newLists(),
		reach: int64(slots - 1),
	}
	for i := range q.slots {
		q.slots[i] = emptyKeys
	}
	return q
}

// Len is the number of pending events.
func (q *Queue) Len() int { return len(q.keys) - q.pos + q.inWheel + len(q.far) }

// Push adds an event. In the order of the package, it must come after the event being handled; an
// event in the past is an error of the caller and panics.
func (q *Queue) Push(t units.Time, class Class, source uint64) {
	b := int64(t) >> (q.width & 63)
	d := b - q.number
	key := q.keyOf(t, class, source)
	switch {
	case d > q.reach:
		q.far.Push(farEvent{t, class, source})
	case d > 0:
		q.put(b&q.reach, key)
	case d == 0:
		q.insert(key)
	default:
		panic(fmt.Sprintf("engine: event at %d ps (class %d, source %d) pushed before the bucket at %d", t, class, source, q.start))
	}
}

// put adds a key to a slot.
func (q *Queue) put(slot int64, key uint64) {
	q.inWheel++
	if q.slots[slot] == emptyKeys {
		q.words[slot>>6] |= 1 << (slot & 63)
		q.sums[slot>>12] |= 1 << (slot >> 6 & 63)
	}
	q.add(&q.slots[slot], key)
}

// Pop removes and returns the next event, of any bucket, if it is earlier than limit.
func (q *Queue) Pop(limit units.Time) (e Event, ok bool) {
	e, ok = q.Next(limit)
	for !ok && q.Advance(limit) {
		e, ok = q.Next(limit)
	}
	return e, ok
}

// NextTime is the time of the next event, units.Forever if none is pending. It changes nothing:
// earlier events may still be pushed.
func (q *Queue) NextTime() units.Time {
	if q.pos < len(q.keys) {
		return q.start + q.offset(q.keys[q.pos])
	}
	next := units.Forever
	if len(q.far) > 0 {
		next = q.far[0].time
	}
	if q.inWheel > 0 {
		bucket, slot := q.nextInWheel()
		next = min(next, units.Time(bucket)<<q.width+q.offset(q.least(q.slots[slot])))
	}
	return next
}

// Advance moves on to the next non-empty bucket when all events of this one are handled, unless
// that bucket begins at or after limit: then later pushes may still precede it. Next returns its
// events. A caller that does not need buckets uses Pop.
func (q *Queue) Advance(limit units.Time) bool {
	if q.pos < len(q.keys) {
		return false
	}
	next := q.nextBucket()
	if next < 0 || units.Time(next)<<q.width >= limit {
		return false
	}
	q.number = next
	q.start = units.Time(next) << q.width
	q.keys = q.keys[:0]
	q.pos, q.after = 0, 0
	q.collect(next & q.reach)
	if len(q.far) > 0 {
		q.refill()
	}
	sortKeys(q.keys)
	return true
}

// nextBucket is the number of the next bucket with an event, or -1.
func (q *Queue) nextBucket() int64 {
	next := int64(-1)
	if q.inWheel > 0 {
		next, _ = q.nextInWheel()
	}
	if len(q.far) > 0 {
		if b := int64(q.far[0].time) >> q.width; next < 0 || b < next {
			next = b
		}
	}
	return next
}

// nextInWheel is the next bucket with an event in the wheel, which must not be empty, and its slot.
func (q *Queue) nextInWheel() (bucket, slot int64) {
	from := (q.number + 1) & q.reach
	slot = q.scan(from)
	return q.number + 1 + (slot-from)&q.reach, slot
}

// scan finds the first slot that is not empty from slot on, around the wheel.
func (q *Queue) scan(slot int64) int64 {
	w := slot >> 6
	if rest := q.words[w] >> (slot & 63); rest != 0 {
		return slot + int64(bits.TrailingZeros64(rest))
	}
	w++
	for range len(q.sums) + 1 {
		if w >= int64(len(q.words)) {
			w = 0
		}
		if rest := q.sums[w>>6] >> (w & 63); rest != 0 {
			w += int64(bits.TrailingZeros64(rest))
			return w<<6 + int64(bits.TrailingZeros64(q.words[w]))
		}
		w = (w>>6 + 1) << 6
	}
	panic("engine: the wheel's count and its bits disagree")
}

// collect moves the events of a slot into the bucket being handled.
func (q *Queue) collect(slot int64) {
	if q.slots[slot] == emptyKeys {
		return // the bucket's events come from the heap
	}
	q.keys = q.take(&q.slots[slot], q.keys)
	q.inWheel -= len(q.keys)
	q.words[slot>>6] &^= 1 << (slot & 63)
	if q.words[slot>>6] == 0 {
		q.sums[slot>>12] &^= 1 << (slot >> 6 & 63)
	}
}

// refill moves the events that are now within the wheel's reach from the heap.
func (q *Queue) refill() {
	for len(q.far) > 0 {
		e := &q.far[0]
		b := int64(e.time) >> q.width
		if b-q.number > q.reach {
			return
		}
		key := q.keyOf(e.time, e.class, e.source)
		if b == q.number {
			q.keys = append(q.keys, key)
		} else {
			q.put(b&q.reach, key)
		}
		q.far.Pop()
	}
}
