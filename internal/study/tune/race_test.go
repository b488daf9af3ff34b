package tune

import (
	"context"
	"hash/fnv"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// counted is a tuning with the number of its simulations.
func counted(t *testing.T, text string, run many.Runner, whole bool) (*Result, int64) {
	t.Helper()
	var n atomic.Int64
	r := tuned(t, text, Options{Workers: 2, whole: whole, Run: func(
		ctx context.Context, r *scenario.Resolved, o sim.Options,
	) (*results.Results, error) {
		n.Add(1)
		return run(ctx, r, o)
	}})
	return r, n.Load()
}

// noisy is the valley with noise of each candidate's own, of 2 % at most.
func noisy(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
	out, err := valley(ctx, r, o)
	text, _ := r.MarshalYAML()
	h := fnv.New64a()
	_, _ = h.Write(text)
	p := &out.Fabrics[0].Points[0]
	p.Time = units.Time(float64(p.Time) * (0.98 + 0.04*float64(h.Sum64()%1000)/1000))
	return out, err
}

// Racing finds the same values; with noise of each candidate's own its candidate is no worse by
// more than the noise. It stops a quarter of the candidates and more.
func TestRacingFindsWhatTheWholeSearchFinds(t *testing.T) {
	for _, x := range []struct {
		name   string
		run    many.Runner
		same   bool
		within float64 // of the score
	}{
		{"valley", valley, true, 0},
		{"noisy valley", noisy, false, 0.02},
	} {
		whole, all := counted(t, two, x.run, true)
		raced, n := counted(t, two, x.run, false)
		if 6*n > 5*all || whole.Search.Stopped != 0 {
			t.Errorf("%s: %d simulations, the whole search %d; want five sixths at most", x.name, n, all)
		}
		if 4*raced.Search.Stopped < raced.Search.Candidates {
			t.Errorf("%s: %d of %d candidates are stopped", x.name, raced.Search.Stopped, raced.Search.Candidates)
		}
		if x.same && !slices.Equal(raced.Best(), whole.Best()) {
			t.Errorf("%s: racing finds %q, the whole search %q", x.name, raced.Best(), whole.Best())
		}
		if got, want := raced.Search.Best, whole.Search.Best; got > want*(1+x.within) {
			t.Errorf("%s: racing finds a score of %.4f, the whole search %.4f", x.name, got, want)
		}
	}
}

// Differences with a standard deviation of 0.1 and 8 degrees of freedom: over three seeds the mean is
// below the first by less than 2.896 × 0.1 × √(2/3) with a probability of 99 %.
func TestTheMarginIsOfTheMeanOverAllSeeds(t *testing.T) {
	var s spread
	for range 4 {
		s.learn([]float64{0.9, 1, 1.1})
	}
	if got, want := s.margin(3), 2.896*0.1*math.Sqrt(2./3); math.Abs(got-want) > 1e-4 {
		t.Errorf("the margin is %.4f, want %.4f", got, want)
	}
	s.learn([]float64{1, math.Inf(1), 1})
	if s.freedom != 8 {
		t.Errorf("a candidate that failed counts: %v degrees of freedom", s.freedom)
	}
}
