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

// Recorder is the record of the lanes of a simulation partition. At the end of a short interval the counters of lanes
// are added to their sums, and at the end of an interval the sums become rows.
type Recorder struct {
	lanes   []lane     // by link and class, shared by all partitions
	open    []int32    // lanes with counters
	sums    []Sample   // by lane, shared by all partitions: the open interval until the last short one
	summed  []int32    // lanes with a sum
	ends    units.Time // end of the open short interval; Forever during a survey
	closes  units.Time // end of the open interval
	most    int32      // intervals
	classes int32      // of a link
	minor   uint16     // classes other than the main lane's
	main    uint8
	sent    func(link int32) int64

	short   rows     // of the short interval that has ended
	details *details // nil: the network is too large
	pieces  rows     // of a surveyed period

	mu    sync.Mutex // guards width, rows and what ports show, which are read during the run
	width units.Time
	rows  rows
	ports []*Port
}

// NewRecorders makes the recorders of a network with a number of links, one for each partition. main
// is the class of the network's data. sent gives the bytes that a link has sent so far, and makes
// the link's next packet call [Recorder.Sent].
func NewRecorders(parts, links, classes int, main uint8, sent func(link int32) int64) []*Recorder {
	lanes, sums := make([]lane, links*classes), make([]Sample, links*classes)
	all, details := make([]*Recorder, parts), newDetails(parts, links, classes)
	for i := range all {
		all[i] = &Recorder{
			lanes: lanes, sums: sums, most: intervalsOf(len(lanes)), width: FirstInterval, closes: FirstInterval, ends: FirstInterval, details: details[i],
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

// Closes is the end of the open short interval; Forever during a survey.
func (r *Recorder) Closes() units.Time { return r.ends }

// Close closes the intervals that end at or before t. No event before t is left.
func (r *Recorder) Close(t units.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.ends <= t && r.isBusy() {
		r.closeShort()
		r.ends = min(r.closes, r.ends+r.step())
		if !r.watches() { // nothing happens until t
			r.ends = min(r.closes, max(r.ends, (t/r.step()+1)*r.step()))
		}
	}
	if r.ends <= t { // and nothing has happened in the open interval
		r.closes = max(r.closes, (t/r.width+1)*r.width)
		r.ends = (t/r.step() + 1) * r.step()
	}
}

// closeShort closes the open short interval, and with it the open interval if that ends.
func (r *Recorder) closeShort() {
	if r.step() == r.width && r.ends == r.closes && r.ends/r.width <= units.Time(r.most) && len(r.summed) == 0 {
		r.endLanes(&r.rows, r.ends) // it is all of the open interval
		r.show()
		r.closes += r.width
		return
	}
	r.endShort(r.ends)
	if r.ends == r.closes {
		r.fit()
	}
	if r.ends == r.closes {
		r.end()
		r.closes += r.width
	}
}

// watches reports whether a lane must be read at the end of the short interval.
func (r *Recorder) watches() bool {
	return len(r.open) > 0 || r.detailed() && len(r.details.active) > 0
}

// isBusy reports whether something has happened in the open interval, or goes on.
func (r *Recorder) isBusy() bool { return len(r.summed) > 0 || r.watches() }

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

// endShort ends the short interval, now: its samples are added to the open interval.
func (r *Recorder) endShort(now units.Time) {
	r.short.n = 0
	r.endLanes(&r.short, now)
	for i := range r.short.n {
		r.add(r.short.row(i))
	}
}

// endLanes ends the lanes of the short interval, now.
func (r *Recorder) endLanes(rows *rows, now units.Time) {
	number := int32(r.ends/r.step() - 1)
	r.endInto(rows, number, now)
	if r.detailed() {
		r.details.end(number, r.classes)
	}
}

// add adds a sample to the open interval.
func (r *Recorder) add(s *Sample) {
	sum := &r.sums[s.Lane]
	if sum.Interval == 0 { // it is not in the list
		sum.Interval = 1
		r.summed = append(r.summed, s.Lane)
	}
	sum.merge(s)
}

// end appends the rows of the open interval, whose short intervals have ended.
func (r *Recorder) end() {
	r.endSums(&r.rows, int32(r.closes/r.width)-1)
	r.show()
}

// endSums appends the rows of what is summed.
func (r *Recorder) endSums(rows *rows, interval int32) {
	for _, index := range r.summed {
		s := rows.append()
		*s, r.sums[index] = r.sums[index], Sample{}
		if s.Lane, s.Interval = index, interval; s.isIdle() {
			rows.n--
		}
	}
	r.summed = r.summed[:0]
}

// endInto ends a short interval or a piece now: it appends a row for each lane that did something in it. The next
// one begins with the lanes that have a queue or are stopped.
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
		if r.detailed() {
			r.details.note(s, r.classes, l.halted)
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
	if r.isBusy() {
		r.endShort(max(last, r.ends-r.step())) // a record of periods may go on behind the last event
		r.fit()
		r.end()
	}
	r.show()
}
