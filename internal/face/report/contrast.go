package report

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/study/contest"
	"weft/results"
)

// interval is the contrast's interval as text; empty for one run.
func interval(c contest.Contrast) string {
	if c.Once() {
		return ""
	}
	digits := times
	if c.High < 1.2 && c.Low > 0.8 {
		digits = func(x float64) string { return fmt.Sprintf("%.3f", x) }
	}
	coarse := digits
	for decimals := 1; digits(c.Low) == digits(c.High); decimals++ { // finer, until the ends differ
		if decimals > 3 {
			return coarse(c.Mean)
		}
		digits = func(x float64) string { return fmt.Sprintf("%.*f", decimals, x) }
	}
	return digits(c.Low) + " to " + digits(c.High)
}

// contrast is the contrast of two fabrics from one size to another, both included.
func (v *judgement) contrast(f, over, from, to int) contest.Contrast {
	var pairs [][2]results.Point
	for s := from; s <= to; s++ {
		pairs = append(pairs, [2]results.Point{v.points[f][s], v.points[over][s]})
	}
	return contest.ContrastOf(pairs)
}

// behind reports whether a fabric is slower than another over a range.
func (v *judgement) behind(f, over, from, to int) bool {
	return v.contrast(f, over, from, to).Behind(v.repeated)
}

// alike reports whether two fabrics do not differ over a range, nor at any size of it.
func (v *judgement) alike(f, over, from, to int) bool {
	for s := from; s <= to; s++ {
		if v.behind(f, over, s, s) || v.behind(over, f, s, s) {
			return false
		}
	}
	return v.contrast(f, over, from, to).Alike(v.repeated)
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
		once = fmt.Sprintf(" At %s there is one run%s, and the verdict leaves it out: --seeds %d repeats it.", v.onceText(), v.withoutJitterText(), v.someSeeds())
	}
	seeds := fmt.Sprint(most)
	if least != most {
		seeds = fmt.Sprintf("%d to %d", least, most)
	}
	if v.still() {
		return fmt.Sprintf("With each of %s seeds every time is the same to the picosecond: nothing random happened.%s", seeds, once)
	}
	return fmt.Sprintf("Times are means over %s seeds with jitter; all other numbers are of seed %d. A lead is claimed if it is above 2 %% and the 95 %% interval of the ratio is above 1.%s Intervals cover chance, not the error of the model.%s", seeds, v.r.Seed, v.pairing(), once)
}

// still reports whether no time depends on the seed.
func (v *judgement) still() bool {
	return !slices.ContainsFunc(v.points, func(points []results.Point) bool {
		return slices.ContainsFunc(points, func(p results.Point) bool {
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
				if contest.Together(&points[i], &v.points[over][i]) {
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

// repeated reports whether results are over several seeds.
func repeated(r *results.Results) bool {
	return slices.ContainsFunc(r.Fabrics, func(f results.FabricResult) bool {
		return slices.ContainsFunc(f.Points, func(p results.Point) bool { return p.Seeds != nil })
	})
}
