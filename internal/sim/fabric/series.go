package fabric

import (
	"math/bits"
	"slices"
	"sync"

	"weft/units"
)

// A network can record what each lane of each link does, interval by interval. The counters of a lane lie in
// one cache line. At the end of an interval, between two events, a partition moves the counters of the
// lanes that did something into rows. Lanes at rest cost nothing. All partitions have the same intervals, so
// the rows do not depend on their number, and nothing in the simulation depends on the rows.
//
// A port counts its bytes whether or not it is recorded. So the bytes of its main lane, the lane of the
// network's data, are the rest after the other lanes and the PFC frames, and only the first packet of a port in
// an interval costs time.
//
// The number of intervals is bounded: at an interval too many, neighbours are merged and the interval
// doubles.

// Sample is a lane of a link in an interval in which it did something.
type Sample struct {
	Lane     int32  // link·classes + class
	Interval int32  // number, from 0
	Bytes    int64  // sent, without PFC frames and credits
	Area     uint64 // of the queue over time, in bytes times picoseconds
	Stopped  units.Time
	Peak     int32  // largest queue in bytes
	Stops    uint32 // pauses that began, or waits for credits
	Marks    uint32 // ECN or FECN
	Drops    uint32 // packets that waited for the port, or had no room to
	Refused  uint32 // packets that came in by the port and were dropped
}

// The bounds of a record. The first interval is as long as the longest slot of the cells, or longer, and
// a power of two: intervals begin with slots.
const (
	firstInterval = units.Time(1 << 20) // about a microsecond
	mostIntervals = 128
	// leastIntervals are kept even if they need more than maxSamples.
	leastIntervals = 16
	// maxSamples is the number of samples of a network if all of its lanes do something in all intervals:
	// they take 117 MB.
	maxSamples = 1 << 21
)

// tally is the counters of a lane of a link in the open interval: one cache line.
type tally struct {
	bytes   int64      // of the main lane: the port's bytes that are not this interval's
	area    uint64     // sum of size·time over packets that left the queue, less those that came, modulo 2^64
	stopped units.Time // sum of the ends of pauses or waits, less their beginnings
	changed units.Time // of the queue, if it is larger than peak
	queued  int32
	peak    int32
	stops   uint32
	marks   uint32
	drops   uint32
	refused uint32
	open    bool // it is in the partition's list
	halted  bool // a pause or a wait goes on
}

// recorder is the record of a partition.
type recorder struct {
	tallies []tally    // by link and class, shared by all partitions; nil: nothing is recorded
	open    []int32    // lanes with counters
	closes  units.Time // end of the open interval; Forever if nothing is recorded
	most    int32      // intervals
	minor   uint16     // classes other than the main lane's
	main    uint8

	adapters []*adapterPort // ports of NICs
	pieces   rows           // of a period that will be repeated

	mu    sync.Mutex // guards width, rows and what adapters show, which are read during the run
	width units.Time
	rows  rows
}

// Record makes the network record its links. main is the class of its data. It is called before the run.
func (n *Network) Record(main uint8) {
	lanes := len(n.ports) * n.classes
	tallies := make([]tally, lanes)
	for link := range n.ports {
		n.ports[link].flags |= flagFollowed
	}
	for _, p := range n.parts {
		p.tallies, p.most, p.width, p.closes = tallies, intervalsOf(lanes), firstInterval, firstInterval
		p.main, p.minor = main, (1<<n.classes-1)&^(1<<main)
	}
}

// intervalsOf is the bound of the intervals of a network: a power of two.
func intervalsOf(lanes int) int32 {
	most := int32(mostIntervals)
	for most > leastIntervals && int(most)*lanes > maxSamples {
		most /= 2
	}
	return most
}

// tally is the counters of a lane, which has a row in the open interval.
func (p *Partition) tally(index int32) *tally {
	t := &p.tallies[index]
	if !t.open {
		t.open = true
		p.open = append(p.open, index)
	}
	return t
}

// lane is the index of a lane of a link.
func (p *Partition) lane(link int32, class uint8) int32 {
	return link*int32(p.net.classes) + int32(class)
}

// follow reports a packet that a port sends to the trace, and counts it if no other count has it.
func (p *Partition) follow(link, i int32, k *pkt, start, end units.Time) {
	if p.net.packets != nil {
		p.sent(link, i, start, end)
	}
	if p.tallies == nil {
		return
	}
	t := p.tally(p.lane(link, p.main))
	if k.class != p.main {
		p.tally(p.lane(link, k.class)).bytes += int64(k.size)
		t.bytes += int64(k.size)
	}
	if p.net.packets == nil {
		p.net.ports[link].flags &^= flagFollowed // until the interval ends
	}
}

// tallyFrame takes a PFC frame out of the bytes of a port.
func (p *Partition) tallyFrame(port int32, bytes int32) {
	if p.tallies != nil {
		p.tallies[p.lane(port, p.main)].bytes += int64(bytes)
	}
}

