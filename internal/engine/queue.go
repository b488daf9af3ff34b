package engine

import (
	"fmt"
	"math/bits"
	"slices"

	"weft/units"
)

// Class orders the events of one instant; lower classes first.
type Class uint8

// MaxClass is the largest class that fits a key.
const MaxClass Class = 15

// Event is what a Queue gives out.
type Event struct {
	Time   units.Time
	Source uint32
	Class  Class
}

// A key orders the events of one bucket: the offset of the time in the bucket
// (28 bits), the class (4 bits), the source (32 bits).
const (
	classShift  = 32
	offsetShift = 36
	maxWidth    = 63 - offsetShift
)

// groupLog2 is log2 of the slots of a bucket. A slot holds few events, which
// makes sorting cheap; a bucket holds enough of them for a handler to look
// ahead.
const groupLog2 = 3

type node struct {
	key  uint64
	next int32
}

// Queue is the event queue of one partition: a timing wheel of slots, each a
// list that is sorted when its turn comes, with a heap for what lies beyond the
// wheel. Slots are handled in buckets of a few neighbours. The zero value is not
// ready; use NewQueue.
type Queue struct {
	current []uint64 // the sorted keys of the bucket being handled
	pos     int      // the next of them
	start   units.Time
	now     units.Time
	lastKey uint64

	heads []int32  // by slot: the bucket's list, -1 if empty
	nodes []node   // the lists' elements
	free  int32    // the free list of nodes
	words []uint64 // a bit per slot that is not empty
	sums  []uint64 // a bit per word that is not zero

	bucket  int64 // number of the bucket being handled
	mask    int64 // slots - 1
	reach   int64 // buckets that the wheel holds after the one being handled
	width   uint  // log2 of a bucket's width in picoseconds
	inWheel int
	far     farHeap
}

// NewQueue makes a queue whose wheel has 2^slotsLog2 slots of 2^widthLog2
// picoseconds. Both affect speed only, never the order. It panics on values
// outside 6..24 and 0..24, which only code can choose.
func NewQueue(widthLog2, slotsLog2 uint) *Queue {
	if widthLog2+groupLog2 > maxWidth || slotsLog2 < 6 || slotsLog2 > 24 {
		panic(fmt.Sprintf("engine: wheel of 2^%d slots of 2^%d ps is out of bounds", slotsLog2, widthLog2))
	}
	slots := 1 << slotsLog2
	q := &Queue{
		heads: make([]int32, slots),
		words: make([]uint64, slots/64),
		sums:  make([]uint64, (slots/64+63)/64),
		free:  -1,
		mask:  int64(slots - 1),
		reach: int64(slots>>groupLog2 - 1),
		width: widthLog2 + groupLog2,
	}
	for i := range q.heads {
		q.heads[i] = -1
	}
	return q
}

// Now is the time of the last event that Pop gave out.
func (q *Queue) Now() units.Time { return q.now }

// Len is the number of events that wait.
func (q *Queue) Len() int { return len(q.current) - q.pos + q.inWheel + len(q.far) }

// Push adds an event. It must come after the event being handled in the order
// of the package; an event in the past is a fault of the caller and panics.
func (q *Queue) Push(t units.Time, class Class, source uint32) {
	b := int64(t) >> q.width
	d := b - q.bucket
	key := uint64(t&(1<<q.width-1))<<offsetShift | uint64(class)<<classShift | uint64(source)
	if d > 0 && d <= q.reach {
		q.link(q.slot(t), key)
		return
	}
	if d > 0 {
		q.far.push(farEvent{t, class, source})
		return
	}
	q.insertCurrent(t, key)
}

// slot is where the wheel holds a time.
func (q *Queue) slot(t units.Time) int64 { return int64(t) >> (q.width - groupLog2) & q.mask }

// link puts a key on the list of a slot.
func (q *Queue) link(slot int64, key uint64) {
	n := q.free
	if n < 0 {
		n = int32(len(q.nodes))
		q.nodes = append(q.nodes, node{})
	} else {
		q.free = q.nodes[n].next
	}
	q.nodes[n] = node{key, q.heads[slot]}
	q.heads[slot] = n
	q.inWheel++
	q.words[slot>>6] |= 1 << (slot & 63)
	q.sums[slot>>12] |= 1 << (slot >> 6 & 63)
}

// insertCurrent puts a key in its place in the bucket being handled.
func (q *Queue) insertCurrent(t units.Time, key uint64) {
	if t < q.now || t < q.start || (t == q.now && key <= q.lastKey) {
		panic(fmt.Sprintf("engine: event at %d ps (class %d, source %d) pushed at %d ps: not after the event being handled, or before the bucket at %d",
			t, key>>classShift&0xf, uint32(key), q.now, q.start))
	}
	q.current = append(q.current, key)
	i := len(q.current) - 1
	if i-q.pos > 16 { // traffic in lockstep
		at, _ := slices.BinarySearch(q.current[q.pos:i], key)
		copy(q.current[q.pos+at+1:], q.current[q.pos+at:i])
		q.current[q.pos+at] = key
		return
	}
	for ; i > q.pos && q.current[i-1] > key; i-- {
		q.current[i] = q.current[i-1]
	}
	q.current[i] = key
}

