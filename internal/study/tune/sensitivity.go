package tune

import (
	"cmp"
	"context"
	"math"
	"slices"

	"weft/internal/base/sorting"
)

// Profile is the objective over the values of one parameter, while the others keep the tuned
// values.
type Profile struct {
	Path   string  `json:"path"`
	Points []Point `json:"points"`
	// Spread is the difference between the largest and the least score, relative to the tuned
	// score.
	Spread float64 `json:"spread"`
}

// Point is a value of a profile.
type Point struct {
	Value string  `json:"value"`
	Place float64 `json:"place"` // from 0 to 1 along the range
	// Score is the objective; nil if the value is impossible together with the others, or failed.
	Score *float64 `json:"score"`
	Tuned bool     `json:"tuned,omitempty"` // the tuned value
	Why   string   `json:"why,omitempty"`   // reason for a missing score
}

// sensitivity is the profiles of all parameters.
func sensitivity(ctx context.Context, e *evaluator, best Candidate, seeds []uint64) ([]Profile, error) {
	e.state.Doing = "sensitivity"
	out := []Profile{}
	for k := range e.p.Axes {
		p, err := profile(ctx, e, best, k, seeds)
		if err != nil {
			return out, err
		}
		out = append(out, p)
	}
	return out, nil
}

// profile is the sensitivity to one parameter.
func profile(ctx context.Context, e *evaluator, best Candidate, k int, seeds []uint64) (Profile, error) {
	points := pointsOf(e, best, k)
	candidates := make([]Candidate, len(points))
	for i := range points {
		candidates[i] = slices.Clone(best)
		candidates[i][k] = points[i].Value
	}
	if err := e.simulate(ctx, candidates, seeds); err != nil {
		return Profile{}, err
	}
	p := Profile{Path: e.p.Axes[k].Path, Points: points}
	own, least, most := 0.0, math.Inf(1), math.Inf(-1)
	for i, c := range candidates {
		score, _ := e.score(c, seeds)
		if points[i].Score = finite(score); points[i].Score == nil {
			points[i].Why = e.causeOf(c, seeds)
		}
		if s := points[i].Score; s != nil {
			least, most = min(least, *s), max(most, *s)
			if points[i].Tuned {
				own = *s
			}
		}
	}
	if own > 0 {
		p.Spread = (most - least) / own
	}
	return p, nil
}

// pointsOf are the values of a profile: of the enumeration, or levels at equal distances along the
// range and the tuned value.
func pointsOf(e *evaluator, best Candidate, k int) []Point {
	a := &e.p.Axes[k]
	levels := profileLength(a, e.p.Stands.Tune.Levels)
	values := []string{best[k]}
	for i := range levels {
		place := float64(i) / float64(levels-1)
		if !a.Numeric() {
			place = (float64(i) + 0.5) / float64(levels)
		}
		if v := a.At(place); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	var points []Point
	for _, v := range values {
		place, _ := a.Place(v)
		points = append(points, Point{Value: v, Place: place, Tuned: v == best[k]})
	}
	sorting.StableFunc(points, func(a, b Point) int { return cmp.Compare(a.Place, b.Place) })
	return points
}