// tallyCame counts a packet that waits in a lane from now on.
func (p *Partition) tallyCame(index, size int32) {
	t := &p.tallies[index]
	if t.queued == 0 {
		p.tally(index)
	}
	if t.queued+size > t.peak {
		t.lasted(p.now)
		t.changed = p.now
	}
	t.area -= uint64(size) * uint64(p.now)
	t.queued += size
}

// tallyLeft counts a packet that waits no longer.
func (p *Partition) tallyLeft(index, size int32) {
	t := &p.tallies[index]
	if t.queued > t.peak {
		t.lasted(p.now)
	}
	t.area += uint64(size) * uint64(p.now)
	t.queued -= size
}

// lasted notes the queue before a change, if it is the largest. A queue that came and left in one instant
// does not count: whether there is one depends on the partitions.
func (t *tally) lasted(now units.Time) {
	if t.changed < now {
		t.peak = max(t.peak, t.queued)
	}
}

// tallyStop records that a lane is stopped from now on, by a pause or for want of credits, or no longer.
func (p *Partition) tallyStop(index int32, stops bool) {
	switch t := p.tally(index); {
	case stops && !t.halted:
		t.halted = true
		t.stopped -= p.now
		t.stops++
	case !stops && t.halted:
		t.halted = false
		t.stopped += p.now
	}
}

// block sets the queues of a port that pauses stop.
func (o *port) block(p *Partition, port int32, queues uint16) {
	if p.tallies != nil {
		for changed := o.blocked ^ queues; changed != 0; changed &= changed - 1 {
			class := uint8(bits.TrailingZeros16(changed))
			p.tallyStop(p.lane(port, class), queues>>class&1 != 0)
		}
	}
	o.blocked = queues
}

// tallyMark counts a mark that a port sets.
func (p *Partition) tallyMark(index int32) {
	if p.tallies != nil {
		p.tally(index).marks++
	}
}

// dropAt drops a packet that waits for a port, or has no room to.
func (p *Partition) dropAt(port, i int32, why Drop) {
	if p.tallies != nil {
		p.tally(port*int32(p.net.classes)+int32(p.pool.hot[i].class)).drops++
	}
	p.drop(i, why)
}

// dropFrom drops a packet that has come over a link. It counts at the receiver's port, which is in this
// partition.
func (p *Partition) dropFrom(link, i int32, why Drop) {
	if p.tallies != nil {
		p.tally(p.net.inboxes[link].back*int32(p.net.classes)+int32(p.pool.hot[i].class)).refused++
	}
	p.drop(i, why)
}

// sample closes the intervals that end at or before t. No event before t is left.
func (p *Partition) sample(t units.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.closes <= t && len(p.open) > 0 {
		p.fit()
		if p.closes <= t {
			p.end(p.closes)
			p.closes += p.width
		}
	}
	if p.closes <= t { // nothing happens until t
		p.closes = (t/p.width + 1) * p.width
	}
}

// runIntervals is runEnds for a partition that records.
func (p *Partition) runIntervals(limit units.Time) {
	for t := p.queue.NextTime(); t < min(limit, p.halt); t = p.queue.NextTime() {
		p.sample(t)
		p.runEnds(min(limit, p.closes))
	}
}

// fit doubles the intervals until the number of the open one is within the bound.
func (p *Partition) fit() {
	for p.closes/p.width > units.Time(p.most) {
		p.widen()
		p.closes = (p.closes + p.width - 1) / p.width * p.width
	}
}

// widen merges each two intervals.
func (p *Partition) widen() {
	p.rows.fold(len(p.tallies))
	p.width *= 2
}

// end appends the rows of the open interval, which ends now.
func (p *Partition) end(now units.Time) {
	p.endInto(&p.rows, int32(p.closes/p.width)-1, now)
	p.show()
}

// endInto ends an interval now: it appends a row for each lane that did something in it. The next interval begins
// with the lanes that have a queue or are stopped.
func (p *Partition) endInto(rows *rows, interval int32, now units.Time) {
	classes := int32(p.net.classes)
	still := p.open[:0]
	for _, index := range p.open {
		t, s := &p.tallies[index], rows.next()
		t.lasted(now)
		*s = Sample{
			Lane: index, Interval: interval, Bytes: t.bytes, Area: t.area + uint64(t.queued)*uint64(now), Stopped: t.stopped,
			Peak: t.peak, Stops: t.stops, Marks: t.marks, Drops: t.drops, Refused: t.refused,
		}
		t.bytes, t.area, t.stopped, t.changed = 0, -uint64(t.queued)*uint64(now), 0, now
		t.peak, t.stops, t.marks, t.drops, t.refused = 0, 0, 0, 0, 0
		if link := index / classes; index == p.lane(link, p.main) {
			o := &p.net.ports[link]
			s.Bytes = o.bytes - s.Bytes
			t.bytes = o.bytes
			o.flags |= flagFollowed
		}
		if t.halted {
			s.Stopped += now
			t.stopped = -now
		}
		if t.open = t.queued != 0 || t.halted; t.open {
			still = append(still, index)
		}
		if s.idle() {
			rows.n-- // it did nothing after all
		}
	}
	p.open = still
}

