package report

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/base/stats"
	"weft/internal/face/doc"
	"weft/internal/study/contest"
	"weft/results"
	"weft/units"
)

// overSeeds is the section of a table of [spreadsTable].
func overSeeds(seeds int, first uint64, t *doc.Table) doc.Section {
	return doc.Section{Title: fmt.Sprintf("Over %d seeds, from %d on: mean with its 95 %% interval, least and most", seeds, first), Blocks: []doc.Block{t}}
}

// spreadsTable is an empty table with a row for each fabric and time: the mean over seeds, its
// interval, the least and the most. The heading of the second column names the times.
func spreadsTable(what string) *doc.Table {
	return doc.NewTable("fabric", what, "mean", "from", "to", "least", "most")
}

// addSpread adds the spread of a time.
func addSpread(t *doc.Table, fabric, what string, s *results.Spread) {
	row := []doc.Cell{doc.Text(fabric), doc.Text(what)}
	for _, ps := range []int64{s.MeanPs, s.LowPs, s.HighPs, s.LeastPs, s.MostPs} {
		row = append(row, doc.Time(units.Time(ps)))
	}
	t.Add(row...)
}

// intervalTable is the uncertainty over seeds, a row per size.
func intervalTable(r *results.Results) *doc.Table {
	t := doc.NewTable("size", "seeds")
	t.Keys = 2
	for i, f := range r.Fabrics {
		t.AddGroup(doc.Text(f.Name).In(doc.Series(i)), "±", "× the fastest")
	}
	for _, size := range sizes(r) {
		n := 0
		s := standingAt(r, size)
		row := []doc.Cell{sizeCell(size), {}}
		for i, f := range r.Fabrics {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				row = append(row, doc.None, doc.None)
				continue
			}
			n = max(n, len(p.Times()))
			ratio := doc.None
			switch {
			case i == s.best:
				ratio = doc.Ratio(1, 0)
			case s.best >= 0 && !s.ratios[i].Once():
				ratio = doc.Instead(interval(s.ratios[i]))
			}
			row = append(row, plusMinus(&p), ratio)
		}
		row[1] = doc.Count(n)
		t.Add(row...)
	}
	return t
}

// plusMinus is half of a point's interval as a share of its time.
func plusMinus(p *results.Point) doc.Cell {
	if p.Seeds == nil || p.Time <= 0 {
		return doc.None
	}
	return doc.Share(float64(p.Seeds.HighPs-p.Seeds.LowPs) / 2 / float64(p.Time))
}

// The bounds of what counts as a few values.
const (
	fewValues = 4    // at most
	sameValue = 0.01 // neighbours that differ by less, as a share of the mean, are one value
	wideValue = 0.03 // from its least to its greatest time a value is at most as wide
)

// seedSpread is a point's times over seeds in words: a few values with the number of seeds of each, or how far they
// reach.
func seedSpread(times []int64) string {
	sorted := slices.Sorted(slices.Values(times))
	n, least, most := len(sorted), sorted[0], sorted[len(sorted)-1]
	short := func(ps int64) string { return shortTime(units.Time(ps)) }
	if least == most {
		return fmt.Sprintf("%s with each of %d seeds, to the picosecond", short(least), n)
	}
	mean, x := 0.0, make([]float64, n)
	for i, t := range sorted {
		x[i] = float64(t)
		mean += x[i] / float64(n)
	}
	var values [][]int64
	wide := false
	for i, t := range sorted {
		if i == 0 || x[i]-x[i-1] > sameValue*mean {
			values = append(values, nil)
		}
		last := &values[len(values)-1]
		*last = append(*last, t)
		wide = wide || float64(t-(*last)[0]) > wideValue*mean
	}
	if wide || len(values) == 1 || len(values) > fewValues || len(values) > n/2 {
		if text := heaps(sorted); text != "" {
			return text
		}
		half := func(p float64) string { return short(int64(math.Round(stats.Quantile(x, p)))) }
		return fmt.Sprintf("%s to %s over %d seeds, half of them within %s to %s", short(least), short(most), n, half(0.25), half(0.75))
	}
	var parts []string
	for i, v := range values {
		text := fmt.Sprintf("%s in %d", short(v[len(v)/2]), len(v))
		if i == 0 {
			text += fmt.Sprintf(" of %d seeds", n)
		}
		parts = append(parts, text)
	}
	return list(parts)
}

// heaps are sorted times in words if they fall into heaps far from each other: the range of each and the number of
// its seeds. It is empty for one heap, and for many.
func heaps(sorted []int64) string {
	from := 0
	var parts []string
	for i := 1; i <= len(sorted); i++ {
		if i < len(sorted) && float64(sorted[i]) < contest.Outlying*float64(sorted[i-1]) {
			continue
		}
		text := shortTime(units.Time(sorted[from]))
		if end := shortTime(units.Time(sorted[i-1])); end != text {
			text += " to " + end
		}
		text += fmt.Sprintf(" in %d", i-from)
		if from == 0 {
			text += fmt.Sprintf(" of %d seeds", len(sorted))
		}
		parts, from = append(parts, text), i
	}
	if len(parts) < 2 || len(parts) > fewValues || len(parts) > len(sorted)/2 {
		return ""
	}
	return list(parts)
}

// spreadTable is the spread of each point whose times over seeds differ by more than fabrics that count as equal.
func spreadTable(r *results.Results) *doc.Table {
	t := doc.NewTable("size", "fabric", "times")
	for _, size := range sizes(r) {
		for i, f := range r.Fabrics {
			p, ok := point(f, size)
			if !ok || p.Seeds == nil || float64(slices.Max(p.Seeds.TimesPs)) <= (1+contest.Tie)*float64(slices.Min(p.Seeds.TimesPs)) {
				continue
			}
			t.Add(sizeCell(size), doc.Text(f.Name).In(doc.Series(i)), doc.Text(seedSpread(p.Seeds.TimesPs)))
		}
	}
	return t
}
