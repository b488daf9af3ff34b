package calibrate

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"weft/scenario"
	"weft/units"
)

// Assumptions about errors.
const (
	// alongSizes is the ln of the factor of sizes over which errors are correlated: 16. A kernel
	// that is slower than weft at 8 MiB is also slower at 16 MiB.
	alongSizes = 2.77
	// acrossTables is the correlation of the errors of two collectives' tables.
	acrossTables = .5
	// freedom is the degrees of freedom of Student's distribution: few tables determine the spread
	// of errors.
	freedom = 5
	// surprise is the spread of ln(measured / predicted) of a fault without a hypothesis: a factor
	// of three.
	surprise = 1.1
)

// belief is the assumption about times: of the cluster as described, of a cluster with a fault, or
// a guess.
type belief uint8

const (
	described belief = iota
	faulty
	guessed
)

// wider is the uncertainty of times in addition to the known error of the cluster.
func (b belief) wider(p *Point) float64 {
	return [...]float64{described: 0, faulty: p.Known, guessed: surprise}[b]
}

// density is the logarithm of the probability density of the log, if a cluster takes the given
// times, by task and point, apart from errors: the multivariate Student distribution of ln(measured
// / expected). If times are unknown, it is the largest density that any times there can give.
//
// The known error of the cluster is a time, such as that of kernels: a fault that adds time to a
// size does not increase it. The model of a fault adds the same uncertainty: no published tables of
// clusters with a known fault have been found.
func (d *Diagnosis) density(times [][]units.Time, what belief) float64 {
	var all, open []deviation
	for i, t := range d.Tasks {
		for j := range t.Points {
			p := &t.Points[j]
			x := deviation{task: i, size: math.Log(float64(p.Bytes)), wide: what.wider(p)}
			if times[i][j] == unknown { // as narrow as a very long time makes it
				open = append(open, x)
				continue
			}
			base, took := float64(d.Predicted[i][j]), float64(times[i][j])
			x.off = math.Log(float64(p.Measured) / (took + base*math.Expm1(p.Bias)))
			x.wide = math.Hypot(p.Known*min(1, base/took), x.wide)
			all = append(all, x)
		}
	}
	distance, logDet := 0., 0.
	if len(all) > 0 {
		var factors mat.Cholesky
		var solved mat.VecDense
		if !factors.Factorize(d.scale(all)) {
			return math.Inf(-1)
		}
		off := mat.NewVecDense(len(all), nil)
		for i := range all {
			off.SetVec(i, all[i].off)
		}
		if err := factors.SolveVecTo(&solved, off); err != nil {
			return math.Inf(-1)
		}
		distance, logDet = mat.Dot(off, &solved), factors.LogDet()
	}
	if len(open) > 0 { // where they are as expected, the distance does not grow
		var factors mat.Cholesky
		all = append(all, open...)
		if !factors.Factorize(d.scale(all)) {
			return math.Inf(-1)
		}
		logDet = factors.LogDet()
	}
	return student(distance, logDet, len(all))
}

// deviation is ln(measured / expected) at a point, with its uncertainty.
type deviation struct {
	task      int
	size      float64 // ln of the bytes
	off, wide float64
}

// scale is the matrix of the uncertainties of deviations.
func (d *Diagnosis) scale(of []deviation) *mat.SymDense {
	scale := mat.NewSymDense(len(of), nil)
	for i, a := range of {
		for j := i; j < len(of); j++ {
			b := of[j]
			v := a.wide * b.wide * d.alike(a.task, b.task) * math.Exp(-math.Abs(a.size-b.size)/alongSizes)
			if i == j {
				v += d.Noise * d.Noise
			}
			scale.SetSym(i, j, v)
		}
	}
	return scale
}

// student is the logarithm of the density of the multivariate Student distribution, for a squared
// distance, the logarithm of the determinant of its scale, and n dimensions.
func student(distance, logDet float64, n int) float64 {
	half := float64(freedom+n) / 2
	above, _ := math.Lgamma(half)
	below, _ := math.Lgamma(freedom / 2.)
	return above - below - float64(n)/2*math.Log(freedom*math.Pi) - logDet/2 - half*math.Log1p(distance/freedom)
}

// alike is the correlation of the errors of two tasks.
func (d *Diagnosis) alike(a, b int) float64 {
	switch one, other := d.Tasks[a], d.Tasks[b]; {
	case one.Table.Op == other.Table.Op && one.kind == other.kind:
		return 1
	case one.kind == other.kind && one.kind != bandwidth && one.kind != copies && one.kind != oneMessage:
		return acrossTables
	}
	return 0
}

// known is weft's known error at a size.
func (t *Task) known(whole *scenario.Resolved, bytes int64, o *Options) (bias, spread float64) {
	switch {
	case o.Known > 0:
		return 0, o.Known
	case t.kind == bandwidth || t.kind == copies:
		return 0, knownBandwidth
	case t.kind == oneMessage:
		return 0, knownLatency
	case t.kind == exchange:
		return 0, knownExchange
	}
	gpu := whole.Cluster.Node.GPU.Architecture
	return knownError(t.stack(whole), gpu, scenario.Collective(t.Table.Op), bytes, o.without)
}

// stack is the software of a collective.
func (t *Task) stack(whole *scenario.Resolved) stack {
	return stackOf(whole.Cluster.Node.GPU.Architecture, t.Nodes, whole.Fabrics[0].Kind)
}
