package workload

import (
	"cmp"

	"weft/internal/base/sorting"
	"weft/internal/sim/collective"
	"weft/units"
)

// KindTime is the time of the communications of a kind.
type KindTime struct {
	Purpose Purpose
	// Kind is Send or Collective, and Do the collective. A message counts at its
	// sender and moves at both ends.
	Kind Kind
	Do   collective.Op
	// Count is the number over all ranks: a collective counts once for each member.
	Count int64
	// Bytes is the sum of their sizes.
	Bytes units.Bytes
	// Moving is the time in which a rank moved data of the kind, the mean over all ranks.
	// Overlapping times count once.
	Moving units.Time
}

// kindKey identifies a kind.
type kindKey struct {
	purpose Purpose
	kind    Kind
	do      collective.Op
}

func (o *Op) kindKey() kindKey {
	if o.Kind == Collective {
		return kindKey{o.Purpose, Collective, o.Do}
	}
	return kindKey{purpose: o.Purpose, kind: Send}
}

// Kinds are the communications of a timeline by kind, in the order of purposes and operations.
// Unfinished communications are left out.
func Kinds(g *Graph, t *Timeline) []KindTime {
	moved := movedAt(g, t)
	found := make(map[kindKey]*KindTime)
	for rank, ops := range g.Ranks {
		open := make(map[kindKey][]Span)
		for i := range ops {
			o, s := &ops[i], t.Spans[rank][i]
			if o.Kind == Compute || s.End < 0 {
				continue
			}
			key := o.kindKey()
			k := found[key]
			if k == nil {
				k = &KindTime{Purpose: key.purpose, Kind: key.kind, Do: key.do}
				found[key] = k
			}
			if o.Kind != Recv {
				k.Count++
				k.Bytes += o.Bytes
			}
			open[key] = append(open[key], Span{moved[rank][i], s.End})
		}
		for key, spans := range open {
			found[key].Moving += covered(spans)
		}
	}
	out := make([]KindTime, 0, len(found))
	for _, k := range found {
		k.Moving /= units.Time(len(g.Ranks))
		out = append(out, *k)
	}
	sorting.Func(out, func(a, b KindTime) int {
		return cmp.Or(cmp.Compare(a.Purpose, b.Purpose), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Do, b.Do))
	})
	return out
}

// covered is the length of the union of spans.
func covered(spans []Span) (sum units.Time) {
	sorting.Func(spans, func(a, b Span) int { return cmp.Compare(a.Begin, b.Begin) })
	end := units.Time(0)
	for _, s := range spans {
		if from := max(s.Begin, end); s.End > from {
			sum += s.End - from
			end = s.End
		}
	}
	return sum
}
