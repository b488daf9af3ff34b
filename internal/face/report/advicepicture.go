package report

import (
	"fmt"
	"strconv"

	"weft/internal/face/doc"
	"weft/internal/study/advise"
)

// Classes of the lanes of an advice.
const (
	presentClass = "w1" // the present weight
	unusedClass  = "w2" // points that a fabric does not get
)

// pointLanes are the points of both fabrics by criterion, over the weights.
func pointLanes(a *advise.Advice) []doc.Block {
	most := 0
	for _, c := range a.Verdict.Criteria {
		most = max(most, c.Weight)
	}
	if most == 0 || !bothDesigned(a) {
		return nil
	}
	out := doc.Lanes{
		Label: "points by criterion", Keys: append(fabricKeys(a), doc.LaneKey{Class: unusedClass, Label: "the rest of the weight"}),
		Ticks: weightTicks(most),
	}
	for _, c := range a.Verdict.Criteria {
		row := doc.Lane{Name: c.Name, Note: fmt.Sprintf("weight %d: %s and %s", c.Weight, points(c.Points[0]), points(c.Points[1]))}
		if !c.Scored {
			row.Note = fmt.Sprintf("weight %d, not scored", c.Weight)
		}
		for i := range c.Points {
			got, all := c.Points[i]/float64(most), float64(c.Weight)/float64(most)
			row.Tracks = append(row.Tracks, []doc.Span{{To: got, Class: fmt.Sprintf("s%d", i)}, {From: got, To: all, Class: unusedClass}})
		}
		out.Rows = append(out.Rows, row)
	}
	return []doc.Block{out}
}

func bothDesigned(a *advise.Advice) bool {
	return a.Candidates[0].Design != nil && a.Candidates[1].Design != nil
}

func fabricKeys(a *advise.Advice) (out []doc.LaneKey) {
	for i, c := range a.Candidates {
		out = append(out, doc.LaneKey{Class: fmt.Sprintf("s%d", i), Label: c.Name()})
	}
	return out
}

// weightAxis is the largest drawn weight, unless a weight is larger.
const weightAxis = 100

// weightLanes are the choice at every weight of each criterion, the other weights unchanged.
func weightLanes(a *advise.Advice) []doc.Block {
	if !bothDesigned(a) {
		return nil
	}
	most := weightAxis
	for _, c := range a.Verdict.Criteria {
		most = max(most, c.Weight)
	}
	out := doc.Lanes{
		Label: "the choice by weight", Keys: append(fabricKeys(a), doc.LaneKey{Class: presentClass, Label: "the present weight"}),
		Ticks: weightTicks(most),
	}
	for i := range a.Verdict.Criteria {
		if c := &a.Verdict.Criteria[i]; c.Scored && c.Weight > 0 {
			out.Rows = append(out.Rows, weightLane(a, c, float64(most)))
		}
	}
	if len(out.Rows) == 0 {
		return nil
	}
	return []doc.Block{out}
}

// weightLane is the choice over the weight of a criterion. The points of a criterion grow in
// proportion to its weight, so that the choice turns at most once.
func weightLane(a *advise.Advice, c *advise.Criterion, most float64) doc.Lane {
	v := &a.Verdict
	lead := v.Points[1] - v.Points[0]
	slope := (c.Points[1] - c.Points[0]) / float64(c.Weight)
	start := lead - slope*float64(c.Weight) // at weight 0
	winner := func(lead float64) int {
		if lead > 0 {
			return 1
		}
		return 0
	}
	row := doc.Lane{Name: c.Name, Note: fmt.Sprintf("now %d; always %s", c.Weight, a.Candidates[winner(lead)].Name())}
	at := func(w float64) float64 { return w / most }
	turn, first, last := most, winner(start), winner(start+slope*most)
	if first != last {
		turn = -start / slope
		row.Note = fmt.Sprintf("now %d; turns at %s from %s to %s", c.Weight, points(turn), a.Candidates[first].Name(), a.Candidates[last].Name())
	}
	spans := []doc.Span{{To: at(turn), Class: fmt.Sprintf("s%d", first), Title: a.Candidates[first].Name()}}
	if turn < most {
		spans = append(spans, doc.Span{From: at(turn), To: 1, Class: fmt.Sprintf("s%d", last), Title: a.Candidates[last].Name()})
	}
	now := at(float64(c.Weight))
	row.Tracks = [][]doc.Span{spans, {{From: max(0, now-0.003), To: now + 0.003, Class: presentClass, Title: "now"}}}
	return row
}

// weightTicks are the quarters of an axis, as they are: 6.25, not 6.2 or 6.
func weightTicks(most int) []doc.LaneTick {
	return doc.LaneTicks(4, func(share float64) string { return strconv.FormatFloat(share*float64(most), 'f', -1, 64) })
}
