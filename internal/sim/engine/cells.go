package engine

import (
	"fmt"
	"math/bits"

	"weft/units"
)

// Cells is the event queue of the cells of a simulation partition: parts that cannot reach each
// other within a slot of time. The events of a cell in a slot are handled one after the other, then
// the events of the next cell. The data of a cell then stays in the processor's caches, and its
// branches repeat often enough to be predicted. Within a cell the order is the package's order; the
// order between cells within a slot has no effect.
//
// To handle a slot, call Seek, then Open and Next until no cell is left.
type Cells struct {
	Bucket // the open cell's events of the slot
	lists
	events []uint32 // by slot and cell: the list of events
	marks  []uint64 // by slot and cell: a bit per cell with events
	filled []uint64 // a bit per slot with events
	dealt  []uint64 // of sort

	cells, words int    // cells, and words of marks for each slot
	slot         int64  // number of the slot being handled, or the next
	floor        int64  // number of the first slot open to events of other cells
	ahead        uint64 // the number of slots from there on
	open         int    // the cell being handled, -1 if none
	row          int    // of the slot being handled in events
	word         int    // of the slot's marks: the word of rest
	rest         uint64 // cells of that word that are still to be handled
	reach        int64  // slots - 1
	far          Heap[farCell, *farCell]
}

// farCell is an event beyond the reach of the slots.
type farCell struct {
	farEvent
	cell int
}

// Before orders by time, class, source.
func (a *farCell) Before(b *farCell) bool { return a.farEvent.Before(&b.farEvent) }

// NewCells makes a queue of cells with 2^slotsLog2 slots of 2^widthLog2
// picoseconds; sources have no more than SourceBits(widthLog2) bits. It panics on
// values outside 1..12 and 1..28, which only code can choose.
func NewCells(cells int, widthLog2, slotsLog2 uint) *Cells {
	if widthLog2 < 1 || widthLog2 > maxWidth || slotsLog2 < 1 || slotsLog2 > 12 || cells < 1 {
		panic(fmt.Sprintf("engine: %d cells with 2^%d slots of 2^%d ps are out of bounds", cells, slotsLog2, widthLog2))
	}
	slots := 1 << slotsLog2
	q := &Cells{
		Bucket: Bucket{span: newSpan(widthLog2)},
		cells:  cells, words: (cells + 63) / 64, open: -1, reach: int64(slots - 1), ahead: uint64(slots),
		lists:  newLists(),
		events: make([]uint32, slots*cells),
		filled: make([]uint64, (slots+63)/64),
	}
	q.marks = make([]uint64, slots*q.words)
	for i := range q.events {
		q.events[i] = emptyKeys
	}
	return q
}

// Push adds an event: to the open cell after the event being handled, or to another cell in a slot
// that has not begun.
func (q *Cells) Push(cell int, t units.Time, class Class, source uint64) {
	b := int64(t) >> (q.width & 63)
	if uint64(b-q.floor) >= q.ahead {
		q.pushRarely(b, cell, t, class, source)
		return
	}
	list := &q.events[int(b&q.reach)*q.cells+cell]
	if at := *list; at&chunkKeys != chunkKeys { // as put, without a call
		q.chunks[at] = q.keyOf(t, class, source)
		*list = at + 1
		return
	}
	q.put(b, cell, q.keyOf(t, class, source))
}

// pushRarely adds an event of the slot being handled, or beyond the reach of the slots.
func (q *Cells) pushRarely(b int64, cell int, t units.Time, class Class, source uint64) {
	if b == q.slot && cell == q.open {
		q.insert(q.keyOf(t, class, source))
		return
	}
	if b < q.floor {
		panic(fmt.Sprintf("engine: event of cell %d at %d ps (class %d, source %d) pushed into slot %d of %d, in which cell %d is being handled",
			cell, t, class, source, b, q.slot, q.open))
	}
	q.far.Push(farCell{farEvent{t, class, source}, cell})
}

// put adds a key to the list of a slot and cell.
func (q *Cells) put(slot int64, cell int, key uint64) {
	s := int(slot & q.reach)
	list := &q.events[s*q.cells+cell]
	if *list == emptyKeys {
		q.marks[s*q.words+cell>>6] |= 1 << (cell & 63)
		q.filled[s>>6] |= 1 << (s & 63)
	}
	q.add(list, key)
}

// Seek begins the slot of a time; no earlier event may wait. It returns the slot's end.
func (q *Cells) Seek(t units.Time) (end units.Time) {
	q.slot = int64(t) >> q.width
	q.floor, q.ahead = q.slot+1, uint64(q.reach)
	for len(q.far) > 0 {
		e := &q.far[0]
		b := int64(e.time) >> q.width
		if b-q.slot > q.reach {
			break
		}
		q.put(b, e.cell, q.keyOf(e.time, e.class, e.source))
		q.far.Pop()
	}
	s := int(q.slot & q.reach)
	q.row, q.word, q.rest = s*q.cells, s*q.words-1, 0
	q.start = units.Time(q.slot) << q.width
	return units.Time(q.floor) << q.width
}

