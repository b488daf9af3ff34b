package report

import (
	"slices"
	"strings"

	"weft/internal/study/contest"
	"weft/results"
)

// sizeRange is neighbouring sizes at which the same fabrics are first: one that leads all others, or
// several that are not told apart.
type sizeRange struct {
	from, to int   // compared sizes, both included
	first    []int // fabrics, in the order of the results
}

// far are the fabrics that at every size take contest.FarBehind times as long as the fastest.
func (v *judgement) far() (out []int) {
	for f := range v.fabrics {
		behind := true
		for s := range v.sizes {
			behind = behind && v.ratio(f, v.order(s)[0], s) >= contest.FarBehind && v.behind(f, v.order(s)[0], s, s)
		}
		if behind {
			out = append(out, f)
		}
	}
	return out
}

// spans cuts the sizes where the first fabrics change.
func (v *judgement) spans(far []int) (out []sizeRange) {
	for s := range v.sizes {
		first := v.first(s, far)
		if n := len(out); n > 0 && slices.Equal(out[n-1].first, first) {
			out[n-1].to = s
			continue
		}
		out = append(out, sizeRange{s, s, first})
	}
	return out
}

// first are the fabrics at a size that no other leads.
func (v *judgement) first(s int, far []int) (out []int) {
	best := v.order(s)[0]
	for f := range v.fabrics {
		if f == best || !slices.Contains(far, f) && !v.behind(f, best, s, s) {
			out = append(out, f)
		}
	}
	return out
}

// figures are the times of fabrics at a size, in their order: "12 us, 13 us".
func (v *judgement) figures(fabrics []int, s int) string {
	parts := make([]string, len(fabrics))
	for i, f := range fabrics {
		parts[i] = timeOf(v.points[f][s])
	}
	return strings.Join(parts, ", ")
}

// trial is the test of a fabric's lead over another at a size; nil if there is none.
func (v *judgement) trial(slower, faster, s int) *results.Trial {
	if v.r.Contest == nil {
		return nil
	}
	for i := range v.r.Contest.Trials {
		t := &v.r.Contest.Trials[i]
		if t.Bytes == v.sizes[s] && t.Slower == v.result(slower).Name && t.Faster == v.result(faster).Name {
			return t
		}
	}
	return nil
}