// idle reports whether the lane did nothing.
func (s *Sample) idle() bool {
	return s.Bytes|int64(s.Area)|int64(s.Stopped)|int64(s.Stops|s.Marks|s.Drops|s.Refused) == 0
}

// add merges the next interval of the same lane into a sample.
func (s *Sample) add(t *Sample) {
	s.Bytes += t.Bytes
	s.Area += t.Area
	s.Stopped += t.Stopped
	s.Peak = max(s.Peak, t.Peak)
	s.Stops += t.Stops
	s.Marks += t.Marks
	s.Drops += t.Drops
	s.Refused += t.Refused
}

// rows are samples by interval, in chunks: more samples do not move those that are there.
type rows struct {
	chunks [][]Sample
	n      int
}

// chunkRows is the number of samples in a chunk.
const chunkRows = 1 << 11

func (r *rows) at(i int) *Sample { return &r.chunks[i/chunkRows][i%chunkRows] }

// next makes room for one more sample.
func (r *rows) next() *Sample {
	if r.n == len(r.chunks)*chunkRows {
		r.chunks = append(r.chunks, make([]Sample, chunkRows))
	}
	r.n++
	return r.at(r.n - 1)
}

// fold merges each two intervals of rows of at most a number of lanes.
func (r *rows) fold(lanes int) {
	last := make([]*Sample, lanes) // by lane
	old := *r
	r.n = 0
	for left, c := old.n, 0; left > 0; c++ {
		chunk := old.chunks[c][:min(left, chunkRows)]
		left -= len(chunk)
		for i := range chunk {
			s := chunk[i]
			s.Interval /= 2
			if l := last[s.Lane]; l != nil && l.Interval == s.Interval {
				l.add(&s)
				continue
			}
			own := r.next() // at or before s
			*own = s
			last[s.Lane] = own
		}
	}
}

// clone is a copy.
func (r *rows) clone() rows {
	own := rows{n: r.n}
	for _, c := range r.chunks {
		own.chunks = append(own.chunks, slices.Clone(c))
	}
	return own
}

// Recording is the record of a network.
type Recording struct {
	Interval units.Time // length of an interval; the first begins at 0
	Most     int        // bound of the number of intervals
	Classes  int        // lanes of a link
	Samples  []Sample   // by lane, then interval
}

// Recorded is the record up to the end of the run, which is over. A network without a record has nil.
func (n *Network) Recorded() *Recording {
	if n.parts[0].tallies == nil {
		return nil
	}
	last := n.LastEvent()
	if n.periods.survey != nil {
		n.periods.survey.abandon(n, last)
		n.periods.survey = nil
	}
	for _, p := range n.parts {
		p.sample(last)
		if len(p.open) > 0 {
			p.fit()
			p.end(max(last, p.closes-p.width)) // a record of periods may go on behind the last event
		}
		p.show()
	}
	return n.gather(func(r *rows) rows { return *r })
}

// RecordedSoFar is a copy of the record without the open intervals. It may be called while the
// network runs. A network without a record has nil.
func (n *Network) RecordedSoFar() *Recording {
	if n.parts[0].tallies == nil {
		return nil
	}
	return n.gather((*rows).clone)
}

// gather joins the rows of the partitions.
func (n *Network) gather(take func(*rows) rows) *Recording {
	r := &Recording{Classes: n.classes, Most: int(n.parts[0].most)}
	widths, all := make([]units.Time, len(n.parts)), make([]rows, len(n.parts))
	for i, p := range n.parts {
		p.mu.Lock()
		widths[i], all[i] = p.width, take(&p.rows)
		p.mu.Unlock()
		r.Interval = max(r.Interval, widths[i])
	}
	for i := range all {
		for ; widths[i] < r.Interval; widths[i] *= 2 {
			all[i].fold(len(n.ports) * n.classes)
		}
	}
	r.Samples = byLane(all, len(n.ports)*n.classes)
	return r
}

// byLane orders the rows of the partitions by lane. The rows of a lane are in one partition, in the
// order of their intervals.
func byLane(parts []rows, lanes int) []Sample {
	at := make([]int, lanes+1)
	for p := range parts {
		for i := range parts[p].n {
			at[parts[p].at(i).Lane+1]++
		}
	}
	for i := range lanes {
		at[i+1] += at[i]
	}
	out := make([]Sample, at[lanes])
	for p := range parts {
		for i := range parts[p].n {
			s := parts[p].at(i)
			out[at[s.Lane]] = *s
			at[s.Lane]++
		}
	}
	return out
}
