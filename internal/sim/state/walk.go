package state

import (
	"math"
	"reflect"
	"unsafe" //nolint:depguard // objects are known by their addresses

	"weft/units"
)

// Walk is one visit to every field of a state.
type Walk struct {
	// Now is the time of the state.
	Now units.Time
	// Group is the group of the sequence numbers that are visited next.
	Group Group
	// Idle says that the connection that is visited has nothing in flight.
	Idle bool
	// Within is the part of the simulation that is visited, for types that need to know it.
	Within any

	does   mode
	words  []uint64 // recorded
	at     int      // the next word to compare with
	differ bool
	refuse bool   // a part of the state cannot be visited
	where  string // name of the first field that differs
	name   string // of the field that is visited

	then    units.Time       // of the recorded state, while comparing
	moved   map[Group]uint64 // by how much a group's numbers have moved, while comparing
	counted []uint64         // by how much each counter has grown
	count   int              // the next counter to move on
	stays   []bool           // of each time that may stay: whether it has stayed
	stay    int              // the next of them to move on
	outside units.Time       // the first event that has stayed
	latest  units.Time       // the last event that has moved
	most    uint64           // periods before a number that has stayed
	times   uint64           // periods to move on by
	by      units.Time       // time to move on by
	seen    map[unsafe.Pointer]uint64
	recent  [64]planned // plans that Visit has used, by the type's address
}

// planned is the plan of the type that a pointer has.
type planned struct {
	of   unsafe.Pointer // the type of the pointer
	plan *plan
}

// mode is what a walk does with a field.
type mode uint8

const (
	records mode = iota
	compares
	moves
)

// Group identifies numbers that count the same thing: the sequence numbers of a connection in one
// direction.
type Group uint64

// Record starts a walk that records a state at a time. It uses the room of an earlier walk, which
// may be nil.
func Record(now units.Time, room *Walk) *Walk {
	w := &Walk{Now: now, does: records}
	if room != nil {
		w.words = room.words[:0]
	}
	return w
}

// Compare starts a walk that compares a state with a recorded one. It uses the room of an earlier comparison, which
// may be nil.
func Compare(now units.Time, with, room *Walk) *Walk {
	w := room
	if w == nil {
		w = &Walk{moved: map[Group]uint64{}, seen: map[unsafe.Pointer]uint64{}}
	}
	clear(w.moved)
	clear(w.seen)
	w.counted, w.stays, w.at, w.differ, w.where, w.name = w.counted[:0], w.stays[:0], 0, false, "", ""
	w.Now, w.does, w.words, w.refuse, w.then = now, compares, with.words, with.refuse, with.Now
	w.outside, w.latest, w.most = units.Forever, now, math.MaxUint64
	return w
}

// Move starts a walk that moves a state on by a number of periods. compared is the walk that has
// found it equal to an earlier state, and by the time of all these periods.
func Move(compared *Walk, times uint64, by units.Time) *Walk {
	return &Walk{
		Now: compared.Now, does: moves, words: compared.words, moved: compared.moved, counted: compared.counted, stays: compared.stays,
		times: times, by: by,
	}
}

// Equal reports whether a comparison has found no difference. The state must have been visited
// completely.
func (w *Walk) Equal() bool { return !w.differ && !w.refuse && w.at == len(w.words) }

// Part names the part of the state that is visited next, for Where.
func (w *Walk) Part(name string) { w.name = name }

// Differs reports whether a comparison has found a difference: the rest need not be visited.
func (w *Walk) Differs() bool { return w.differ }

// Where names the first field that differs.
func (w *Walk) Where() string { return w.where }

// Size is the number of words of the recorded state.
func (w *Walk) Size() int { return len(w.words) }

// Visited is the number of words that the walk has visited. A move visits as many as there are.
func (w *Walk) Visited() int {
	if w.does == compares {
		return w.at
	}
	return len(w.words)
}

// Records reports whether the walk records a state.
func (w *Walk) Records() bool { return w.does == records }

// Moves reports whether the walk moves the state on, and by how many periods and how much time.
func (w *Walk) Moves() (times uint64, by units.Time, moving bool) {
	return w.times, w.by, w.does == moves
}

// Refuse says that a part of the state cannot be visited: the state is equal to none.
func (w *Walk) Refuse(why string) {
	w.refuse = true
	if w.does == compares {
		w.name = why
		w.differs()
	}
}

