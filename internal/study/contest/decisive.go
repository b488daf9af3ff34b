package contest

import (
	"cmp"
	"slices"

	"weft/internal/base/sorting"
	"weft/results"
	"weft/units"
)

// trial is a lead to test: by index, of the faster fabric over the slower at a point.
type trial struct {
	point, faster, slower int
	seeds                 int  // of the point
	far                   bool // the slower fabric is far behind at every size
}

// decisive chooses the leads to test, and names those that are not tested. In each range of
// neighbouring sizes with the same fastest fabric it takes, for each fabric that is near, the size
// with the longest lead that the budget allows. For a fabric that is far behind it takes one size in
// all, one that is tested anyway if there is one.
func decisive(outcome *results.Results) (chosen []trial, left []string) {
	var near, far [][]trial
	for faster := range outcome.Fabrics {
		for slower := range outcome.Fabrics {
			for _, span := range leads(outcome, faster, slower) {
				if span[0].far {
					far = append(far, span)
				} else {
					near = append(near, span)
				}
			}
		}
	}
	sorting.StableFunc(near, func(a, b []trial) int { return cmp.Compare(ratio(outcome, b[0]), ratio(outcome, a[0])) })
	budget, sizes, explained := int64(mostHopsOnce), map[int]bool{}, map[int]bool{}
	if len(near)+len(far) > 0 && slices.Concat(near, far)[0][0].seeds >= leastSeeds {
		budget = mostHops
	}
	take := func(span []trial) {
		at := slices.IndexFunc(span, func(t trial) bool {
			return costOf(outcome, t) <= budget && (len(sizes) < mostSizes || sizes[t.point])
		})
		if at < 0 {
			left = append(left, nameOf(outcome, span[0]))
			return
		}
		t := span[at]
		budget -= costOf(outcome, t)
		sizes[t.point], explained[t.slower] = true, true
		chosen = append(chosen, t)
	}
	for _, span := range near {
		take(span)
	}
	for _, span := range far {
		if explained[span[0].slower] {
			continue
		}
		sorting.StableFunc(span, func(a, b trial) int { // a size that is tested, else the cheapest
			if sizes[a.point] != sizes[b.point] && sizes[a.point] {
				return -1
			}
			if sizes[a.point] != sizes[b.point] {
				return 1
			}
			return cmp.Compare(costOf(outcome, a), costOf(outcome, b))
		})
		take(span)
	}
	sorting.StableFunc(chosen, func(a, b trial) int { return cmp.Compare(a.point, b.point) })
	return chosen, left
}

// haveSeeds reports whether points that count have several seeds.
func haveSeeds(outcome *results.Results) bool {
	return slices.ContainsFunc(measuredPoints(outcome), func(i int) bool { return len(outcome.Fabrics[0].Points[i].Times()) >= leastSeeds })
}

// measuredPoints are the points with a result on every fabric, over seeds if any point is.
func measuredPoints(outcome *results.Results) (out []int) {
	repeated := false
	for i := range outcome.Fabrics[0].Points {
		good, over := true, true
		for f := range outcome.Fabrics {
			p := &outcome.Fabrics[f].Points[i]
			good = good && p.Measured() && !p.Partial && p.Counts.MessagesLost == 0
			over = over && len(p.Times()) >= leastSeeds
		}
		if good && over && !repeated {
			out, repeated = nil, true
		}
		if good && (over || !repeated) {
			out = append(out, i)
		}
	}
	sorting.StableFunc(out, func(a, b int) int {
		return cmp.Compare(outcome.Fabrics[0].Points[a].Bytes, outcome.Fabrics[0].Points[b].Bytes)
	})
	return out
}

// leads are the ranges of sizes at which a fabric is the fastest of all and leads another: the sizes of
// each, the longest lead first.
func leads(outcome *results.Results, faster, slower int) (out [][]trial) {
	if faster == slower {
		return nil
	}
	far, repeated := farBehind(outcome, slower), haveSeeds(outcome)
	var span []trial
	end := func() {
		if len(span) > 0 {
			sorting.StableFunc(span, func(a, b trial) int { return cmp.Compare(ratio(outcome, b), ratio(outcome, a)) })
			out = append(out, span)
		}
		span = nil
	}
	for _, i := range measuredPoints(outcome) {
		t := trial{point: i, faster: faster, slower: slower, far: far}
		pair := [2]results.Point{outcome.Fabrics[slower].Points[i], outcome.Fabrics[faster].Points[i]}
		if fastest(outcome, i) != faster || !ContrastOf([][2]results.Point{pair}).Behind(repeated) {
			end() // the seeds show no lead
			continue
		}
		t.seeds = min(len(outcome.Fabrics[faster].Points[i].Times()), len(outcome.Fabrics[slower].Points[i].Times()))
		span = append(span, t)
	}
	end()
	return out
}

// farBehind reports whether a fabric takes FarBehind times as long as the fastest at every size.
func farBehind(outcome *results.Results, fabric int) bool {
	return !slices.ContainsFunc(measuredPoints(outcome), func(i int) bool {
		return ratio(outcome, trial{point: i, faster: fastest(outcome, i), slower: fabric}) < FarBehind
	})
}

// costOf is the packet-hops of a test.
func costOf(outcome *results.Results, t trial) int64 {
	runs := hybrids * hybridSeeds(outcome, t)
	if !t.far {
		runs += readings*min(t.seeds, leastSeeds) + effective*t.seeds
	}
	return hopsOf(outcome, t) * int64(runs)
}

// hybridSeeds is the number of seeds of the hybrids of a test.
func hybridSeeds(outcome *results.Results, t trial) int {
	return min(t.seeds, max(2, int(mostHops/hybridShare/(hybrids*(1+hopsOf(outcome, t))))))
}

// hopsOf is the packet-hops of one simulation of each of the two fabrics.
func hopsOf(outcome *results.Results, t trial) int64 {
	of := func(f int) int64 { return outcome.Fabrics[f].Points[t.point].Counts.PacketHops }
	return of(t.faster) + of(t.slower)
}

// ratio is the slower fabric's time over the faster one's.
func ratio(outcome *results.Results, t trial) float64 {
	return Ratio(outcome.Fabrics[t.slower].Points[t.point], outcome.Fabrics[t.faster].Points[t.point])
}

func fastest(outcome *results.Results, point int) (best int) {
	for f := range outcome.Fabrics {
		if outcome.Fabrics[f].Points[point].Time < outcome.Fabrics[best].Points[point].Time {
			best = f
		}
	}
	return best
}

// nameOf is a lead in words.
func nameOf(outcome *results.Results, t trial) string {
	text := outcome.Fabrics[t.faster].Name + " over " + outcome.Fabrics[t.slower].Name
	if b := outcome.Fabrics[t.faster].Points[t.point].Bytes; b != 0 {
		text += " at " + units.Bytes(b).String()
	}
	return text
}