// Pop gives out the next event if it is earlier than limit.
func (q *Queue) Pop(limit units.Time, e *Event) bool {
	if q.pos == len(q.current) && !q.advance(limit) {
		return false
	}
	key := q.current[q.pos]
	t := q.start + units.Time(key>>offsetShift)
	if t >= limit {
		return false
	}
	q.pos++
	q.now, q.lastKey = t, key
	e.Time, e.Source, e.Class = t, uint32(key), Class(key>>classShift&0xf)
	return true
}

// MoreNow reports whether another event waits at the instant of the last one.
func (q *Queue) MoreNow() bool {
	return q.pos < len(q.current) && q.current[q.pos]>>offsetShift == q.lastKey>>offsetShift
}

// Fresh reports whether the last event was the first of its bucket. A handler
// may then look at what all events of the bucket need, so that the waits for
// memory overlap.
func (q *Queue) Fresh() bool { return q.pos == 1 }

// Bucket is how many events are left in the bucket being handled, from the last
// one given out on, and Peek is the i-th of them.
func (q *Queue) Bucket() int { return len(q.current) - q.pos + 1 }

// Peek gives class and source of the i-th event of Bucket.
func (q *Queue) Peek(i int) (Class, uint32) {
	key := q.current[q.pos-1+i]
	return Class(key >> classShift & 0xf), uint32(key)
}

// NextTime is the time of the next event, units.Forever if none waits. It moves
// nothing: events that come before it may still be pushed.
func (q *Queue) NextTime() units.Time {
	if q.pos < len(q.current) {
		return q.start + units.Time(q.current[q.pos]>>offsetShift)
	}
	next := units.Forever
	if len(q.far) > 0 {
		next = q.far[0].time
	}
	if q.inWheel > 0 {
		bucket, slot := q.nextInWheel()
		for n := q.heads[slot]; n >= 0; n = q.nodes[n].next {
			next = min(next, units.Time(bucket)<<q.width+units.Time(q.nodes[n].key>>offsetShift))
		}
	}
	return next
}

// advance goes on to the next bucket that holds something, unless that bucket
// begins at or after limit: then later pushes may still come before it.
func (q *Queue) advance(limit units.Time) bool {
	next := q.nextBucket()
	if next < 0 || units.Time(next)<<q.width >= limit {
		return false
	}
	q.bucket = next
	q.start = units.Time(next) << q.width
	q.current = q.current[:0]
	q.pos = 0
	q.collect(next << groupLog2 & q.mask)
	if len(q.far) > 0 {
		q.refill()
	}
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

// nextInWheel is the next bucket with an event in the wheel, which is not
// empty, and the first slot of it that is not.
func (q *Queue) nextInWheel() (bucket, slot int64) {
	from := (q.bucket + 1) << groupLog2 & q.mask
	slot = q.scan(from)
	return q.bucket + 1 + (slot-from)&q.mask>>groupLog2, slot
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

// collect empties the slots of a bucket into current, in order.
func (q *Queue) collect(first int64) {
	word := &q.words[first>>6]
	full := *word >> (first & 63) & (1<<(1<<groupLog2) - 1)
	if full == 0 {
		return // the bucket's events come from the heap
	}
	*word &^= full << (first & 63)
	if *word == 0 {
		q.sums[first>>12] &^= 1 << (first >> 6 & 63)
	}
	for ; full != 0; full &= full - 1 {
		slot := first + int64(bits.TrailingZeros64(full))
		from := len(q.current)
		for n := q.heads[slot]; n >= 0; {
			e := &q.nodes[n]
			q.current = append(q.current, e.key)
			next := e.next
			e.next, q.free = q.free, n
			n = next
		}
		q.heads[slot] = -1
		sortKeys(q.current[from:])
	}
	q.inWheel -= len(q.current)
}

// refill moves what has come within the wheel's reach from the heap.
func (q *Queue) refill() {
	sorted := len(q.current)
	for len(q.far) > 0 {
		e := &q.far[0]
		b := int64(e.time) >> q.width
		if b-q.bucket > q.reach {
			break
		}
		key := uint64(e.time&(1<<q.width-1))<<offsetShift | uint64(e.class)<<classShift | uint64(e.source)
		if b == q.bucket {
			q.current = append(q.current, key)
		} else {
			q.link(q.slot(e.time), key)
		}
		q.far.pop()
	}
	if len(q.current) > sorted {
		sortKeys(q.current)
	}
}

// sortKeys sorts a slot. Most hold a handful of keys, in no order that the
// processor could predict: so the insertion passes each key through all those
// before it, without a branch that depends on them.
func sortKeys(k []uint64) {
	if len(k) > 24 {
		slices.Sort(k)
		return
	}
	for i := 1; i < len(k); i++ {
		x := k[i]
		for j := range k[:i] {
			y := k[j]
			k[j] = min(x, y)
			x = max(x, y)
		}
		k[i] = x
	}
}