func (w *Walk) differs() {
	if !w.differ {
		w.differ, w.where = true, w.name
	}
}

// past is the next word of the record.
func (w *Walk) past() (word uint64, ok bool) {
	if w.differ || w.at == len(w.words) {
		w.differs()
		return 0, false
	}
	w.at++
	return w.words[w.at-1], true
}

// Word visits a value that is the same in equal states.
func (w *Walk) Word(v uint64) {
	switch w.does {
	case records:
		w.words = append(w.words, v)
	case compares:
		if old, ok := w.past(); ok && old != v {
			w.differs()
		}
	case moves:
	}
}

// Words that are no distance of a time from now.
const (
	never  = 1<<63 + iota // units.Forever
	unset                 // the time 0
	passed                // any time before now, if it is a time until which something holds
	end                   // of a list
)

// End visits the end of a list of elements that begin with a time, or that were not counted.
func (w *Walk) End() { w.Word(end) }

// Time visits a time: its distance from now is the same in equal states.
func (w *Walk) Time(t *units.Time) {
	switch {
	case w.does == moves:
		if *t != units.Forever && *t != 0 {
			*t += w.by
		}
	case *t == units.Forever:
		w.Word(never)
	case *t == 0:
		w.Word(unset)
	default:
		w.Word(uint64(*t - w.Now))
	}
}

// Bound visits a time that is only a lower bound of times in the state.
func (w *Walk) Bound(t *units.Time) {
	if w.does == moves {
		w.Time(t)
	}
}

// Due visits the time of a pending event. Its distance from now is the same in equal states, or else the
// time itself is: such an event comes from outside of the periods, all of which end before it.
func (w *Walk) Due(t *units.Time) {
	moved := w.either(t, units.Forever)
	switch {
	case w.does != compares || *t == units.Forever || *t == 0:
	case moved:
		w.latest = max(w.latest, *t)
	default:
		w.outside = min(w.outside, *t)
	}
}

// Past visits a time that matters only to those who change it. If it has passed in both states, and is
// the same time, nobody used it in between.
func (w *Walk) Past(t *units.Time) { w.either(t, w.then) }

// unused visits a time that matters only with something in flight, and that whatever is in flight changes.
func (w *Walk) unused(t *units.Time) {
	if w.Idle {
		w.Past(t)
	} else {
		w.Time(t)
	}
}

// either visits a time whose distance from now is the same in equal states, or that has stayed the same and
// was not after most. It reports whether it has moved.
func (w *Walk) either(t *units.Time, most units.Time) bool {
	switch w.does {
	case records:
		w.words = append(w.words, uint64(*t))
	case compares:
		word, ok := w.past()
		old := units.Time(word)
		stays := ok && old == *t && old <= most
		if ok && !stays && (old-w.then != *t-w.Now || old == units.Forever || *t == units.Forever || old == 0 || *t == 0) {
			w.differs()
		}
		w.stays = append(w.stays, stays)
		return !stays
	case moves:
		if !w.stays[w.stay] {
			*t += w.by
		}
		w.stay++
	}
	return false
}

// Periods is the number of periods of a length before the first event from outside, and before the end of any
// message that is the same in both states.
func (w *Walk) Periods(length units.Time) uint64 {
	if w.outside <= w.latest {
		return 0
	}
	return min(w.most, uint64((w.outside-w.latest-1)/length))
}

// AtMost bounds the number of further periods.
func (w *Walk) AtMost(periods uint64) { w.most = min(w.most, periods) }

// Until visits a time until which something holds.
func (w *Walk) Until(t *units.Time) {
	if w.does != moves && *t < w.Now {
		w.Word(passed)
		return
	}
	w.Time(t)
}

// Count visits a counter on which nothing depends.
func (w *Walk) Count(v *int64) {
	switch w.does {
	case records:
		w.words = append(w.words, uint64(*v))
	case compares:
		if old, ok := w.past(); ok {
			w.counted = append(w.counted, uint64(*v)-old)
		}
	case moves:
		*v += int64(w.times * w.counted[w.count])
		w.count++
	}
}

