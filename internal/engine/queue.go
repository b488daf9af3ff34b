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

// chunkKeys is how many keys a chunk of a bucket holds: a cache line with its
// header.
const chunkKeys = 7

// chunk is a part of a bucket's events, in no order. Only the first chunk of a
// bucket may have room.
type chunk struct {
	keys [chunkKeys]uint64
	next int32 // the bucket's next chunk, or the next free one; -1 if none
	n    int32
}

// Queue is the event queue of one partition: a timing wheel whose buckets are
// sorted when they are reached, with a heap for what lies beyond the wheel. The
// zero value is not ready; use NewQueue.
type Queue struct {
	current []uint64 // the sorted keys of the bucket being handled
	pos     int      // the next of them
	start   units.Time
	now     units.Time
	lastKey uint64

	heads  []int32 // by slot: the bucket's first chunk, -1 if empty
	chunks []chunk
	free   int32    // the list of free chunks
	words  []uint64 // a bit per slot that is not empty
	sums   []uint64 // a bit per word that is not zero

	bucket  int64 // number of the bucket being handled
	mask    int64 // slots - 1
	width   uint  // log2 of a bucket's width in picoseconds
	inWheel int
	far     Heap[farEvent, *farEvent]
}

// NewQueue makes a queue whose wheel has 2^slotsLog2 buckets of 2^widthLog2
// picoseconds. Both affect speed only, never the order. It panics on values
// outside 6..24 and 0..27, which only code can choose.
func NewQueue(widthLog2, slotsLog2 uint) *Queue {
	if widthLog2 > maxWidth || slotsLog2 < 6 || slotsLog2 > 24 {
		panic(fmt.Sprintf("engine: wheel of 2^%d buckets of 2^%d ps is out of bounds", slotsLog2, widthLog2))
	}
	slots := 1 << slotsLog2
	q := &Queue{
		heads: make([]int32, slots),
		words: make([]uint64, slots/64),
		sums:  make([]uint64, (slots/64+63)/64),
		free:  -1,
		mask:  int64(slots - 1),
		width: widthLog2,
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
	if d > 0 && d <= q.mask {
		q.put(b&q.mask, key)
		return
	}
	if d > 0 {
		q.far.Push(farEvent{t, class, source})
		return
	}
	q.insertCurrent(t, key)
}

// put adds a key to a slot.
func (q *Queue) put(slot int64, key uint64) {
	q.inWheel++
	if i := q.heads[slot]; i >= 0 {
		if c := &q.chunks[i]; c.n < chunkKeys {
			c.keys[c.n] = key
			c.n++
			return
		}
	}
	q.putFirst(slot, key)
}

// putFirst adds a key to a slot that has no chunk with room.
func (q *Queue) putFirst(slot int64, key uint64) {
	i := q.free
	if i < 0 {
		i = int32(len(q.chunks))
		q.chunks = append(q.chunks, chunk{})
	} else {
		q.free = q.chunks[i].next
	}
	c := &q.chunks[i]
	c.keys[0], c.n, c.next = key, 1, q.heads[slot]
	q.heads[slot] = i
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
		for i := q.heads[slot]; i >= 0; i = q.chunks[i].next {
			for _, key := range q.chunks[i].keys[:q.chunks[i].n] {
				next = min(next, units.Time(bucket)<<q.width+units.Time(key>>offsetShift))
			}
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
	q.collect(next & q.mask)
	if len(q.far) > 0 {
		q.refill()
	}
	sortKeys(q.current)
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
// empty, and its slot.
func (q *Queue) nextInWheel() (bucket, slot int64) {
	from := (q.bucket + 1) & q.mask
	slot = q.scan(from)
	return q.bucket + 1 + (slot-from)&q.mask, slot
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

// collect empties a slot into current.
func (q *Queue) collect(slot int64) {
	i := q.heads[slot]
	if i < 0 {
		return // the bucket's events come from the heap
	}
	for i >= 0 {
		c := &q.chunks[i]
		q.current = append(q.current, c.keys[:]...)[:len(q.current)+int(c.n)]
		next := c.next
		c.next, q.free = q.free, i
		i = next
	}
	q.inWheel -= len(q.current)
	q.heads[slot] = -1
	q.words[slot>>6] &^= 1 << (slot & 63)
	if q.words[slot>>6] == 0 {
		q.sums[slot>>12] &^= 1 << (slot >> 6 & 63)
	}
}

// refill moves what has come within the wheel's reach from the heap.
func (q *Queue) refill() {
	for len(q.far) > 0 {
		e := &q.far[0]
		b := int64(e.time) >> q.width
		if b-q.bucket > q.mask {
			return
		}
		key := uint64(e.time&(1<<q.width-1))<<offsetShift | uint64(e.class)<<classShift | uint64(e.source)
		if b == q.bucket {
			q.current = append(q.current, key)
		} else {
			q.put(b&q.mask, key)
		}
		q.far.Pop()
	}
}

// sortKeys sorts a bucket. Most hold a handful of keys, in no order that the
// processor could predict: so the insertion passes each key through all those
// before it, without a branch that depends on them.
func sortKeys(k []uint64) {
	if len(k) > 40 {
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
