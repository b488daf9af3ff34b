package report

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/base/stats"
	"weft/internal/sim/runstore"
)

// contrast is the ratio of one fabric's time to another's: the geometric mean over seeds, and its
// 95 % interval: of the ratios seed by seed if a seed draws the same on both, else of all seeds of one and
// all of the other. With one run there is no interval: low and high are NaN. Estimated times (--skip) may
// be off, each by its bound: the ratio by the factor off at the most.
type contrast struct{ mean, low, high, off float64 }

// contrastOf is the contrast of pairs of points, one pair per size: for each seed it uses the
// geometric mean over the sizes.
func contrastOf(pairs [][2]runstore.Point) contrast {
	n, paired := math.MaxInt, true
	for i := range pairs {
		n = min(n, len(pairs[i][0].Times()), len(pairs[i][1].Times()))
		paired = paired && together(&pairs[i][0], &pairs[i][1])
	}
	var logs [2][]float64
	for of := range logs {
		logs[of] = make([]float64, n)
		for i := range pairs {
			for k, t := range pairs[i][of].Times()[:n] {
				logs[of][k] += math.Log(float64(t)) / float64(len(pairs))
			}
		}
	}
	return ratioOf(logs[0], logs[1], paired, offOf(pairs))
}

// ratioOf is the contrast of two samples of times' logarithms.
func ratioOf(a, b []float64, paired bool, off float64) contrast {
	i := stats.Contrast(a, b, paired)
	return contrast{math.Exp(i.Mean), math.Exp(i.Low), math.Exp(i.High), off}
}

// logsOf are the logarithms of times.
func logsOf[T int64 | float64](times []T) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		out[i] = math.Log(float64(t))
	}
	return out
}

// together reports whether the times of two points belong together seed by seed.
func together(a, b *runstore.Point) bool {
	return a.Seeds == nil || b.Seeds == nil || a.Seeds.Together(b.Seeds)
}

// offOf is the factor by which the bounds of estimated times may change a ratio.
func offOf(pairs [][2]runstore.Point) float64 {
	off := 1.0
	for i := range pairs {
		a, b := pairs[i][0].Estimate.Off(), pairs[i][1].Estimate.Off()
		off = max(off, (1+a)/(1-b), (1+b)/(1-a))
	}
	return off
}

// repeated reports whether results are over several seeds.
func repeated(r *runstore.Results) bool {
	return slices.ContainsFunc(r.Fabrics, func(f runstore.FabricResult) bool {
		return slices.ContainsFunc(f.Points, func(p runstore.Point) bool { return p.Seeds != nil })
	})
}

// once reports whether the contrast is from one run.
func (c contrast) once() bool { return math.IsNaN(c.low) }

// behind reports whether the first fabric is slower by a significant difference that exceeds
// chance and the bounds of estimates: the interval does not contain 1. If all results are from one run, the run decides; if the
// others are over seeds and this is not, it is false.
func (c contrast) behind(repeated bool) bool {
	if c.once() {
		return !repeated && c.mean > max(1+tie, c.off)
	}
	return c.mean > 1+tie && c.low > c.off
}

// alike reports whether there is no significant difference: the mean is within the tie, and so is
// the whole interval, or else its width; whatever the bounds of estimates leave open.
func (c contrast) alike(repeated bool) bool {
	most := (1 + tie) / c.off
	within := c.mean <= most && c.mean >= 1/most
	if c.once() {
		return !repeated && within
	}
	return within && (c.high <= most && c.low >= 1/most || c.high <= c.low*most)
}

// interval is the contrast's interval as text; empty for one run.
func (c contrast) interval() string {
	if c.once() {
		return ""
	}
	digits := times
	if c.high < 1.2 && c.low > 0.8 {
		digits = func(x float64) string { return fmt.Sprintf("%.3f", x) }
	}
	coarse := digits
	for decimals := 1; digits(c.low) == digits(c.high); decimals++ { // finer, until the ends differ
		if decimals > 3 {
			return coarse(c.mean)
		}
		digits = func(x float64) string { return fmt.Sprintf("%.*f", decimals, x) }
	}
	return digits(c.low) + " to " + digits(c.high)
}

