package engine

import (
	"fmt"
	"slices"

	"weft/units"
)

// A key orders the events of one bucket: the offset of the time in the bucket
// (28 bits), the class (4 bits), the source (32 bits).
const (
	classShift  = 32
	offsetShift = 36
	maxWidth    = 63 - offsetShift
)

// keyOf is the key of an event in a bucket of 2^width picoseconds.
func keyOf(t units.Time, width uint, class Class, source uint32) uint64 {
	return uint64(t&(1<<(width&63)-1))<<offsetShift | uint64(class)<<classShift | uint64(source)
}

// Bucket is a stretch of time that is being handled.
type Bucket struct {
	keys    []uint64 // its events, sorted
	pos     int      // the next of them
	start   units.Time
	now     units.Time // of the last event given out
	lastKey uint64
}

// Now is the time of the last event that was given out.
func (b *Bucket) Now() units.Time { return b.now }

// MoreNow reports whether another event waits at the instant of the last one.
func (b *Bucket) MoreNow() bool {
	return b.pos < len(b.keys) && b.keys[b.pos]>>offsetShift == b.lastKey>>offsetShift
}

// Fresh reports whether the last event was the first of its bucket.
func (b *Bucket) Fresh() bool { return b.pos == 1 }

// Left is how many of the bucket's events have not been given out, and Peek is
// the i-th of them: a handler may look at what they will need, so that the waits
// for memory overlap.
func (b *Bucket) Left() int { return len(b.keys) - b.pos }

// Peek gives class and source of the i-th event of Left.
func (b *Bucket) Peek(i int) (Class, uint32) {
	key := b.keys[b.pos+i]
	return Class(key >> classShift & 0xf), uint32(key)
}

// next gives out the next event, of which there is one, if it is earlier than
// limit.
func (b *Bucket) next(limit units.Time, e *Event) bool {
	key := b.keys[b.pos]
	t := b.start + units.Time(key>>offsetShift)
	if t >= limit {
		return false
	}
	b.pos++
	b.now, b.lastKey = t, key
	e.Time, e.Source, e.Class = t, uint32(key), Class(key>>classShift&0xf)
	return true
}

// insert puts a key in its place among those that are left.
func (b *Bucket) insert(t units.Time, key uint64) {
	if t < b.now || t < b.start || (t == b.now && key <= b.lastKey) {
		panic(fmt.Sprintf("engine: event at %d ps (class %d, source %d) pushed at %d ps: not after the event being handled, or before the bucket at %d",
			t, key>>classShift&0xf, uint32(key), b.now, b.start))
	}
	b.keys = append(b.keys, key)
	i := len(b.keys) - 1
	if i-b.pos > 16 { // traffic in lockstep, or a wide bucket
		at, _ := slices.BinarySearch(b.keys[b.pos:i], key)
		copy(b.keys[b.pos+at+1:], b.keys[b.pos+at:i])
		b.keys[b.pos+at] = key
		return
	}
	for ; i > b.pos && b.keys[i-1] > key; i-- {
		b.keys[i] = b.keys[i-1]
	}
	b.keys[i] = key
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