// Number visits a number of a group, which counts modulo 2^bits. Only differences between the
// numbers of a group matter. So a move leaves them as they are.
func (w *Walk) Number(g Group, v uint64, bits uint) {
	switch w.does {
	case records:
		w.words = append(w.words, v)
	case compares:
		old, ok := w.past()
		if !ok {
			return
		}
		by := (v - old) & (1<<bits - 1)
		if known, ok := w.moved[g]; !ok {
			w.moved[g] = by
		} else if known != by {
			w.differs()
		}
	case moves:
	}
}

// sequence visits a sequence number of packets or messages, of 24 bits: all of a group have moved by the
// same distance, and a move takes them along.
func (w *Walk) sequence(g Group, v *uint32) {
	if w.does == moves {
		*v = uint32(uint64(*v)+w.times*w.moved[g]) & (1<<psnBits - 1)
		return
	}
	w.Number(g, uint64(*v), psnBits)
}

// Posted visits the sequence number at which a message begins or ends. It has moved with the numbers of Group, which
// were visited before: the message is another one. Or it has stayed, and they have moved by the returned distance.
func (w *Walk) Posted(v *uint32) (by uint64, stays bool) {
	switch w.does {
	case records:
		w.words = append(w.words, uint64(*v))
	case compares:
		old, ok := w.past()
		if !ok {
			return 0, false
		}
		by = w.moved[w.Group]
		stays = by != 0 && uint64(*v) == old
		if !stays && (uint64(*v)-old)&(1<<psnBits-1) != by {
			w.differs()
		}
		w.stays = append(w.stays, stays)
	case moves:
		if !w.stays[w.stay] {
			w.sequence(w.Group, v)
		}
		w.stay++
	}
	return by, stays
}

// Bytes visits a number of bytes of a message that have come or gone: those of a group move on together, and 0 stays.
func (w *Walk) Bytes(g Group, v *uint32) {
	switch {
	case w.does == moves:
		if *v != 0 {
			*v += uint32(w.times * w.moved[g])
		}
	case w.does == compares && *v == 0:
		w.Word(0)
	default:
		w.Number(g, uint64(*v), 32)
	}
}

// Together says that two groups count the same packets and the same bytes of messages: what is visited of both must have
// moved by the same distance.
func (w *Walk) Together(a, b Group) {
	if w.does != compares {
		return
	}
	for _, of := range [...]Group{0, payload} {
		x, ofA := w.moved[a|of]
		y, ofB := w.moved[b|of]
		switch {
		case ofA && ofB && x != y:
			w.differs()
		case ofA:
			w.moved[b|of] = x // for what is visited later
		case ofB:
			w.moved[a|of] = y
		}
	}
}

// Moved visits a number of a group that a move changes, too.
func (w *Walk) Moved(g Group, v *uint64) {
	if w.does == moves {
		*v += w.times * w.moved[g]
		return
	}
	w.Number(g, *v, 63)
}

// MovedBy is by how much the numbers of a group have moved between the compared states.
func (w *Walk) MovedBy(g Group) int64 { return int64(w.moved[g]<<1) >> 1 }

// Once reports whether an object is visited for the first time, and so has to be visited now.
// Equal states have the same objects at the same places.
func Once[T any](w *Walk, object *T) bool { return w.once(unsafe.Pointer(object)) }

func (w *Walk) once(p unsafe.Pointer) bool {
	if p == nil {
		w.Word(0)
		return false
	}
	if w.seen == nil {
		w.seen = map[unsafe.Pointer]uint64{}
	}
	n, known := w.seen[p]
	if !known {
		n = uint64(len(w.seen) + 1)
		w.seen[p] = n
	}
	w.Word(n)
	return !known
}

// Visit visits the variable that a pointer points to: by its method WalkState, or else by the tags
// of its fields. No pointer in the state may lead to the variable, which would be visited again.
func (w *Walk) Visit(pointer any) {
	word := (*[2]unsafe.Pointer)(unsafe.Pointer(&pointer)) // an interface is a type and, of a pointer, its value
	known := &w.recent[uintptr(word[0])/64%uintptr(len(w.recent))]
	if known.of != word[0] {
		*known = planned{word[0], planOf(reflect.TypeOf(pointer).Elem())}
	}
	known.plan.visit(w, word[1])
}

// Fields visits a struct by the tags of its fields, also if it has a method WalkState.
func (w *Walk) Fields(pointer any) {
	v := reflect.ValueOf(pointer)
	fieldPlan(v.Type().Elem()).visit(w, v.UnsafePointer())
}
