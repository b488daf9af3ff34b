package engine

import (
	"fmt"
	"slices"

	"weft/units"
)

// A key orders the events of one bucket of 2^width picoseconds: the offset of the
// time in the bucket (width bits), the class (4 bits), the source (the rest).
const (
	classBits = 4
	maxWidth  = 28
)

// SourceBits is the number of bits for a source in buckets of 2^width picoseconds.
func SourceBits(width uint) uint { return 64 - classBits - width }

// span converts between times and keys in buckets of 2^width picoseconds.
type span struct {
	width uint
	low   uint   // SourceBits(width)
	high  uint   // low + classBits
	mask  uint64 // of the source
	tick  uint64 // a picosecond in a key
}

func newSpan(width uint) span {
	low := SourceBits(width)
	return span{width, low, low + classBits, 1<<low - 1, 1 << (low + classBits)}
}

// keyOf is the key of an event. It has only the offset of the time in its bucket.
func (s *span) keyOf(t units.Time, class Class, source uint64) uint64 {
	return (uint64(t)<<classBits|uint64(class))<<(s.low&63) | source
}

// offset is the time of a key from the start of its bucket.
func (s *span) offset(key uint64) units.Time { return units.Time(key >> (s.high & 63)) }

func (s *span) class(key uint64) Class { return Class(key >> (s.low & 63) & (1<<classBits - 1)) }

// Bucket is a stretch of time whose events are being handled.
type Bucket struct {
	span
	keys  []uint64 // its events, sorted
	pos   int      // the next event
	after uint64   // keys pushed now must not precede it
	start units.Time
}

// Left is the number of the bucket's events that are still to be handled, and Peek is the i-th of
// them: a handler may prefetch their data, so that the waits for memory overlap.
func (b *Bucket) Left() int { return len(b.keys) - b.pos }

// Peek gives class and source of the i-th event of Left.
func (b *Bucket) Peek(i int) (Class, uint64) {
	key := b.keys[b.pos+i]
	return b.class(key), key & b.mask
}

// Next removes and returns the next event of the bucket, if it is earlier than limit. It is called
// for every event, and small enough to be inlined.
func (b *Bucket) Next(limit units.Time) (e Event, ok bool) {
	i := b.pos
	if uint(i) >= uint(len(b.keys)) {
		return e, false
	}
	key := b.keys[i]
	e.Time = b.start + b.offset(key)
	if e.Time >= limit {
		return e, false
	}
	i++
	b.pos, b.after = i, key+1
	e.Source, e.Class = key&b.mask, b.class(key)
	e.Last = i >= len(b.keys) || b.keys[i]^key >= b.tick
	return e, true
}

// insert inserts a key among the remaining ones. The keys before it move to the room of the last
// handled event, or the keys behind it move further on, whichever are fewer.
func (b *Bucket) insert(key uint64) {
	if key < b.after {
		b.late(key)
	}
	left := b.keys[b.pos:]
	if half := len(left) / 2; b.pos > 0 && half > 0 && key < left[half] {
		b.pos--
		insertFront(b.keys[b.pos:], key)
		return
	}
	b.keys = append(b.keys, key)
	insertBack(b.keys[b.pos:], key)
}

// nearEnd is the number of keys that are compared one by one; for more, a binary search finds the
// place.
const nearEnd = 24

// insertFront inserts a key in the first half of the keys after the first, whose room is free.
func insertFront(k []uint64, key uint64) {
	if len(k) > 2*nearEnd {
		at, _ := slices.BinarySearch(k[1:], key)
		copy(k, k[1:at+1])
		k[at] = key
		return
	}
	i := 0
	for ; i+1 < len(k); i++ {
		after := k[i+1]
		if after > key {
			break
		}
		k[i] = after
	}
	k[i] = key
}

// insertBack inserts a key before the last, whose room is free.
func insertBack(k []uint64, key uint64) {
	i := len(k) - 1
	if i > 2*nearEnd {
		at, _ := slices.BinarySearch(k[:i], key)
		copy(k[at+1:], k[at:i])
		k[at] = key
		return
	}
	for ; i > 0; i-- {
		before := k[i-1]
		if before < key {
			break
		}
		k[i] = before
	}
	k[i] = key
}

// late panics for an event that comes too late.
func (b *Bucket) late(key uint64) {
	given := b.after - 1
	panic(fmt.Sprintf("engine: event at %d ps (class %d, source %d) pushed at %d ps: not after the event being handled",
		b.start+b.offset(key), b.class(key), key&b.mask, b.start+b.offset(given)))
}

// sortKeys sorts a bucket. Most buckets hold a handful of keys, in an order that the processor
// cannot predict: so it moves four keys at a time past all keys before them, without a branch that
// depends on the keys.
func sortKeys(k []uint64) {
	if len(k) > 40 {
		slices.Sort(k)
		return
	}
	i := len(k) & 3
	sortFew(k[:i])
	for ; len(k)-i >= 4; i += 4 {
		four := (*[4]uint64)(k[i:])
		a, b := min(four[0], four[1]), max(four[0], four[1])
		c, d := min(four[2], four[3]), max(four[2], four[3])
		a, c = min(a, c), max(a, c)
		b, d = min(b, d), max(b, d)
		b, c = min(b, c), max(b, c)
		for j, y := range k[:i] {
			k[j] = min(a, y)
			y = max(a, y)
			a, y = min(b, y), max(b, y)
			b, y = min(c, y), max(c, y)
			c, d = min(d, y), max(d, y)
		}
		*four = [4]uint64{a, b, c, d}
	}
}

// sortFew sorts up to three keys.
func sortFew(k []uint64) {
	switch len(k) {
	case 2:
		k[0], k[1] = min(k[0], k[1]), max(k[0], k[1])
	case 3:
		a, b := min(k[0], k[1]), max(k[0], k[1])
		b, c := min(b, k[2]), max(b, k[2])
		k[0], k[1], k[2] = min(a, b), max(a, b), c
	}
}
