package series

import (
	"slices"

	"weft/units"
)

// Survey is a period whose pieces are recorded, because further periods will be as it is.
type Survey struct {
	records       []*Recorder
	began, length units.Time
	width         units.Time   // of the intervals at whose ends there are cuts
	cuts          []units.Time // ends of the pieces, from the beginning of the period; the last one is its length
	cut           int          // the next of them
}

// NewSurvey begins a survey of a period that begins now. No event before now is left.
func NewSurvey(records []*Recorder, now, length units.Time, times uint64) *Survey {
	s := &Survey{records: records, began: now, length: length}
	for _, r := range records {
		r.Close(now)
		r.ends = units.Forever
		r.endInto(&r.pieces, 0, now) // what the open interval has before now is piece 0
		r.endSums(&r.pieces, 0)
	}
	end := s.end(times)
	s.width = records[0].widthFor(end - length) // no shorter intervals will be left if the last period does something
	for t := (now/s.width + 1) * s.width; t < end; t += s.width {
		if into := (t - now) % length; into > 0 {
			s.cuts = append(s.cuts, into)
		}
	}
	s.cuts = append(s.cuts, length)
	slices.Sort(s.cuts)
	s.cuts = slices.Compact(s.cuts)
	return s
}

// widthFor is the length of intervals of a record in which something happens at a time.
func (r *Recorder) widthFor(t units.Time) units.Time {
	width := FirstInterval
	for t/width >= units.Time(r.most) {
		width *= 2
	}
	return width
}

// end is the end of a number of periods after the one of the survey.
func (s *Survey) end(times uint64) units.Time {
	return s.began + units.Time(1+times)*s.length
}

// Length is the length of the period.
func (s *Survey) Length() units.Time { return s.length }

// NextCut is the end of the present piece.
func (s *Survey) NextCut() units.Time { return s.began + s.cuts[s.cut] }

// Cut ends a piece, and reports whether it is the last one of the period.
func (s *Survey) Cut(now units.Time) (last bool) {
	s.cut++
	for _, r := range s.records {
		r.endInto(&r.pieces, int32(s.cut), now)
	}
	return s.cut == len(s.cuts)
}

// Finish joins the pieces to the intervals of the survey's period and of a number of periods after it,
// by which the state has moved on.
func (s *Survey) Finish(times uint64) {
	for i, first := 0, s.records[0]; i < len(first.lanes); i += int(first.classes) {
		link := int32(i) / first.classes
		first.lanes[first.Index(link, first.main)].bytes = first.sent(link)
	}
	if d := s.records[0].details; d != nil {
		d.move(s.began, units.Time(times)*s.length)
	}
	for _, r := range s.records {
		r.joinPieces(s, times)
	}
}

// Abandon ends a survey before its end: the run is over.
func (s *Survey) Abandon(now units.Time) {
	s.length = max(1, now-s.began)
	s.cuts = append(s.cuts[:s.cut], s.length)
	s.Cut(s.began + s.length)
	for _, r := range s.records {
		r.mu.Lock()
		for r.width < s.width {
			r.widen()
		}
		r.mu.Unlock()
	}
	s.Finish(0)
}

// span is an interval, or the part of it since the survey has begun: from and to are places in the
// period, as numbers of cuts, and whole is the number of periods between.
type span struct {
	interval int32
	from, to int
	whole    uint64 // of to, less that of from
	open     bool   // it has not ended
}

// spans are the intervals from the beginning of the survey until an end.
func (s *Survey) spans(width, end units.Time) (all []span) {
	for begin := s.began / width * width; begin < end; begin += width {
		from, a := s.lastCut(max(begin, s.began))
		to, b := s.lastCut(min(begin+width, end))
		all = append(all, span{interval: int32(begin / width), from: from, to: to, whole: b - a, open: begin+width > end})
	}
	return all
}

// lastCut is the number of the last cut up to a time, and the number of periods before it.
func (s *Survey) lastCut(t units.Time) (cut int, periods uint64) {
	t -= s.began
	cut, _ = slices.BinarySearch(s.cuts, t%s.length+1)
	return cut, uint64(t / s.length)
}
