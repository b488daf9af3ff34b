package calibrate

import (
	"math"

	"weft/units"
)

// match accumulates the differences between predictions and measurements.
type match struct {
	squares float64
	n       int
	worst   float64
}

// count counts a difference.
func (m *match) count(off float64) {
	m.squares += off * off
	m.n++
	if math.Abs(off) > math.Abs(m.worst) {
		m.worst = off
	}
}

// matchOf compares predicted times, by task and point, with the log's.
func (d *Diagnosis) matchOf(times [][]units.Time) *match {
	m := &match{}
	for i, t := range d.Tasks {
		for j := range t.Points {
			m.count(offBy(times[i][j], t.Points[j].Measured))
		}
	}
	return m
}

// rms is the root mean square of ln(predicted / measured).
func (m *match) rms() float64 {
	if m.n == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(m.squares / float64(m.n))
}

// offBy is ln(predicted / measured).
func offBy(predicted, measured units.Time) float64 {
	if predicted <= 0 || measured <= 0 {
		return math.Inf(1)
	}
	return math.Log(float64(predicted) / float64(measured))
}

// noiseOf is the noise of one measurement of a log. Each point has an in-place and an out-of-place
// time of the same operation. The noise is the root mean square of the logarithm of their ratio,
// divided by √2, and at least leastNoise.
func noiseOf(tasks []*Task) float64 {
	sum, n := 0., 0
	for _, t := range tasks {
		for i := range t.Points {
			sum += t.Points[i].noise * t.Points[i].noise
			n++
		}
	}
	if n == 0 {
		return leastNoise
	}
	return max(leastNoise, math.Sqrt(sum/float64(n)/2))
}
