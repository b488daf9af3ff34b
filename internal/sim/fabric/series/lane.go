package series

import "weft/units"

// lane is the counters of a lane of a link in the open interval: one cache line.
type lane struct {
	bytes   int64      // of the main lane: the port's bytes that are not this interval's
	area    uint64     // modulo 2^64: each packet adds size·time when it leaves the queue, and subtracts it when it enters
	stopped units.Time // sum of the ends of pauses or waits, less their beginnings
	changed units.Time // of the queue, if it is larger than peak
	queued  int32
	peak    int32
	stops   uint32
	marks   uint32
	drops   uint32
	refused uint32
	open    bool // it is in the recorder's list
	halted  bool // a pause or a wait goes on
}

// open is the counters of a lane, which has a row in the open interval.
func (r *Recorder) openLane(index int32) *lane {
	l := &r.lanes[index]
	if !l.open {
		l.open = true
		r.open = append(r.open, index)
	}
	return l
}

// Index is the index of a lane of a link.
func (r *Recorder) Index(link int32, class uint8) int32 { return link*r.classes + int32(class) }

// IsMinor reports whether a class is another one than that of the network's data.
func (r *Recorder) IsMinor(class uint8) bool { return r.minor>>(class&15)&1 != 0 }

// Sent counts a packet that a port sends, if it is the port's first in the interval or of a minor
// class; no other packets need be counted.
func (r *Recorder) Sent(link int32, class uint8, size uint16) {
	main := r.openLane(r.Index(link, r.main))
	if class != r.main {
		r.openLane(r.Index(link, class)).bytes += int64(size)
		main.bytes += int64(size)
	}
}

// SentFrame takes a PFC frame out of the bytes of a port.
func (r *Recorder) SentFrame(link, bytes int32) {
	r.lanes[r.Index(link, r.main)].bytes += int64(bytes)
}

// Queued counts a packet that waits in a lane from now on.
func (r *Recorder) Queued(index, size int32, now units.Time) {
	l := &r.lanes[index]
	if l.queued == 0 {
		r.openLane(index)
	}
	if l.queued+size > l.peak {
		l.notePeak(now)
		l.changed = now
	}
	l.area -= uint64(size) * uint64(now)
	l.queued += size
}

// Dequeued counts a packet that waits no longer.
func (r *Recorder) Dequeued(index, size int32, now units.Time) {
	l := &r.lanes[index]
	if l.queued > l.peak {
		l.notePeak(now)
	}
	l.area += uint64(size) * uint64(now)
	l.queued -= size
}

// notePeak notes the queue before a change, if it is the largest. A queue that came and left in one
// instant does not count: whether there is one depends on the partitions.
func (l *lane) notePeak(now units.Time) {
	if l.changed < now {
		l.peak = max(l.peak, l.queued)
	}
}

// Stopped records that a lane is stopped from now on, by a pause or for want of credits, or no longer.
func (r *Recorder) Stopped(index int32, stops bool, now units.Time) {
	l := r.openLane(index)
	if r.details != nil && stops != l.halted {
		r.details.stopped(index, stops, now)
	}
	switch {
	case stops && !l.halted:
		l.halted = true
		l.stopped -= now
		l.stops++
	case !stops && l.halted:
		l.halted = false
		l.stopped += now
	}
}

// Marked counts a congestion mark that a port sets.
func (r *Recorder) Marked(index int32) { r.openLane(index).marks++ }

// Dropped counts a dropped packet that waited for a port, or had no room to.
func (r *Recorder) Dropped(index int32) { r.openLane(index).drops++ }

// Refused counts a dropped packet that came in by a port.
func (r *Recorder) Refused(index int32) { r.openLane(index).refused++ }
