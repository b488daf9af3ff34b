package report

import (
	"math"
	"slices"
	"strconv"

	"weft/internal/base/sorting"
	"weft/internal/study/tune"
)

// NamedText is a file on a page.
type NamedText struct{ Name, Text string }

// tunePlots are the search, and the objective over each parameter.
func tunePlots(r *tune.Result) []*plot {
	out := []*plot{stepsPlot(r)}
	profiles := slices.Clone(r.Sensitivity)
	sorting.StableFunc(profiles, func(a, b tune.Profile) int {
		switch {
		case a.Spread > b.Spread:
			return -1
		case a.Spread < b.Spread:
			return 1
		}
		return 0
	})
	least, most := relativeRange(profiles)
	for i := range profiles {
		p := profilePlot(&profiles[i])
		p.least, p.most = least, most
		out = append(out, p)
	}
	return out
}

// seedsText is consecutive seeds: 1 to 3.
func seedsText(seeds []uint64) string {
	text := strconv.FormatUint(seeds[0], 10)
	if n := len(seeds); n > 1 {
		text += " to " + strconv.FormatUint(seeds[n-1], 10)
	}
	return text
}

// stepsPlot is the best objective over the simulated candidates.
func stepsPlot(r *tune.Result) *plot {
	p := &plot{title: "The search", note: "the best objective so far; the scenario as it stands is 1", over: axis{name: "candidates"}, format: relativeNumber}
	s := series{label: "best"}
	last := r.Search.Steps[len(r.Search.Steps)-1].Candidates
	for _, x := range r.Search.Steps {
		p.over.places = append(p.over.places, float64(x.Candidates)/float64(max(1, last)))
		p.over.labels = append(p.over.labels, strconv.Itoa(x.Candidates))
		s.values = append(s.values, x.Score/r.Search.Stands)
	}
	p.series = []series{s}
	p.least, p.most = ends(slices.Min(s.values), slices.Max(s.values))
	return p
}

// ends are the ends of an axis with positive values. They do not begin at 0 if this would flatten
// the line; they are at least a twentieth apart, so that labels with three decimals differ.
func ends(lo, hi float64) (least, most float64) {
	ticks := linearTicks(lo, max(hi, lo*1.05))
	return ticks[0], ticks[len(ticks)-1]
}

// relativeNumber is a ratio with at most three decimals.
func relativeNumber(x float64) string {
	return strconv.FormatFloat(math.Round(x*1000)/1000, 'f', -1, 64)
}

// relativeRange is the range of objectives over the result's in all profiles, so that their plots
// have one scale; it extends at least a tenth above 1.
func relativeRange(profiles []tune.Profile) (least, most float64) {
	least, most = 1, 1.1
	for i := range profiles {
		base := tunedScore(&profiles[i])
		for _, x := range profiles[i].Points {
			if x.Score != nil && base > 0 {
				least, most = min(least, *x.Score/base), max(most, *x.Score/base)
			}
		}
	}
	return ends(least, most)
}

// profilePlot is the objective over the values of a parameter. Values that no scenario can have
// with the others, or that failed, are gaps.
func profilePlot(t *tune.Profile) *plot {
	p := &plot{title: t.Path, note: "objective relative to the outcome; the outcome has its own marker", over: axis{name: "value"}, format: relativeNumber}
	s, own := series{label: t.Path}, series{fabric: 1, label: "tuned"}
	base := tunedScore(t)
	for _, x := range t.Points {
		value := math.NaN()
		if x.Score != nil && base > 0 {
			value = *x.Score / base
		}
		p.over.places, p.over.labels = append(p.over.places, x.Place), append(p.over.labels, x.Value)
		s.values = append(s.values, value)
		if !x.Tuned {
			value = math.NaN()
		}
		own.values = append(own.values, value)
	}
	p.series = []series{s, own}
	return p
}
