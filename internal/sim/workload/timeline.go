package workload

import "weft/units"

// Timeline holds the begin and the end of each operation of each rank.
type Timeline struct {
	Spans [][]Span // by rank and operation
	End   units.Time
}

// Span is an operation's time. Begin < 0 if it never began, and End < 0 if it never ended.
type Span struct{ Begin, End units.Time }

// NewTimeline is a timeline in which no operation has begun.
func NewTimeline(g *Graph) *Timeline {
	t := &Timeline{Spans: make([][]Span, len(g.Ranks))}
	for rank, ops := range g.Ranks {
		t.Spans[rank] = make([]Span, len(ops))
		for i := range ops {
			t.Spans[rank][i] = Span{-1, -1}
		}
	}
	return t
}

// Began records the begin of an operation.
func (t *Timeline) Began(rank int, op int32, now units.Time) { t.Spans[rank][op].Begin = now }

// Over records the end of an operation.
func (t *Timeline) Over(rank int, op int32, now units.Time) {
	t.Spans[rank][op].End = now
	t.End = max(t.End, now)
}
