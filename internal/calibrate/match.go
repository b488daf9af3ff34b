package calibrate

import (
	"math"

	"weft/units"
)

// match is how far predictions are from what was measured.
type match struct {
	squares float64
	sum     float64
	n       int
	within  bool // every size is within the known error
	worst   float64
}

// add counts the points of a task.
func (m *match) add(t *Task, predicted []units.Time) {
	if m.n == 0 {
		m.within = true
	}
	for i := range t.Points {
		p := &t.Points[i]
		off := offBy(predicted[i], p.Measured)
		m.squares += off * off
		m.sum += off
		m.n++
		m.within = m.within && math.Abs(off) <= math.Log1p(p.Known)
		if math.Abs(off) > math.Abs(m.worst) {
			m.worst = off
		}
	}
}

// rms is the root mean square of ln(predicted / measured).
func (m *match) rms() float64 {
	if m.n == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(m.squares / float64(m.n))
}

// mean is the mean of ln(predicted / measured): below 0 where predictions are faster.
func (m *match) mean() float64 { return m.sum / float64(max(1, m.n)) }

// offBy is ln(predicted / measured).
func offBy(predicted, measured units.Time) float64 {
	if predicted <= 0 || measured <= 0 {
		return math.Inf(1)
	}
	return math.Log(float64(predicted) / float64(measured))
}

// noiseOf is the noise of a log: the root mean square of ln(in place / out of place)
// over its points, which measure the same thing twice, but never less than sameMatch.
func noiseOf(tasks []*Task) float64 {
	sum, n := 0., 0
	for _, t := range tasks {
		for i := range t.Points {
			sum += t.Points[i].noise * t.Points[i].noise
			n++
		}
	}
	if n == 0 {
		return sameMatch
	}
	return max(sameMatch, math.Sqrt(sum/float64(n)))
}
