package series

import (
	"sync"

	"weft/units"
)

// The bounds of a record.
const (
	// FirstInterval is the length of the first intervals: as long as the longest slot of the cells, or
	// longer, and a power of two, so that intervals begin with slots. It is about a microsecond.
	FirstInterval = units.Time(1 << 20)
	// mostIntervals are kept of the smallest networks: 34 ms are seen in intervals of 2 us.
	mostIntervals = 1 << 14
	// leastIntervals are kept even if they need more than maxSamples.
	leastIntervals = 16
	// maxSamples is the number of samples of a network if all of its lanes do something in all intervals:
	// they take 117 MB.
	maxSamples = 1 << 21
)

// Recorder is the record of the lanes of a simulation partition.
type Recorder struct {
	lanes   []lane     // by link and class, shared by all partitions
	open    []int32    // lanes with counters
	closes  units.Time // end of the open interval
	most    int32      // intervals
	classes int32      // of a link
	minor   uint16     // classes other than the main lane's
	main    uint8
	sent    func(link int32) int64

	pieces rows // of a surveyed period

	mu    sync.Mutex // guards width, rows and what ports show, which are read during the run
	width units.Time
	rows  rows
	ports []*Port
}

// NewRecorders makes the recorders of a network with a number of links, one for each partition. main
// is the class of the network's data. sent gives the bytes that a link has sent so far, and makes
// the link's next packet call [Recorder.Sent].
func NewRecorders(parts, links, classes int, main uint8, sent func(link int32) int64) []*Recorder {
	lanes := make([]lane, links*classes)
	all := make([]*Recorder, parts)
	for i := range all {
		all[i] = &Recorder{
			lanes: lanes, most: intervalsOf(len(lanes)), width: FirstInterval, closes: FirstInterval,
			classes: int32(classes), main: main, minor: (1<<classes - 1) &^ (1 << main), sent: sent,
		}
	}
	return all
}

// intervalsOf is the bound of the intervals of a network: a power of two.
func intervalsOf(lanes int) int32 {
	most := int32(mostIntervals)
	for most > leastIntervals && int(most)*lanes > maxSamples {
		most /= 2
	}
	return most
}

// Closes is the end of the open interval; Forever during a survey.
func (r *Recorder) Closes() units.Time { return r.closes }

// Close closes the intervals that end at or before t. No event before t is left.
func (r *Recorder) Close(t units.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.closes <= t && len(r.open) > 0 {
		r.fit()
		if r.closes <= t {
			r.end(r.closes)
			r.closes += r.width
		}
	}
	if r.closes <= t { // nothing happens until t
		r.closes = (t/r.width + 1) * r.width
	}
}

// fit doubles the intervals until the number of the open one is within the bound.
func (r *Recorder) fit() {
	for r.closes/r.width > units.Time(r.most) {
		r.widen()
		r.closes = (r.closes + r.width - 1) / r.width * r.width
	}
}

// widen merges each two intervals.
func (r *Recorder) widen() {
	r.rows.halve(len(r.lanes))
	r.width *= 2
}

// end appends the rows of the open interval, which ends now.
func (r *Recorder) end(now units.Time) {
	r.endInto(&r.rows, int32(r.closes/r.width)-1, now)
	r.show()
}

// endInto ends an interval now: it appends a row for each lane that did something in it. The next
// interval begins with the lanes that have a queue or are stopped.
func (r *Recorder) endInto(rows *rows, interval int32, now units.Time) {
	still := r.open[:0]
	for _, index := range r.open {
		l, s := &r.lanes[index], rows.append()
		l.notePeak(now)
		*s = Sample{
			Lane: index, Interval: interval, Bytes: l.bytes, Stopped: l.stopped,
			Area: l.area + uint64(l.queued)*uint64(now),
			Peak: l.peak, Stops: l.stops, Marks: l.marks, Drops: l.drops, Refused: l.refused,
		}
		l.bytes, l.area, l.stopped, l.changed = 0, -uint64(l.queued)*uint64(now), 0, now
		l.peak, l.stops, l.marks, l.drops, l.refused = 0, 0, 0, 0, 0
		if link := index / r.classes; index == r.Index(link, r.main) {
			sent := r.sent(link)
			s.Bytes = sent - s.Bytes
			l.bytes = sent
		}
		if l.halted {
			s.Stopped += now
			l.stopped = -now
		}
		if l.open = l.queued != 0 || l.halted; l.open {
			still = append(still, index)
		}
		if s.isIdle() {
			rows.n-- // it did nothing after all
		}
	}
	r.open = still
}

// finish ends the record at the last event of the run.
func (r *Recorder) finish(last units.Time) {
	r.Close(last)
	if len(r.open) > 0 {
		r.fit()
		r.end(max(last, r.closes-r.width)) // a record of periods may go on behind the last event
	}
	r.show()
}
