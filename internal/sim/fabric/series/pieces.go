package series

import "weft/units"

// joinPieces turns the pieces of a partition into rows, and into the sums of the open interval.
func (r *Recorder) joinPieces(s *Survey, times uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, last := s.end(times), r.lastActivity(s, times)
	for r.width < r.widthFor(last) {
		r.widen()
	}
	r.closes = (now/r.width + 1) * r.width
	r.ends = now
	r.ends = min(r.closes, (now/r.step()+1)*r.step())
	r.restartOpen(now)
	spans := s.spans(r.width, min(now, (last/r.width+1)*r.width))
	all := []rows{{}, r.pieces}
	if r.pieces.n > 0 {
		all[0] = r.rows.remove(spans[0].interval) // if it is two of the intervals before the survey
	}
	r.pieces = rows{}
	pieces := byLane(all, len(r.lanes))
	l := lanePieces{sums: make([]Sample, len(s.cuts)+1), peaks: make([]int32, 2*len(s.cuts))}
	for len(pieces) > 0 {
		lane, end := pieces[0].Lane, 1
		for end < len(pieces) && pieces[end].Lane == lane {
			end++
		}
		l.read(pieces[:end])
		pieces = pieces[end:]
		r.joinLane(lane, &l, spans)
	}
}

// joinLane turns the pieces of a lane into rows.
func (r *Recorder) joinLane(lane int32, l *lanePieces, spans []span) {
	for i := range spans {
		sum := l.during(&spans[i])
		if i == 0 {
			sum.merge(&l.before)
		}
		sum.Lane, sum.Interval = lane, spans[i].interval
		switch {
		case sum.isIdle():
		case spans[i].open:
			r.add(&sum)
		default:
			*r.rows.append() = sum
		}
	}
}

// lastActivity is a time of the last interval in which the partition does something, until the end of a number of
// periods after the survey's.
func (r *Recorder) lastActivity(s *Survey, times uint64) units.Time {
	last := int32(0)
	if r.pieces.n > 0 {
		last = r.pieces.row(r.pieces.n - 1).Interval
	}
	switch {
	case len(r.open) > 0: // it goes on
		return s.end(times)
	case last > 1:
		return s.end(times) - s.length + s.cuts[last-2]
	case last == 1:
		return s.end(times) - s.length
	case r.pieces.n > 0:
		return s.began
	}
	return 0
}

// restartOpen makes the counters of the open lanes begin now. They have begun at the end of the last piece.
func (r *Recorder) restartOpen(now units.Time) {
	for _, index := range r.open {
		t := &r.lanes[index]
		t.area, t.changed = -uint64(t.queued)*uint64(now), now
		if t.halted {
			t.stopped = -now
		}
	}
}

// lanePieces is what a lane does in a period.
type lanePieces struct {
	before Sample   // in the open interval, before the period
	sums   []Sample // by cut: from the beginning of the period; the peak is that of the last piece
	peaks  []int32  // a tree: the second half is the pieces' peaks, and i has the larger of 2i and 2i+1
}

// read takes the pieces of a lane, in order.
func (l *lanePieces) read(rows []Sample) {
	l.before = Sample{}
	for len(rows) > 0 && rows[0].Interval == 0 {
		l.before.merge(&rows[0])
		rows = rows[1:]
	}
	sum := Sample{}
	for i := range l.sums {
		sum.Peak = 0
		if len(rows) > 0 && int(rows[0].Interval) == i {
			sum.merge(&rows[0])
			rows = rows[1:]
		}
		l.sums[i] = sum
	}
	n := len(l.sums) - 1
	for i := range n {
		l.peaks[n+i] = l.sums[1+i].Peak
	}
	for i := n - 1; i > 0; i-- {
		l.peaks[i] = max(l.peaks[2*i], l.peaks[2*i+1])
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
func (l *lanePieces) peak(s *span) int32 {
	n := len(l.peaks) / 2
	switch {
	case s.whole == 0:
		return l.most(s.from, s.to)
	case s.whole > 1: // a period, or more
		return l.most(0, n)
	default: // across the end of a period
		return max(l.most(0, s.to), l.most(s.from, n))
	}
}

// most is the largest queue in the pieces from one to before another. It takes the logarithm of their number: a
// period may be cut into as many pieces as there are intervals.
func (l *lanePieces) most(from, to int) (most int32) {
	n := len(l.peaks) / 2
	for from, to = from+n, to+n; from < to; from, to = from/2, to/2 {
		if from%2 == 1 {
			most = max(most, l.peaks[from])
			from++
		}
		if to%2 == 1 {
			to--
			most = max(most, l.peaks[to])
		}
	}
	return most
}
