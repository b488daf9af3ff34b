package tune

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// spread is how far the differences between the scores of two candidates lie apart over the seeds,
// as the candidates show that were simulated with all of them.
type spread struct {
	sum     float64 // of squared deviations from each candidate's mean
	freedom float64
}

// leastFreedom is the number of degrees of freedom from which on the spread is known: before, a
// candidate has all seeds.
const leastFreedom = 8

// sure is the probability with which a candidate that is stopped is worse than the mark.
const sure = 0.99

// learn takes the differences of a candidate over the seeds.
func (s *spread) learn(differences []float64) {
	mean, deviation := stat.MeanStdDev(differences, nil)
	if n := float64(len(differences)); n > 1 && !math.IsInf(mean, 0) { // none has failed
		s.sum += deviation * deviation * (n - 1)
		s.freedom += n - 1
	}
}

// margin is how much less the difference can be over n seeds than with the first of them. With one seed
// there is no other difference.
func (s *spread) margin(n int) float64 {
	switch {
	case n <= 1:
		return 0
	case s.freedom == 0: // all have failed with a seed
		return math.Inf(1)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: s.freedom}.Quantile(sure)
	return t * math.Sqrt(s.sum/s.freedom*(1-1/float64(n)))
}

// outcome is what became of a candidate in a race.
type outcome struct {
	score   float64 // NaN: not known, since ctx has ended
	stopped bool    // the score is an estimate
}

// race simulates candidates, of which the best matter, so many, and their order. The first seed
// shows which cannot be among them: the last of those that are among them there, the mark, is better
// by more than the margin. They are not simulated with the other seeds, and their score is that of
// the mark and the difference. There are two rounds, so that many cores have work.
func (s *searcher) race(ctx context.Context, all []Candidate, matter int) ([]outcome, error) {
	pilots := len(all)
	if n := len(s.seeds); n > 1 && !s.e.o.whole {
		pilots = min(len(all), int(math.Ceil(max(0, leastFreedom-s.spread.freedom)/float64(n-1))))
	}
	if err := s.e.simulate(ctx, all[:pilots], s.seeds); err != nil {
		return s.known(all), err
	}
	s.learn(all[:pilots])
	rest := all[pilots:]
	if err := s.e.simulate(ctx, rest, s.seeds[:1]); err != nil {
		return s.known(all), err
	}
	mark := s.mark(all, matter)
	limit := s.first(mark) + s.spread.margin(len(s.seeds))
	isStopped := func(c Candidate) bool { return s.first(c) > limit }
	rest = slices.DeleteFunc(slices.Clone(rest), isStopped)
	if err := s.e.simulate(ctx, rest, s.seeds); err != nil {
		return s.known(all), err
	}
	s.learn(rest)
	out := s.known(all)
	score, _ := s.e.score(mark, s.seeds)
	for i, c := range all[pilots:] {
		if isStopped(c) {
			out[pilots+i] = outcome{score + (s.first(c) - s.first(mark)), true}
			s.stopped++
		}
	}
	return out, nil
}

// mark is the last of so many candidates that are the best with the first seed. If one matters, the
// best candidate so far is one of them.
func (s *searcher) mark(all []Candidate, matter int) Candidate {
	if matter == 1 && s.best != nil {
		all = append(slices.Clone(all), s.best)
	}
	order := slices.SortedStableFunc(slices.Values(all), func(a, b Candidate) int {
		return cmp.Compare(s.first(a), s.first(b))
	})
	return order[min(matter, len(order))-1]
}

// first is the score of a candidate with the first seed.
func (s *searcher) first(c Candidate) float64 {
	score, _ := s.e.score(c, s.seeds[:1])
	return score
}

// known are the scores of candidates that were simulated with all seeds.
func (s *searcher) known(all []Candidate) []outcome {
	out := make([]outcome, len(all))
	for i, c := range all {
		score, ok := s.e.score(c, s.seeds)
		if out[i].score = score; !ok {
			out[i].score = math.NaN()
		}
	}
	return out
}

// learn takes the spread of candidates that were simulated with all seeds.
func (s *searcher) learn(all []Candidate) {
	for _, c := range all {
		var differences []float64
		for _, seed := range s.seeds {
			own := []uint64{seed}
			score, _ := s.e.score(c, own)
			stands, _ := s.e.score(nil, own)
			differences = append(differences, score-stands)
		}
		s.spread.learn(differences)
	}
}
