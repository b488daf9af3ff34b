package calibrate

import (
	"math"
)

// Scatter between two measurements of a size: assumptions. Congestion and pauses come and go, so
// two measurements differ by a factor; what is constant differs by a few percent.
const (
	steadyScatter  = .04 // spread of ln of the ratio of two measurements, of what is constant
	burstyScatter  = .4  // of what comes and goes
	scatterFreedom = 4   // of Student's distribution: single sizes stand out on healthy clusters, too
	// leastBurst bounds what even measurements say against a fault that comes and goes: its mean may
	// be the same in both.
	leastBurst = -2
)

// burstOf is the logarithm of the density of the scatter between measurements of a size if the fault
// comes and goes, over that if it is constant; 0 if no size was measured twice.
func burstOf(tasks []*Task) float64 {
	burst := 0.
	for _, x := range scatterOf(tasks) {
		burst += spreadDensity(x, burstyScatter) - spreadDensity(x, steadyScatter)
	}
	return max(burst, leastBurst)
}

// scatterOf are the logarithms of the ratios of two measurements of a size: in place and out of
// place, and of a table and the table before it that repeats it.
func scatterOf(tasks []*Task) (out []float64) {
	for i, t := range tasks {
		for j := range t.Points {
			p := &t.Points[j]
			if p.twice {
				out = append(out, p.noise)
			}
			for _, before := range tasks[:i] {
				if before.Title != t.Title {
					continue
				}
				for k := range before.Points {
					if q := &before.Points[k]; q.Bytes == p.Bytes {
						out = append(out, offBy(q.Measured, p.Measured))
					}
				}
			}
		}
	}
	return out
}

// spreadDensity is the logarithm of Student's density of a deviation, without its constants.
func spreadDensity(x, spread float64) float64 {
	y := x / spread
	return -math.Log(spread) - (scatterFreedom+1)/2*math.Log1p(y*y/scatterFreedom)
}
