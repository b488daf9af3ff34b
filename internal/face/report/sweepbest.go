package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"weft/internal/face/doc"
	"weft/internal/study/contest"
	"weft/internal/study/sweep"
	"weft/scenario"
	"weft/units"
)

// bestSentence names the variant with the least time of the largest size, if the rows show one.
func bestSentence(t *sweep.Table, a *sweep.Analysis) string {
	best, what := &a.Choices[0], t.Space.Kind.MainText+ofSize(a.Choices[0].First.Bytes)
	if sameTimes(a) {
		return fmt.Sprintf("All variants have the same %s, %s, to the picosecond: %s", what, mainText(best), noDifference(t, a))
	}
	at := variantText(t, best.First)
	if at != "" {
		at = ", " + at
	}
	switch {
	case len(a.Choices) == 1:
		return fmt.Sprintf("The shortest %s is %s: variant %d%s", what, mainText(best), best.First.Number, at)
	case len(best.Times) == 1:
		return fmt.Sprintf("The shortest %s is %s: variant %d%s; each variant is one run, and with another seed the order may change (sweep.seeds)", what, mainText(best), best.First.Number, at)
	}
	tied, next := tiedWith(a.Choices)
	if len(tied) > 0 {
		return fmt.Sprintf("The seeds do not show which variant has the shortest %s: variant %d%s has the least mean, %s, and %s not distinguished from it (%s)",
			what, best.First.Number, at, mainText(best), plural(len(tied), "other is", "others are"), someNumbers(tied))
	}
	return fmt.Sprintf("Over %d seeds the shortest %s is %s: variant %d and its other seeds%s; the next takes %s", len(best.Times), what, mainText(best), best.First.Number, at, next)
}

// mainText is the mean of a choice.
func mainText(c *sweep.Choice) string {
	return doc.TimeText(units.Time(stat.Mean(c.Times, nil)), 4)
}

// tiedWith are the numbers of the variants that the seeds do not show to be slower than the first choice; without any, the
// ratio of the next choice to the first as text.
func tiedWith(choices []sweep.Choice) (tied []int, next string) {
	best := &choices[0]
	for i := range choices[1:] {
		c := &choices[1+i]
		ratio := contest.RatioOf(contest.LogsOf(c.Times), contest.LogsOf(best.Times), len(c.Times) == len(best.Times))
		switch {
		case !ratio.Behind(true):
			tied = append(tied, c.First.Number)
		case next == "":
			next = fmt.Sprintf("%s times as long (95 %% interval %s)", times(ratio.Mean), interval(ratio))
		}
	}
	return tied, next
}

// sameTimes reports whether more than one choice has a result, and all times with a seed are equal.
func sameTimes(a *sweep.Analysis) bool {
	return len(a.Choices) > 1 && !slices.ContainsFunc(a.Choices, func(c sweep.Choice) bool { return !slices.Equal(c.Times, a.Choices[0].Times) })
}

// noDifference says that the axes have no effect, with the reason if counts show it.
func noDifference(t *sweep.Table, a *sweep.Analysis) string {
	var names, paths []string
	for i := range t.Space.Axes {
		names, paths = append(names, t.Space.Axes[i].Name), append(paths, t.Space.Axes[i].Path)
	}
	marks, stops := 0.0, 0.0
	byMarks := !slices.ContainsFunc(t.Space.Base.Fabrics, func(f scenario.Fabric) bool { return !f.CC.Algorithm.ByMarks() })
	for i := range a.Choices {
		marks, stops = marks+a.Choices[i].Marks, stops+a.Choices[i].Stops
	}
	text := list(names) + " made no difference"
	if len(names) == 0 {
		text = "the fabrics make no difference"
	}
	return text + because(paths, marks == 0 && byMarks, stops == 0)
}

// because is the reason why parameters have no effect, if all have one that counts show; else it is empty. Unmarked says
// that nothing was marked and that congestion control acts on marks alone, unpaused that PFC paused nothing.
func because(paths []string, unmarked, unpaused bool) string {
	all := func(parts ...string) bool {
		return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool {
			return !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(path, part) })
		})
	}
	switch {
	case unmarked && all(".cc.", ".ecn."):
		return ": no packet was marked"
	case unpaused && all(".pfc."):
		return ": no port sent a pause"
	case unmarked && unpaused && all(".cc.", ".ecn.", ".pfc."):
		return ": no packet was marked, and no port sent a pause"
	}
	return ""
}
