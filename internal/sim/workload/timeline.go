package workload

import "weft/units"

// Timeline is when each operation of each rank began and was over.
type Timeline struct {
	Spans [][]Span // by rank and operation
	End   units.Time
}

// Span is an operation's time. One that never began has Begin < 0, and one that
// never was over End < 0.
type Span struct{ Begin, End units.Time }

// NewTimeline is a timeline in which nothing has begun.
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

// Began notes that an operation has begun.
func (t *Timeline) Began(rank int, op int32, now units.Time) { t.Spans[rank][op].Begin = now }

// Over notes that an operation is over.
func (t *Timeline) Over(rank int, op int32, now units.Time) {
	t.Spans[rank][op].End = now
	t.End = max(t.End, now)
}
