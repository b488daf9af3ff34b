package pauses

import (
	"maps"
	"slices"

	"weft/internal/sim/state"
	"weft/units"
)

// Pausing is the record of a sender's PFC pauses on a link in a class, over a run: the pausing
// node, number, times and causes.
type Pausing struct {
	Link   int32 // the sender's link
	By     int32 // the node at its end, which sent the frames
	Class  uint8
	Count  int64      // pauses, without renewals
	Paused units.Time // from each first frame to the frame that ended the pause
	First  units.Time // beginning of the first pause
	// Slices are the paused time in equal slices of the run, the first from 0; Width is a slice's
	// length.
	Slices []units.Time
	Width  units.Time
	// Causes are the ports of By at which the packets from the link waited when pauses began, the
	// port with the most bytes first. None if By is a NIC: then it was the cause itself.
	Causes []Cause
	// Storm is the PFC watchdog's at the sender's queue.
	Storm Storm
}

// Storm is when a PFC watchdog first found a queue in a storm, and when it first restored it; 0 if it did not.
type Storm struct{ Found, Restored units.Time }

// Cause is a port that held the bytes that caused a pause.
type Cause struct {
	Port  int32
	Bytes int64 // sum over the examined pauses
}

// The bounds of a record of pauses: the number of slices of its timeline, whose length doubles when
// a run outgrows them; and the number of a link's pauses whose causes are examined, which costs a
// walk over a switch's queues.
const (
	mostSlices   = 128
	firstSlice   = units.Time(1 << 20) // about a microsecond
	pausesLooked = 256
)

// Log is the record of one link and class. It belongs to the simulation partition of the link's end.
type Log struct {
	count         int64
	since, first  units.Time             `state:"fixed"` // since: start of the current pause; Forever if there is none
	paused, width units.Time             `state:"fixed"`
	slices        [mostSlices]units.Time `state:"fixed"`
	causes        map[int32]int64        `state:"-"` // by port: bytes
}

// NewLog is a log whose first pause begins now.
func NewLog(now units.Time) *Log {
	return &Log{first: now, width: firstSlice, since: units.Forever, causes: make(map[int32]int64)}
}

// Begin records the start of a pause. It reports whether its causes are examined.
func (l *Log) Begin(now units.Time) (examined bool) {
	l.count++
	l.since = now
	return l.count <= pausesLooked
}

// AddCause counts the bytes of a packet from the link that waits at a port when a pause begins.
func (l *Log) AddCause(port int32, bytes int64) { l.causes[port] += bytes }

// End records the end of the pause.
func (l *Log) End(now units.Time) {
	if l.since != units.Forever {
		l.draw(l.since, now)
		l.since = units.Forever
	}
}

// draw adds a pause to the timeline.
func (l *Log) draw(from, to units.Time) {
	l.paused += to - from
	for to > l.width*mostSlices {
		l.fold()
	}
	for s := from / l.width; s < mostSlices && s*l.width < to; s++ {
		l.slices[s] += min(to, (s+1)*l.width) - max(from, s*l.width)
	}
}

// fold doubles the length of a timeline's slices.
func (l *Log) fold() {
	for s := range mostSlices / 2 {
		l.slices[s] = l.slices[2*s] + l.slices[2*s+1]
	}
	clear(l.slices[mostSlices/2:])
	l.width *= 2
}

// WalkState visits what is known of a pause.
func (l *Log) WalkState(w *state.Walk) {
	w.Word(uint64(l.count))
	if l.since != units.Forever {
		w.Refuse("pause that is recorded")
	}
}

// All are the records of all links and classes that were paused, by link and class, the longest time
// first. now is not earlier than any recorded pause. Their slices have the same length. The caller sets By.
func All(logs []*Log, classes int, now units.Time) (all []Pausing) {
	width := firstSlice
	for width*mostSlices < now {
		width *= 2
	}
	for index, l := range logs {
		if l == nil {
			continue
		}
		own := *l
		if own.since < now { // it lasts
			own.draw(own.since, now)
		}
		for own.width < width {
			own.fold()
		}
		all = append(all, Pausing{
			Link: int32(index / classes), Class: uint8(index % classes), Count: own.count, Paused: own.paused,
			First: own.first, Slices: slices.Clone(own.slices[:]), Width: own.width, Causes: own.sorted(),
		})
	}
	slices.SortStableFunc(all, func(a, b Pausing) int { return int(min(1, max(-1, b.Paused-a.Paused))) })
	return all
}

// sorted are the causes, the cause with the most bytes first.
func (l *Log) sorted() (causes []Cause) {
	for _, port := range slices.Sorted(maps.Keys(l.causes)) {
		causes = append(causes, Cause{port, l.causes[port]})
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return int(min(1, max(-1, b.Bytes-a.Bytes))) })
	return causes
}
