package report

import (
	"fmt"

	"weft/internal/sim/runstore"
	"weft/units"
)

// switchRangeSentences compare the fabrics at the smallest size over the range of published switch
// latencies: a lead that another published latency reverses does not count, nor one that other seeds do not have.
func switchRangeSentences(r *runstore.Results) []string {
	var ranges []*runstore.SwitchRange
	var names []string
	for i := range r.Fabrics {
		if s := r.Fabrics[i].SwitchRange; s != nil {
			ranges, names = append(ranges, s), append(names, r.Fabrics[i].Name)
		}
	}
	if len(ranges) < 2 {
		return nil
	}
	best := 0
	for i := range ranges {
		if ranges[i].Time() < ranges[best].Time() {
			best = i
		}
	}
	var lines, holds, turns, even, chance []string
	for i, s := range ranges {
		if s.LatencyPs[0] != s.LatencyPs[2] {
			lines = append(lines, fmt.Sprintf("%s (%s: %s, sources from %s to %s) %s to %s", names[i], s.Switch,
				ns(s.LatencyPs[1]), ns(s.LatencyPs[0]), ns(s.LatencyPs[2]), shortTime(units.Time(s.TimePs[0])), shortTime(units.Time(s.TimePs[2]))))
		}
		if i == best {
			continue
		}
		least, most := float64(s.TimePs[0])/float64(ranges[best].TimePs[2]), float64(s.TimePs[2])/float64(ranges[best].TimePs[0])
		text := fmt.Sprintf("%s (%.2f to %.2f times as long)", names[i], least, most)
		switch {
		case most > 1+tie && chanceDecides(r, names[i], names[best], s.Bytes):
			chance = append(chance, text)
		case least > 1+tie:
			holds = append(holds, text)
		case float64(s.Time()) > float64(ranges[best].Time())*(1+tie):
			turns = append(turns, text)
		default: // no lead that could change
			even = append(even, text)
		}
	}
	out := fmt.Sprintf("At %s the latency of the switches counts, and sources differ on it. Without jitter: %s.", sizeText(ranges[0].Bytes), list(lines))
	if len(holds) > 0 {
		out += fmt.Sprintf(" For every published latency, %s leads %s.", names[best], list(holds))
	}
	if len(turns) > 0 {
		out += fmt.Sprintf(" The lead of %s over %s does not hold for every published latency.", names[best], list(turns))
	}
	if len(chance) > 0 {
		out += fmt.Sprintf(" In these runs, of one seed, %s takes less time than %s; over the seeds it has no lead.", names[best], list(chance))
	}
	if len(even) > 0 {
		out += fmt.Sprintf(" With the latencies of the catalog %s is within 2 %% of %s.", names[best], list(even))
	}
	return []string{out}
}

// chanceDecides reports whether a fabric is not shown to be slower than another at a size that has several seeds.
func chanceDecides(r *runstore.Results, slow, fast string, bytes int64) bool {
	var pair [2]runstore.Point
	for _, f := range r.Fabrics {
		for i, name := range []string{slow, fast} {
			if f.Name == name {
				pair[i], _ = point(f, bytes)
			}
		}
	}
	c := contrastOf([][2]runstore.Point{pair})
	return !c.once() && c.low <= 1
}

// ns is a latency in nanoseconds.
func ns(ps int64) string { return fmt.Sprintf("%g ns", float64(ps)/1000) }
