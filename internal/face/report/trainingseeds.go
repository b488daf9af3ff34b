package report

import (
	"fmt"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/study/contest"
	"weft/results"
	"weft/units"
)

// seedsTitle is the title of the table over seeds.
func seedsTitle(t *results.Training) string {
	n := 0
	for i := range t.Fabrics {
		if s := t.Fabrics[i].Seeds; s != nil {
			n = s.Seeds
		}
	}
	return fmt.Sprintf("Over %d seeds, from %d on: mean with its 95 %% interval, least and most", n, t.Seed)
}

// seedsTable is a row for the step and each kind of exposed communication, fabric by fabric; nil
// with one seed.
func seedsTable(t *results.Training) *doc.Table {
	out := doc.NewTable("fabric", "time", "mean", "from", "to", "least", "most")
	add := func(fabric, what string, s *results.Spread) {
		out.Add(append([]doc.Cell{{Text: fabric}, {Text: what}}, spreadCells(s)...)...)
	}
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		if f.Seeds == nil {
			continue
		}
		add(f.Name, "step", &f.Seeds.Step)
		for j := range f.Seeds.Exposed {
			p := &f.Seeds.Exposed[j]
			add("", "exposed, "+p.Purpose, &p.Spread)
		}
	}
	if len(out.Rows) < 2 {
		return nil
	}
	return out
}

// seedsSentences state the effect of the seeds on the step, and whether they distinguish two
// fabrics.
func seedsSentences(t *results.Training) (out []string) {
	best := fastestOverSeeds(t)
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		s := f.Seeds
		switch {
		case s == nil:
		case s.Step.LeastPs == s.Step.MostPs:
			out = append(out, fmt.Sprintf("The step on %s is the same with each of %d seeds: random choices make no difference.", quoted(f.Name), s.Seeds))
		default:
			out = append(out, fmt.Sprintf("Over %d seeds %s takes %s on the mean (95 %% interval %s to %s; least %s, most %s).", s.Seeds, quoted(f.Name),
				fullTime(units.Time(s.Step.MeanPs)), fullTime(units.Time(s.Step.LowPs)), fullTime(units.Time(s.Step.HighPs)), fullTime(units.Time(s.Step.LeastPs)), fullTime(units.Time(s.Step.MostPs))))
		}
		switch {
		case s == nil || i == best:
		case slices.Equal(s.StepsPs, t.Fabrics[best].Seeds.StepsPs):
			out = append(out, fmt.Sprintf("The step on %s is the step on %s with each seed, to the picosecond: nothing that differs between them made a difference.", quoted(f.Name), quoted(t.Fabrics[best].Name)))
		case !stepsBehind(s, t.Fabrics[best].Seeds):
			out = append(out, fmt.Sprintf("These seeds do not show whether %s or %s is faster (%s times as long on %s).", quoted(t.Fabrics[best].Name), quoted(f.Name), interval(stepsContrast(s, t.Fabrics[best].Seeds)), quoted(f.Name)))
		}
	}
	return out
}

// stepsContrast is the contrast of the steps of two fabrics over seeds, as two samples: a seed draws other paths on each.
func stepsContrast(slow, fast *results.TrainingSeeds) contest.Contrast {
	return contest.RatioOf(contest.LogsOf(slow.StepsPs), contest.LogsOf(fast.StepsPs), false)
}

// stepsBehind reports whether seeds show that steps are longer.
func stepsBehind(slow, fast *results.TrainingSeeds) bool {
	return stepsContrast(slow, fast).Behind(true)
}

// leastStep states that a fabric's step is the shortest: over seeds if they distinguish it from all
// others, else in the shown run.
func leastStep(t *results.Training, best int) string {
	own := t.Fabrics[best].Seeds
	told := own != nil
	for i := range t.Fabrics {
		if s := t.Fabrics[i].Seeds; i != best && own != nil && t.Fabrics[i].StepPs > 0 {
			told = told && s != nil && stepsBehind(s, own)
		}
	}
	if told {
		return "is the fastest"
	}
	return fmt.Sprintf("takes the least time with seed %d", t.Seed)
}

// fastestOverSeeds is the fabric with the shortest mean step; -1 if there is none.
func fastestOverSeeds(t *results.Training) int {
	best := -1
	for i := range t.Fabrics {
		if s := t.Fabrics[i].Seeds; s != nil && (best < 0 || s.Step.MeanPs < t.Fabrics[best].Seeds.Step.MeanPs) {
			best = i
		}
	}
	return best
}
