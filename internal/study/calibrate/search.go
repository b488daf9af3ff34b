package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"weft/internal/sim"
	"weft/scenario"
	"weft/units"
)

// The assumptions of a search.
const (
	// priorSpread is the spread of the logarithm of a factor before the log is known: a factor of 1.65,
	// or of 2.7 in one case of twenty.
	priorSpread = .5
	// mostForm is the largest spread of ln(predicted / measured) that no constant removes: the form
	// of the model, and noise. leastForm is the smallest.
	mostForm  = .05
	leastForm = .015
	// determined is the largest spread of a factor's logarithm, as a part of priorSpread, at which the
	// log determines the constant.
	determined = .5
)

// The steps of a search.
const (
	slopeStep = .05  // of a logarithm, for the slope of the times
	maxRounds = 16   // of slopes
	maxHalves = 4    // of a step that makes the fit worse
	enough    = 1e-3 // gain of a round, as a part, at which the search ends
)

// search seeks the most probable factors of the constants, by the method of Gauss and Newton. Before
// the log each logarithm has a normal distribution about 0; the errors of the log's sizes have
// Student's. So any number of sizes gives a result, and one bad size has little weight.
type search struct {
	ctx         context.Context
	cluster     *Cluster
	fit         *Fit
	constants   []constant
	options     *Options
	evaluations int

	free   []int       // the constants that are sought
	off    [][]float64 // ln(predicted / measured) by task and point, at the best factors so far
	logs   []float64   // the logarithms of these factors
	spread []float64   // of each logarithm
	form   float64     // spread of errors that no constant removes
}

// run seeks the factors, and stores them in the fit.
func (s *search) run() (err error) {
	s.logs, s.spread = make([]float64, len(s.constants)), make([]float64, len(s.constants))
	for i := range s.constants {
		s.free = append(s.free, i)
	}
	before, err := s.at(s.logs)
	if err != nil {
		return err
	}
	s.off, s.fit.Off[0] = before[0], before[0]
	for i := range s.spread {
		s.spread[i] = priorSpread
	}
	s.form = mostForm
	for round := 0; round < maxRounds && len(s.free) > 0; round++ {
		slopes, err := s.slopes()
		if err != nil {
			return err
		}
		if slopes = s.felt(slopes); len(s.free) == 0 {
			break
		}
		gain, err := s.step(slopes)
		if err != nil {
			return err
		}
		if gain >= enough {
			continue
		}
		if form := s.remaining(); form < .9*s.form {
			s.form = form // the form fits better than assumed: the log counts for more
			continue
		}
		released, err := s.release(slopes)
		if err != nil {
			return err
		}
		if !released {
			break
		}
	}
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	s.fit.Off[1] = s.off
	s.tell()
	return nil
}

// at are the errors at several points: ln(predicted / measured), by task and size.
func (s *search) at(points ...[]float64) ([][][]float64, error) {
	out, errs := make([][][]float64, len(points)), make([]error, len(points))
	s.options.each(len(points), func(i int, own *Options) {
		for _, t := range s.fit.Tasks {
			var predicted []units.Time
			if predicted, errs[i] = s.cluster.predict(s.ctx, t, s.overrides(t, points[i]), own); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", t.Title, errs[i])
				return
			}
			var off []float64
			for j := range t.Points {
				off = append(off, offBy(predicted[j], t.Points[j].Measured))
			}
			out[i] = append(out[i], off)
		}
	})
	s.evaluations += len(points)
	if s.options.Progress != nil {
		s.options.Progress(sim.Progress{Done: s.evaluations, Total: max(s.evaluations, usualEvals), Fabric: "fitting"})
	}
	if i := slices.IndexFunc(errs, func(e error) bool { return e != nil }); i >= 0 {
		return nil, errs[i]
	}
	return out, nil
}

// slopes are the changes of the errors with the logarithm of each free constant.
func (s *search) slopes() ([][][]float64, error) {
	var points [][]float64
	for _, k := range s.free {
		p := slices.Clone(s.logs)
		p[k] += s.beside(k)
		points = append(points, p)
	}
	out, err := s.at(points...)
	for i := range out {
		for t := range out[i] {
			for j := range out[i][t] {
				out[i][t][j] = (out[i][t][j] - s.off[t][j]) / s.beside(s.free[i])
			}
		}
	}
	return out, err
}

// felt are the slopes of the constants that change some time; the others are set back.
func (s *search) felt(slopes [][][]float64) (out [][][]float64) {
	free := s.free
	s.free = nil
	for i, k := range free {
		if slices.ContainsFunc(slopes[i], func(task []float64) bool { return slices.ContainsFunc(task, func(x float64) bool { return x != 0 }) }) {
			s.free, out = append(s.free, k), append(out, slopes[i])
		} else {
			s.logs[k], s.spread[k] = 0, priorSpread
		}
	}
	return out
}

// beside is the step for a slope: away from the upper bound.
func (s *search) beside(k int) float64 {
	if s.logs[k]+slopeStep > math.Log(s.constants[k].most) {
		return -slopeStep
	}
	return slopeStep
}

