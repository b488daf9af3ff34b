package fabric

import (
	"slices"

	"weft/units"
)

// A record receives what happens in skipped periods, too. When the network is about to skip, it first simulates
// one more period in pieces: the record is cut at each place of the period at which an interval will end, in
// whichever period that will be. What a lane does in an interval is then the sum of whole periods and of pieces.
// A network has at most mostIntervals intervals, so the pieces are few.

// survey is a period whose pieces are recorded, because further periods will be as it is.
type survey struct {
	began, length units.Time
	width         units.Time   // of the intervals at whose ends there are cuts
	times         uint64       // further periods, at most
	cuts          []units.Time // ends of the pieces, from the beginning of the period; the last one is its length
	cut           int          // the next of them
}

// recording reports whether the network records its links.
func (n *Network) recording() bool { return n.parts[0].tallies != nil }

// watchPorts makes the next packet of each port begin its row of the open interval. Which ports have one is no
// part of the state.
func (n *Network) watchPorts() {
	if n.recording() {
		for link := range n.ports {
			n.ports[link].flags |= flagFollowed
		}
	}
}

// surveyFrom begins a survey of a period that begins now. No event before now is left.
func (n *Network) surveyFrom(now, length units.Time, times uint64) *survey {
	s := &survey{began: now, length: length, times: times}
	for _, p := range n.parts {
		p.sample(now)
		p.endInto(&p.pieces, 0, now) // what the open interval has before now is piece 0
		p.closes = units.Forever
		p.repeats = true
	}
	end := s.end(times)
	s.width = n.parts[0].widthFor(end - length) // no shorter intervals will be left if the last period does something
	for t := (now/s.width + 1) * s.width; t < end; t += s.width {
		if at := (t - now) % length; at > 0 {
			s.cuts = append(s.cuts, at)
		}
	}
	s.cuts = append(s.cuts, length)
	slices.Sort(s.cuts)
	s.cuts = slices.Compact(s.cuts)
	n.parts[0].halt = now + s.cuts[0]
	return s
}

// widthFor is the length of intervals of a record in which something happens at a time.
func (p *Partition) widthFor(t units.Time) units.Time {
	width := firstInterval
	for t/width >= units.Time(p.most) {
		width *= 2
	}
	return width
}

// end is the end of a number of periods after the one of the survey.
func (s *survey) end(times uint64) units.Time {
	return s.began + units.Time(1+times)*s.length
}

// cutAt ends a piece, and reports whether it is the last one of the period.
func (s *survey) cutAt(n *Network, now units.Time) bool {
	s.cut++
	for _, p := range n.parts {
		p.endInto(&p.pieces, int32(s.cut), now)
	}
	if s.cut == len(s.cuts) {
		return true
	}
	n.parts[0].halt = s.began + s.cuts[s.cut]
	return false
}

// take removes the rows of an interval, and numbers them 0.
func (r *rows) take(interval int32) (taken rows) {
	all := *r
	r.n = 0
	for i := range all.n {
		s := *all.at(i)
		if s.Interval == interval {
			s.Interval = 0
			*taken.next() = s
		} else {
			*r.next() = s // at or before s
		}
	}
	return taken
}

// finish joins the pieces to the intervals of the survey's period and of a number of periods after it, by which the
// state has moved on.
func (s *survey) finish(n *Network, times uint64) {
	for link := range n.ports {
		o := &n.ports[link]
		o.flags |= flagFollowed
		n.parts[0].tallies[n.parts[0].lane(int32(link), n.parts[0].main)].bytes = o.bytes
	}
	for _, p := range n.parts {
		p.joinPieces(s, times)
		p.again(int64(times), s.length)
	}
}

// abandon ends a survey before its end: the run is over.
func (s *survey) abandon(n *Network, now units.Time) {
	s.length = max(1, now-s.began)
	s.cuts = append(s.cuts[:s.cut], s.length)
	s.cutAt(n, s.began+s.length)
	for _, p := range n.parts {
		p.mu.Lock()
		for p.width < s.width {
			p.widen()
		}
		p.mu.Unlock()
	}
	s.finish(n, 0)
}

// span is an interval, or the part of it since the survey has begun: from and to are places in the period, as numbers of
// cuts, and whole is the number of periods between.
type span struct {
	interval int32
	from, to int
	whole    uint64 // of to, less that of from
	open     bool   // it has not ended
}

// spans are the intervals from the beginning of the survey until an end.
func (s *survey) spans(width, end units.Time) (all []span) {
	for at := s.began / width * width; at < end; at += width {
		from, a := s.place(max(at, s.began))
		to, b := s.place(min(at+width, end))
		all = append(all, span{interval: int32(at / width), from: from, to: to, whole: b - a, open: at+width > end})
	}
	return all
}

// place is the number of the last cut up to a time, and the number of periods before it.
func (s *survey) place(t units.Time) (cut int, periods uint64) {
	t -= s.began
	cut, _ = slices.BinarySearch(s.cuts, t%s.length+1)
	return cut, uint64(t / s.length)
}

