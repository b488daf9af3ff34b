package series

import (
	"slices"

	"weft/units"
)

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

// isIdle reports whether the lane did nothing.
func (s *Sample) isIdle() bool {
	return s.Bytes|int64(s.Area)|int64(s.Stopped)|int64(s.Stops|s.Marks|s.Drops|s.Refused) == 0
}

// merge adds the next interval of the same lane to a sample.
func (s *Sample) merge(t *Sample) {
	s.Bytes += t.Bytes
	s.Area += t.Area
	s.Stopped += t.Stopped
	s.Peak = max(s.Peak, t.Peak)
	s.Stops += t.Stops
	s.Marks += t.Marks
	s.Drops += t.Drops
	s.Refused += t.Refused
}

// rows is a list of samples by interval. It grows by chunks, so that no sample is copied.
type rows struct {
	chunks [][]Sample
	n      int
}

// chunkRows is the number of samples in a chunk.
const chunkRows = 1 << 11

func (r *rows) row(i int) *Sample { return &r.chunks[i/chunkRows][i%chunkRows] }

// append makes room for one more sample.
func (r *rows) append() *Sample {
	if r.n == len(r.chunks)*chunkRows {
		r.chunks = append(r.chunks, make([]Sample, chunkRows))
	}
	r.n++
	return r.row(r.n - 1)
}

// halve merges each two intervals of rows of at most a number of lanes.
func (r *rows) halve(lanes int) {
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
				l.merge(&s)
				continue
			}
			own := r.append() // at or before s
			*own = s
			last[s.Lane] = own
		}
	}
}

// remove removes the rows of an interval, and numbers them 0.
func (r *rows) remove(interval int32) (removed rows) {
	all := *r
	r.n = 0
	for i := range all.n {
		s := *all.row(i)
		if s.Interval == interval {
			s.Interval = 0
			*removed.append() = s
		} else {
			*r.append() = s // at or before s
		}
	}
	return removed
}

// clone is a copy.
func (r *rows) clone() rows {
	own := rows{n: r.n}
	for _, c := range r.chunks {
		own.chunks = append(own.chunks, slices.Clone(c))
	}
	return own
}

// byLane orders the rows of several recorders by lane. The rows of a lane are in one of them, in the
// order of their intervals.
func byLane(parts []rows, lanes int) []Sample {
	ends := make([]int, lanes+1)
	for p := range parts {
		for i := range parts[p].n {
			ends[parts[p].row(i).Lane+1]++
		}
	}
	for i := range lanes {
		ends[i+1] += ends[i]
	}
	out := make([]Sample, ends[lanes])
	for p := range parts {
		for i := range parts[p].n {
			s := parts[p].row(i)
			out[ends[s.Lane]] = *s
			ends[s.Lane]++
		}
	}
	return out
}
