package calibrate

import (
	"math"
	"slices"
)

// simplex minimises f from a start by the method of Nelder and Mead ("A simplex
// method for function minimization", Computer Journal 7, 1965): reflection,
// expansion, contraction towards the better of the worst point and its reflection,
// and shrinking, with their coefficients 1, 2, 1/2 and 1/2. step is the size of the
// first simplex. It ends when the values differ by less than enough, or after so many
// evaluations; f may end it by stop. It takes no random number: equal calls give
// equal results.
func simplex(f func([]float64) float64, start []float64, step, enough float64, evals int, stop func() bool) []float64 {
	s := &search{f: f, left: evals}
	s.add(start)
	for i := range start {
		p := slices.Clone(start)
		p[i] += step
		s.add(p)
	}
	for s.left > 0 && !stop() {
		s.sort()
		if s.points[len(s.points)-1].value-s.points[0].value < enough {
			break
		}
		s.move()
	}
	s.sort()
	return s.points[0].at
}

// search is the state of a simplex.
type search struct {
	f      func([]float64) float64
	left   int // evaluations
	points []vertex
}

type vertex struct {
	at    []float64
	value float64
}

func (s *search) add(at []float64) { s.points = append(s.points, s.eval(at)) }

func (s *search) eval(at []float64) vertex {
	s.left--
	return vertex{at, s.f(at)}
}

func (s *search) sort() {
	slices.SortStableFunc(s.points, func(a, b vertex) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
}

// move replaces the worst vertex, or shrinks all towards the best.
func (s *search) move() {
	n := len(s.points) - 1
	best, worst := s.points[0], s.points[n]
	middle := make([]float64, n)
	for _, p := range s.points[:n] {
		for i := range middle {
			middle[i] += p.at[i] / float64(n)
		}
	}
	along := func(t float64) vertex { // from the middle, away from the worst
		at := make([]float64, n)
		for i := range at {
			at[i] = middle[i] + t*(middle[i]-worst.at[i])
		}
		return s.eval(at)
	}
	reflected := along(1)
	switch {
	case reflected.value < best.value:
		if expanded := along(2); expanded.value < reflected.value {
			reflected = expanded
		}
		s.points[n] = reflected
		return
	case reflected.value < s.points[n-1].value:
		s.points[n] = reflected
		return
	}
	towards := -.5
	if reflected.value < worst.value {
		towards = .5
	}
	if contracted := along(towards); contracted.value < math.Min(reflected.value, worst.value) {
		s.points[n] = contracted
		return
	}
	for i := 1; i <= n; i++ {
		at := make([]float64, n)
		for j := range at {
			at[j] = (best.at[j] + s.points[i].at[j]) / 2
		}
		s.points[i] = s.eval(at)
	}
}