// Open opens the next cell that has events in the slot, -1 if none is left. The remaining events of
// the previously open cell stay in the slot.
func (q *Cells) Open() int {
	if q.pos < len(q.keys) {
		q.leave()
	}
	if q.rest == 0 && !q.nextWord() {
		q.close()
		return -1
	}
	first := int(q.slot&q.reach) * q.words
	cell := (q.word-first)<<6 + bits.TrailingZeros64(q.rest)
	q.rest &= q.rest - 1
	q.open = cell
	q.keys, q.pos = q.take(&q.events[q.row+cell], q.keys[:0]), 0
	q.after = 0
	q.sort()
	return cell
}

// nextWord moves to the next non-empty word of the slot's marks, and clears it: only the open cell
// can push events into the slot.
func (q *Cells) nextWord() bool {
	for end := (int(q.slot&q.reach) + 1) * q.words; q.word+1 < end; {
		q.word++
		if q.rest = q.marks[q.word]; q.rest != 0 {
			q.marks[q.word] = 0
			return true
		}
	}
	return false
}

// close ends the slot; events may still be pushed into its remainder.
func (q *Cells) close() {
	s := int(q.slot & q.reach)
	q.open = -1
	q.floor, q.ahead = q.slot, uint64(q.reach)+1
	if q.nextMarked(s, 0) < 0 {
		q.filled[s>>6] &^= 1 << (s & 63)
	}
}

// sort divides a slot's events into this number of parts of equal time; more keys than crowded are
// too many for sortKeys, or for one part.
const (
	partsLog2 = 5
	crowded   = 20
)

// sort sorts the open cell's events: more than a handful are first distributed by time, without
// comparison. slices.Sort instead of this distribution or behind it takes 1.3 to 2 times as long
// for 26 to 64 keys, 2 % of an all-to-all's instructions.
func (q *Cells) sort() {
	if len(q.keys) <= crowded || q.width < partsLog2 {
		sortKeys(q.keys)
		return
	}
	var ends [1 << partsLog2]int32
	for _, key := range q.keys {
		ends[key>>(64-partsLog2)]++
	}
	sum, most := int32(0), int32(0)
	for i, n := range ends {
		most = max(most, n)
		ends[i] = sum
		sum += n
	}
	if most > crowded { // in lockstep
		sortKeys(q.keys)
		return
	}
	q.dealt = append(q.dealt[:0], q.keys...)
	for _, key := range q.dealt {
		at := &ends[key>>(64-partsLog2)]
		q.keys[*at] = key
		*at++
	}
	for i := 1; i < len(q.keys); i++ {
		if key := q.keys[i]; key < q.keys[i-1] { // of the same part
			insertBack(q.keys[:i+1], key)
		}
	}
}

// leave puts the open cell's remaining events back.
func (q *Cells) leave() {
	slot := int(q.slot & q.reach)
	for _, key := range q.keys[q.pos:] {
		q.add(&q.events[slot*q.cells+q.open], key)
	}
	q.keys = q.keys[:q.pos]
	q.marks[slot*q.words+q.open>>6] |= 1 << (q.open & 63)
}

// nextMarked is the first cell, from a given one on, with events in a slot; -1 if there is none.
func (q *Cells) nextMarked(slot, cell int) int {
	marks := q.marks[slot*q.words : (slot+1)*q.words]
	for w := cell >> 6; w < len(marks); w++ {
		if rest := marks[w] >> (cell & 63); rest != 0 {
			return cell + bits.TrailingZeros64(rest)
		}
		cell = (w + 1) << 6
	}
	return -1
}

// NextSlot is the start of the first slot with an event, units.Forever if none
// waits.
func (q *Cells) NextSlot() units.Time {
	next := units.Forever
	if len(q.far) > 0 {
		next = q.far[0].time >> q.width << q.width
	}
	if slot := q.firstFilled(); slot >= 0 {
		next = min(next, units.Time(slot)<<q.width)
	}
	return next
}

// NextTime is the time of the next event, units.Forever if none waits.
func (q *Cells) NextTime() units.Time {
	next := units.Forever
	if len(q.far) > 0 {
		next = q.far[0].time
	}
	slot := q.firstFilled()
	if slot < 0 {
		return next
	}
	s := int(slot & q.reach)
	for cell := q.nextMarked(s, 0); cell >= 0; cell = q.nextMarked(s, cell+1) {
		key := q.least(q.events[s*q.cells+cell])
		next = min(next, units.Time(slot)<<q.width+q.offset(key))
	}
	return next
}

// firstFilled is the number of the first slot with an event, -1 if none has.
func (q *Cells) firstFilled() int64 {
	for slot := q.slot; slot <= q.slot+q.reach; {
		s := slot & q.reach
		if rest := q.filled[s>>6] >> (s & 63); rest != 0 {
			return slot + int64(bits.TrailingZeros64(rest))
		}
		slot += min(64-s&63, q.reach+1-s)
	}
	return -1
}
