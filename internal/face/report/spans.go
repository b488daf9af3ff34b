package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/runstore"
)

// sizeRange is neighbouring sizes at which the same fabrics are first: one that leads all others, or
// several that are not told apart.
type sizeRange struct {
	from, to int   // compared sizes, both included
	first    []int // fabrics, in the order of the results
}

// leader is the fabric that leads; false if several are first.
func (s sizeRange) leader() (f int, ok bool) { return s.first[0], len(s.first) == 1 }

// far are the fabrics that at every size take farBehind times as long as the fastest.
func (v *judgement) far() (out []int) {
	for f := range v.fabrics {
		behind := true
		for s := range v.sizes {
			behind = behind && v.time(f, s) >= farBehind*v.least(s) && v.behind(f, v.order(s)[0], s, s)
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

// sizesOf are the sizes of a span in words: "1 KiB to 64 KiB", "At 8 MiB"; "" for a pattern without
// sizes.
func (v *judgement) sizesOf(s sizeRange) string {
	switch {
	case v.sizes[s.from] == 0:
		return ""
	case s.from == s.to:
		return "At " + sizeText(v.sizes[s.from]) + ": "
	}
	return sizeText(v.sizes[s.from]) + " to " + sizeText(v.sizes[s.to]) + ": "
}

// tied says that the first fabrics of a span are equal, or not told apart.
func (v *judgement) tied(s sizeRange) string {
	names := make([]string, len(s.first))
	alike := true
	lo, hi := 1.0, 1.0
	for i, f := range s.first {
		names[i] = v.name(f)
		for _, g := range s.first {
			if f != g {
				alike = alike && v.alike(f, g, s.from, s.to)
				a, b := v.ratios(f, g, s.from, s.to)
				lo, hi = min(lo, a), max(hi, b)
			}
		}
	}
	text := v.sizesOf(s)
	shown := fmt.Sprintf(" (%s)", v.figuresIn(s, s.first, s.to))
	switch {
	case alike:
		text += list(names) + " are equal, within 2 %" + shown
	case !v.repeated:
		text += list(names) + " are near each other in this run, up to " + times(hi) + " times" + shown
	case v.guessed(s.from, s.to):
		text += "the seeds and the bounds of the estimates do not tell " + list(names) + " apart" + shown
	default:
		text += "the seeds do not tell " + list(names) + " apart" + shown
	}
	return text + "."
}

// figuresIn are the times of fabrics at a size of a range, with the size if the range has several:
// "12 us, 13 us at 1 KiB".
func (v *judgement) figuresIn(r sizeRange, fabrics []int, s int) string {
	if r.from == r.to {
		return v.figures(fabrics, s)
	}
	return v.figures(fabrics, s) + v.at(s)
}

// figures are the times of fabrics at a size, in their order: "12 us, 13 us".
func (v *judgement) figures(fabrics []int, s int) string {
	parts := make([]string, len(fabrics))
	for i, f := range fabrics {
		parts[i] = timeOf(v.points[f][s])
	}
	return strings.Join(parts, ", ")
}

// leading says who leads in a span, over whom and by how much.
func (v *judgement) leading(s sizeRange, far []int) string {
	w, _ := s.leader()
	shown := v.shown(s, w, far)
	var over []string
	lead := ""
	same := true
	for _, f := range v.order(shown) {
		if f != w && !slices.Contains(far, f) {
			lo, hi := v.ratios(f, w, s.from, s.to)
			text := span2(lo, hi) + " times"
			same = same && (lead == "" || lead == text)
			lead = text
			over = append(over, v.name(f)+" by "+text)
		}
	}
	near := slices.DeleteFunc(v.order(shown), func(f int) bool { return slices.Contains(far, f) && f != w })
	verb := " leads "
	switch {
	case len(over) == 0: // all others are far behind
		verb = " is first"
	case !v.repeated:
		verb = " takes the least time in this run, before "
	case same && len(over) > 1:
		over = []string{"by " + lead}
	}
	return fmt.Sprintf("%s%s%s%s (%s).", v.sizesOf(s), v.name(w), verb, list(over), v.figuresIn(s, near, shown))
}

// shown is the size of a span whose figures are shown: the one at which the lead was tested, else
// that of the longest lead.
func (v *judgement) shown(s sizeRange, w int, far []int) int {
	best, most := s.to, 0.0
	for k := s.from; k <= s.to; k++ {
		for f := range v.fabrics {
			if f == w || slices.Contains(far, f) {
				continue
			}
			if v.trial(f, w, k) != nil {
				return k
			}
			if x := v.time(f, k) / v.time(w, k); x > most {
				best, most = k, x
			}
		}
	}
	return best
}

// trial is the test of a fabric's lead over another at a size; nil if there is none.
func (v *judgement) trial(slower, faster, s int) *runstore.Trial {
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
