package report

import (
	"fmt"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/study/contest"
	"weft/results"
	"weft/units"
)

// trainingSeeds is a row for the step and each kind of exposed communication, fabric by fabric.
func trainingSeeds(t *results.Training) doc.Section {
	out, seeds := spreadsTable("time"), 0
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		if f.Seeds == nil {
			continue
		}
		seeds = f.Seeds.Seeds
		addSpread(out, f.Name, "step", &f.Seeds.Step)
		for j := range f.Seeds.Exposed {
			p := &f.Seeds.Exposed[j]
			addSpread(out, "", "exposed, "+p.Purpose, &p.Spread)
		}
	}
	section := overSeeds(seeds, t.Seed, out)
	section.In = doc.Details
	return section
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
	return leastOf(len(t.Fabrics), func(i int) (int64, bool) {
		s := t.Fabrics[i].Seeds
		if s == nil {
			return 0, false
		}
		return s.Step.MeanPs, true
	})
}
