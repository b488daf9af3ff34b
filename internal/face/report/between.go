package report

import "fmt"

// leaders reports the fabrics that lead at a size between two ranges but in neither of them, so
// that the ends of a sweep do not hide its middle: the sizes, and the causes at the size with the
// longest lead. The ranges are the sizes up to end, and the sizes
// that begin with from.
func (v *judgement) leaders(end, from int) (where, why []string) {
	for f := range v.fabrics {
		if v.leadsIn(f, 0, end+1) || v.leadsIn(f, from, len(v.sizes)) {
			continue
		}
		var at []string
		best, most := 0, 1.0
		for s := end + 1; s < from; s++ {
			x, ahead := v.lead(f, s)
			if !ahead {
				continue
			}
			at = append(at, sizeText(v.sizes[s]))
			if x > most {
				best, most = s, x
			}
		}
		if len(at) == 0 {
			continue
		}
		where = append(where, fmt.Sprintf("In between, %s %s at %s, by up to %s times.", v.name(f), v.leads(), list(at), times(most)))
		why = append(why, v.slowness(v.order(best)[1], f, best)...)
	}
	return where, why
}

// leadsIn reports whether a fabric leads at a size in a half-open range.
func (v *judgement) leadsIn(f, from, to int) bool {
	for s := from; s < to; s++ {
		if _, ahead := v.lead(f, s); ahead {
			return true
		}
	}
	return false
}

// lead is the ratio of the fastest other fabric's time to a fabric's at a size, and true if all
// others are behind it.
func (v *judgement) lead(f, s int) (ratio float64, ahead bool) {
	order := v.order(s)
	next := order[0]
	if next == f {
		next = order[1]
	}
	ahead = true
	for g := range v.fabrics {
		ahead = ahead && (g == f || v.behind(g, f, s, s))
	}
	return v.time(next, s) / v.time(f, s), ahead
}
