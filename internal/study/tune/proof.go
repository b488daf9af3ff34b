package tune

import (
	"context"

	"gonum.org/v1/gonum/stat"

	"weft/internal/base/stats"
)

// Proof compares the tuned scenario with the scenario as it stands, on seeds that the search has
// not seen.
type Proof struct {
	Improvement stats.Interval `json:"improvement"` // of the objective, relative to the scenario as it stands
	Better      int            `json:"better"`      // seeds on which the tuned scenario is better
	Pairs       int            `json:"pairs"`       // seeds on which both have a result
	// StandsFailed is the number of seeds on which the scenario as it stands has no result: neither
	// better nor worse.
	StandsFailed int `json:"stands_failed"`
	// Failed is the number of seeds on which the tuned scenario has no result.
	Failed    int       `json:"failed"`
	FailedWhy string    `json:"failed_why,omitempty"`
	Measures  []Measure `json:"measures"`
	Verdict   Verdict   `json:"verdict"`
}

// Verdict is the result of a proof.
type Verdict string

// The verdicts.
const (
	Better    Verdict = "better"    // the interval is above 0, and no seed failed
	Worse     Verdict = "worse"     // the interval is below 0, or seeds failed
	Undecided Verdict = "undecided" // the interval contains 0
)

// Measure is a term of an objective, weighted or not, before and after.
type Measure struct {
	Bytes  int64          `json:"bytes"`
	Name   string         `json:"name"`
	Unit   Unit           `json:"unit"`
	Stands float64        `json:"stands"` // mean over the seeds
	Tuned  float64        `json:"tuned"`
	Change stats.Interval `json:"change"` // tuned minus original, in the unit
}

// proof runs both on the held-out seeds, pair by pair.
func proof(ctx context.Context, e *evaluator, best Candidate, seeds []uint64) (*Proof, error) {
	e.state.Doing = "proof"
	if err := e.simulate(ctx, []Candidate{nil, best}, seeds); err != nil {
		return nil, err
	}
	stands, _ := e.outcomes(nil, seeds)
	tuned, _ := e.outcomes(best, seeds)
	p := &Proof{}
	var before, after []Outcome
	for i := range seeds {
		switch {
		case stands[i].Failed != "":
			p.StandsFailed++
		case tuned[i].Failed != "":
			p.Failed++
			p.FailedWhy = tuned[i].Failed
		default:
			before, after = append(before, stands[i]), append(after, tuned[i])
		}
	}
	p.Pairs = len(before)
	p.judge(e, before, after)
	return p, nil
}

// judge compares the pairs.
func (p *Proof) judge(e *evaluator, before, after []Outcome) {
	if p.Pairs < 2 {
		p.Verdict = Undecided
		if p.Failed > 0 {
			p.Verdict = Worse
		}
		return
	}
	objective := &e.p.Stands.Tune.Objective
	var gains []float64
	base := 0.0
	for i := range before {
		was, is := score(objective, &before[i], &before[i]), score(objective, &after[i], &before[i])
		gains = append(gains, was-is)
		base += was / float64(len(before))
		if is < was {
			p.Better++
		}
	}
	p.Improvement = stats.IntervalOf(gains).Over(base)
	p.Measures = measures(before, after)
	switch {
	case p.Failed > 0 || p.Improvement.High < 0:
		p.Verdict = Worse
	case p.Improvement.Low > 0:
		p.Verdict = Better
	default:
		p.Verdict = Undecided
	}
}

// measures are the terms of every size before and after.
func measures(before, after []Outcome) []Measure {
	var out []Measure
	for k := range before[0].Sizes {
		for _, t := range Terms {
			var was, is, change []float64
			for i := range before {
				a, b := t.of(&before[i].Sizes[k]), t.of(&after[i].Sizes[k])
				was, is, change = append(was, a), append(is, b), append(change, b-a)
			}
			out = append(out, Measure{
				Bytes: before[0].Sizes[k].Bytes, Name: t.Name, Unit: t.Unit,
				Stands: stat.Mean(was, nil), Tuned: stat.Mean(is, nil), Change: stats.IntervalOf(change),
			})
		}
	}
	return out
}