// contrast is the contrast of two fabrics from one size to another, both included.
func (v *judgement) contrast(f, over, from, to int) contrast {
	var pairs [][2]runstore.Point
	for s := from; s <= to; s++ {
		pairs = append(pairs, [2]runstore.Point{v.points[f][s], v.points[over][s]})
	}
	return contrastOf(pairs)
}

// behind reports whether a fabric is slower than another over a range.
func (v *judgement) behind(f, over, from, to int) bool {
	return v.contrast(f, over, from, to).behind(v.repeated)
}

// guessed reports whether a time of a range is in part estimated.
func (v *judgement) guessed(from, to int) bool {
	return slices.ContainsFunc(v.points, func(points []runstore.Point) bool {
		return slices.ContainsFunc(points[from:to+1], func(p runstore.Point) bool { return p.Estimate.Off() > 0 })
	})
}

// alike reports whether two fabrics do not differ over a range, nor at any size of it.
func (v *judgement) alike(f, over, from, to int) bool {
	for s := from; s <= to; s++ {
		if v.behind(f, over, s, s) || v.behind(over, f, s, s) {
			return false
		}
	}
	return v.contrast(f, over, from, to).alike(v.repeated)
}

// chance states the basis of the verdict's claims.
func (v *judgement) chance() string {
	least, most := math.MaxInt, 0
	for _, points := range v.points {
		for i := range points {
			n := len(points[i].Times())
			least, most = min(least, n), max(most, n)
		}
	}
	switch {
	case len(v.points) < 2:
		return ""
	case !v.repeated:
		return fmt.Sprintf("This is one run (seed %d): with another seed, or with jitter, the order may change. weft compare --seeds %d gives intervals.", v.r.Seed, v.someSeeds())
	}
	once := ""
	if len(v.once) > 0 {
		once = fmt.Sprintf(" At %s there is one run, and the verdict leaves it out: --seeds %d repeats it.", v.onceText(), v.someSeeds())
	}
	seeds := fmt.Sprint(most)
	if least != most {
		seeds = fmt.Sprintf("%d to %d", least, most)
	}
	if v.still() {
		return fmt.Sprintf("With each of %s seeds every time is the same to the picosecond: nothing random happened.%s", seeds, once)
	}
	above := "1"
	if v.guessed(0, len(v.sizes)-1) {
		above = "what the bounds of the estimates leave open"
	}
	return fmt.Sprintf("Times are means over %s seeds with jitter; all other numbers are of seed %d. A lead is claimed if it is above 2 %% and the 95 %% interval of the ratio is above %s.%s Intervals cover chance, not the error of the model.%s", seeds, v.r.Seed, above, v.pairing(), once)
}

// still reports whether no time depends on the seed.
func (v *judgement) still() bool {
	return !slices.ContainsFunc(v.points, func(points []runstore.Point) bool {
		return slices.ContainsFunc(points, func(p runstore.Point) bool {
			t := p.Times()
			return slices.Min(t) < slices.Max(t)
		})
	})
}

// someSeeds is the number of seeds that a sentence proposes: ten where a seed draws paths, marks or losses, else three.
func (v *judgement) someSeeds() int {
	for i := range v.r.Fabrics {
		for _, p := range v.r.Fabrics[i].Points {
			if c := &p.Counts; c.Hashed > 0 || c.Marks > 0 || c.DroppedCorrupt+c.LinkRetries > 0 {
				return 10
			}
		}
	}
	return 3
}

// pairing states which seeds are compared with each other, and that a hash draws other paths with each.
func (v *judgement) pairing() string {
	hash, pairs, apart := false, 0, 0
	for f, points := range v.points {
		for i := range points {
			hash = hash || points[i].Seeds != nil && points[i].Seeds.Draws != nil && points[i].Seeds.Draws.Hash
			for over := range f {
				if together(&points[i], &v.points[over][i]) {
					pairs++
				} else {
					apart++
				}
			}
		}
	}
	text := ""
	if hash {
		text = " Each seed draws other paths of ECMP, whatever routing.hash-seed is."
	}
	switch {
	case apart == 0:
		return text + " The ratio is of the times seed by seed, the same seeds on every fabric."
	case pairs == 0:
		return text + " A seed does not draw the same on both fabrics, so the ratio is of all seeds of one to all of the other."
	}
	return text + " The ratio is of the times seed by seed where a seed draws the same on both fabrics, else of all seeds of one to all of the other."
}