// seen calls do for every size of the search.
func (s *search) seen(do func(task, point int)) {
	for t := range s.fit.Tasks {
		for j := range s.fit.Tasks[t].Points {
			if !s.fit.Held[t][j] {
				do(t, j)
			}
		}
	}
}

// weight is the weight of an error by Student's distribution: 1 if it is as expected, less if it is
// larger.
func (s *search) weight(off float64) float64 {
	z := off / s.form
	return (freedom + 1) / (freedom + z*z)
}

// cost is the negative logarithm of the probability density of errors and factors.
func (s *search) cost(times [][]float64, logs []float64) (sum float64) {
	s.seen(func(t, j int) {
		z := times[t][j] / s.form
		sum += (freedom + 1) / 2. * math.Log1p(z*z/freedom)
	})
	for _, l := range logs {
		sum += l * l / (2 * priorSpread * priorSpread)
	}
	return sum
}

// normal are the normal equations of the free constants at the best factors so far.
func (s *search) normal(slopes [][][]float64) (*mat.SymDense, *mat.VecDense) {
	n := len(s.free)
	left, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for a, k := range s.free {
		left.SetSym(a, a, 1/(priorSpread*priorSpread))
		right.SetVec(a, -s.logs[k]/(priorSpread*priorSpread))
	}
	s.seen(func(t, j int) {
		w := s.weight(s.off[t][j]) / (s.form * s.form)
		for a := range n {
			right.SetVec(a, right.AtVec(a)-w*slopes[a][t][j]*s.off[t][j])
			for b := a; b < n; b++ {
				left.SetSym(a, b, left.At(a, b)+w*slopes[a][t][j]*slopes[b][t][j])
			}
		}
	})
	return left, right
}

// step goes to better factors, and returns the gain as a part of the cost.
func (s *search) step(slopes [][][]float64) (gain float64, err error) {
	left, right := s.normal(slopes)
	var move mat.VecDense
	var factors mat.Cholesky
	if !factors.Factorize(left) {
		return 0, errors.New("the search for the constants: no equation has a solution")
	}
	if err := factors.SolveVecTo(&move, right); err != nil {
		return 0, fmt.Errorf("the search for the constants: %w", err)
	}
	was := s.cost(s.off, s.logs)
	for half, part := 0, 1.; half < maxHalves; half, part = half+1, part/2 {
		next := slices.Clone(s.logs)
		for a, k := range s.free {
			next[k] = min(math.Log(s.constants[k].most), max(math.Log(s.constants[k].least), next[k]+part*move.AtVec(a)))
		}
		times, err := s.at(next)
		if err != nil {
			return 0, err
		}
		if is := s.cost(times[0], next); is < was {
			s.logs, s.off = next, times[0]
			return (was - is) / was, nil
		}
	}
	return 0, nil
}

// remaining is the spread of the errors at the best factors so far, for as many constants.
func (s *search) remaining() float64 {
	squares, n := 0., 0
	s.seen(func(t, j int) {
		squares += s.off[t][j] * s.off[t][j]
		n++
	})
	if n <= len(s.free) {
		return mostForm
	}
	return min(mostForm, max(leastForm, math.Sqrt(squares/float64(n-len(s.free)))))
}

// release computes the spread of each constant, and sets back those that the log does not determine,
// the least determined first. It reports whether there was one.
func (s *search) release(slopes [][][]float64) (released bool, err error) {
	for len(s.free) > 0 {
		left, _ := s.normal(slopes)
		var factors mat.Cholesky
		var spread mat.SymDense
		if !factors.Factorize(left) || factors.InverseTo(&spread) != nil {
			break
		}
		worst := 0
		for a, k := range s.free {
			s.spread[k] = math.Sqrt(spread.At(a, a))
			if spread.At(a, a) > spread.At(worst, worst) {
				worst = a
			}
		}
		k := s.free[worst]
		if s.spread[k] <= determined*priorSpread {
			break
		}
		s.logs[k], released = 0, true
		s.free, slopes = slices.Delete(s.free, worst, worst+1), slices.Delete(slopes, worst, worst+1)
	}
	if released {
		var off [][][]float64
		if off, err = s.at(s.logs); err == nil {
			s.off = off[0]
		}
	}
	return released, err
}

// overrides are the constants with their factors. A factor of one adds no override.
func (s *search) overrides(t *Task, logs []float64) (out []scenario.Override) {
	for i := range s.constants {
		k := &s.constants[i]
		if logs[i] != 0 {
			out = append(out, scenario.Override{Path: k.path(s.cluster), Value: k.text(k.value(t.base) * math.Exp(logs[i])), Origin: "fitting " + k.name})
		}
	}
	return out
}

// tell stores the result of the search.
func (s *search) tell() {
	base := s.fit.Tasks[0].base
	for i := range s.constants {
		k := &s.constants[i]
		f := Fitted{Name: k.name, Field: k.field, Factor: math.Exp(s.logs[i]), Determined: slices.Contains(s.free, i)}
		f.Before, f.After = k.text(k.value(base)), k.text(k.value(base)*f.Factor)
		f.Least, f.Most = f.Factor*math.Exp(-1.96*s.spread[i]), f.Factor*math.Exp(1.96*s.spread[i])
		s.fit.Constants = append(s.fit.Constants, f)
	}
}