// joinPieces turns the pieces of a partition into rows, and into the counters of the open interval.
func (p *Partition) joinPieces(s *survey, times uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, last := s.end(times), p.lastActivity(s, times)
	for p.width < p.widthFor(last) {
		p.widen()
	}
	p.closes = (now/p.width + 1) * p.width
	p.restartOpen(now)
	spans := s.spans(p.width, min(now, (last/p.width+1)*p.width))
	all := []rows{{}, p.pieces}
	if p.pieces.n > 0 {
		all[0] = p.rows.take(spans[0].interval) // if it is two of the intervals before the survey
	}
	p.pieces = rows{}
	pieces := byLane(all, len(p.tallies))
	l := lanePieces{sums: make([]Sample, len(s.cuts)+1)}
	for len(pieces) > 0 {
		lane, end := pieces[0].Lane, 1
		for end < len(pieces) && pieces[end].Lane == lane {
			end++
		}
		l.read(pieces[:end])
		pieces = pieces[end:]
		p.joinLane(lane, &l, spans)
	}
}

// joinLane turns the pieces of a lane into rows.
func (p *Partition) joinLane(lane int32, l *lanePieces, spans []span) {
	for i := range spans {
		sum := l.during(&spans[i])
		if i == 0 {
			sum.add(&l.before)
		}
		sum.Lane, sum.Interval = lane, spans[i].interval
		switch {
		case sum.idle():
		case spans[i].open:
			p.reopen(&sum)
		default:
			*p.rows.next() = sum
		}
	}
}

// lastActivity is a time of the last interval in which the partition does something, until the end of a number of
// periods after the survey's.
func (p *Partition) lastActivity(s *survey, times uint64) units.Time {
	last := int32(0)
	if p.pieces.n > 0 {
		last = p.pieces.at(p.pieces.n - 1).Interval
	}
	switch {
	case len(p.open) > 0: // it goes on
		return s.end(times)
	case last > 1:
		return s.end(times) - s.length + s.cuts[last-2]
	case last == 1:
		return s.end(times) - s.length
	case p.pieces.n > 0:
		return s.began
	}
	return 0
}

// restartOpen makes the counters of the open lanes begin now. They have begun at the end of the last piece.
func (p *Partition) restartOpen(now units.Time) {
	for _, index := range p.open {
		t := &p.tallies[index]
		t.area, t.changed = -uint64(t.queued)*uint64(now), now
		if t.halted {
			t.stopped = -now
		}
	}
}

// reopen adds what a lane has done to its counters of the open interval.
func (p *Partition) reopen(s *Sample) {
	t := p.tally(s.Lane)
	if class := uint8(int(s.Lane) % p.net.classes); class == p.main {
		t.bytes -= s.Bytes
	} else {
		t.bytes += s.Bytes
	}
	t.area += s.Area
	t.stopped += s.Stopped
	t.peak = s.Peak
	t.stops += s.Stops
	t.marks += s.Marks
	t.drops += s.Drops
	t.refused += s.Refused
}

// lanePieces is what a lane does in a period.
type lanePieces struct {
	before Sample   // in the open interval, before the period
	sums   []Sample // by cut: from the beginning of the period; the peak is that of the last piece
}

// read takes the pieces of a lane, in order.
func (l *lanePieces) read(rows []Sample) {
	l.before = Sample{}
	for len(rows) > 0 && rows[0].Interval == 0 {
		l.before.add(&rows[0])
		rows = rows[1:]
	}
	sum := Sample{}
	for i := range l.sums {
		sum.Peak = 0
		if len(rows) > 0 && int(rows[0].Interval) == i {
			sum.add(&rows[0])
			rows = rows[1:]
		}
		l.sums[i] = sum
	}
}

// during is what the lane does in a part of an interval.
func (l *lanePieces) during(s *span) (sum Sample) {
	from, to, all := &l.sums[s.from], &l.sums[s.to], &l.sums[len(l.sums)-1]
	sum.Bytes = int64(s.whole)*all.Bytes + to.Bytes - from.Bytes
	sum.Area = s.whole*all.Area + to.Area - from.Area
	sum.Stopped = units.Time(s.whole)*all.Stopped + to.Stopped - from.Stopped
	sum.Stops = uint32(s.whole)*all.Stops + to.Stops - from.Stops
	sum.Marks = uint32(s.whole)*all.Marks + to.Marks - from.Marks
	sum.Drops = uint32(s.whole)*all.Drops + to.Drops - from.Drops
	sum.Refused = uint32(s.whole)*all.Refused + to.Refused - from.Refused
	sum.Peak = l.peak(s)
	return sum
}

// peak is the largest queue in a part of an interval.
func (l *lanePieces) peak(s *span) (most int32) {
	pieces := l.sums[1:]
	within := pieces[s.from:]
	switch {
	case s.whole == 0:
		within = pieces[s.from:s.to]
	case s.whole > 1: // a period, or more
		within = pieces
	default: // across the end of a period
		for i := range pieces[:s.to] {
			most = max(most, pieces[i].Peak)
		}
	}
	for i := range within {
		most = max(most, within[i].Peak)
	}
	return most
}
