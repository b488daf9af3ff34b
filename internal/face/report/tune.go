package report

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/tune"
	"weft/units"
)

// Tune is the result of a tuning. configs are files for devices and tuned is the text of the tuned
// scenario, both for the page.
func Tune(r *tune.Result, configs []NamedText, tuned []byte) *doc.Document {
	d := &doc.Document{
		Brand: simulation, Title: r.Scenario + ", tuned", Heading: r.Scenario + ": " + r.Fabric + " tuned for " + objectiveText(r),
		Subtitle: fmt.Sprintf("%s · for %s · seeds %s, held out %s", r.Fabric, objectiveText(r), seedsText(r.Seeds), seedsText(r.HeldOut)),
		Footer:   "Made by weft. The same scenario, seeds and version make the same page.",
	}
	if r.Partial {
		d.Add(doc.Section{In: doc.Page, Blocks: []doc.Block{doc.Alarm("Partial: the tuning was stopped before its end. The same command continues from there.")}})
	}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(tuneSentences(r)...)})
	var matters []doc.Block
	if len(r.Sensitivity) > 0 {
		matters = doc.Notes("Matters: how much the objective changes when only this parameter varies, as a share of the tuned objective. It does not show the combined effect of two parameters.")
	}
	d.Add(doc.Section{Title: "Parameters", Blocks: append([]doc.Block{parameterTable(r)}, matters...)})
	if r.Proof != nil && len(r.Proof.Measures) > 0 {
		d.Add(doc.Section{
			Title:   fmt.Sprintf("On %s held out of the search", plural(r.Proof.Pairs, "seed", "seeds")),
			Caption: "means over seeds; the change of pairs with the same seed, from one end of its 95 % interval to the other",
			Blocks:  []doc.Block{measureTable(r.Proof)},
		})
	}
	if len(r.Sensitivity) > 0 {
		d.Add(doc.Section{
			Title:   "The objective over each parameter's values",
			Caption: "the others as tuned; the outcome is 1",
			In:      doc.Details, Blocks: []doc.Block{doc.Grid(sensitivityRows(r))},
		})
	}
	d.Add(doc.Section{Title: "Search and sensitivity", Blocks: diagrams(nil, tunePlots(r)...)})
	for _, c := range configs {
		d.Add(scenarioSection("For the devices: "+c.Name, []byte(c.Text)))
	}
	d.Add(scenarioSection("The tuned scenario, every value resolved", tuned))
	return d
}

// objectiveText is the weights as text.
func objectiveText(r *tune.Result) string {
	var parts []string
	for _, t := range tune.Terms {
		if x, ok := r.Objective[t.Name]; ok {
			parts = append(parts, strconv.FormatFloat(x, 'g', 4, 64)+" × "+t.Name)
		}
	}
	if len(parts) == 1 && strings.HasPrefix(parts[0], "1 × ") {
		return strings.TrimPrefix(parts[0], "1 × ")
	}
	return strings.Join(parts, " + ")
}

// tuneSentences state the result.
func tuneSentences(r *tune.Result) []string {
	out := []string{verdictOfTuning(r)}
	s := &r.Search
	searched := fmt.Sprintf("The search simulated %s on %s", plural(s.Candidates, "candidate", "candidates"), plural(len(r.Seeds), "seed", "seeds"))
	if s.Stopped > 0 {
		searched += fmt.Sprintf(", %d of them only on the first, which showed that they are not the best", s.Stopped)
	}
	if s.Combinations {
		searched += ": all combinations"
	}
	if r.Found {
		searched += fmt.Sprintf("; there the objective fell by %s", signedPercent(s.Improvement()))
	}
	out = append(out, searched+".")
	if p := r.Proof; p != nil && p.StandsFailed > 0 {
		out = append(out, fmt.Sprintf("On %s held out the scenario as it stands fails, and no pair is compared.", plural(p.StandsFailed, "seed", "seeds")))
	}
	if s.Failed > 0 {
		out = append(out, fmt.Sprintf("%s failed, the first one: %s", plural(s.Failed, "candidate", "candidates"), oneLine(s.FailedWhy)))
	}
	if s.Impossible > 0 {
		out = append(out, fmt.Sprintf("%s skipped without a simulation, for instance: %s", plural(s.Impossible, "invalid combination was", "invalid combinations were"), oneLine(s.ImpossibleWhy)))
	}
	return out
}

// verdictOfTuning is the first sentence: the proved gain.
func verdictOfTuning(r *tune.Result) string {
	switch p := r.Proof; {
	case !r.Found && r.Partial:
		return "Interrupted before the search found anything better than the scenario's values."
	case !r.Found && r.Search.NoDifference:
		var names, paths []string
		for _, x := range r.Parameters {
			names, paths = append(names, x.Path), append(paths, x.Path)
		}
		return list(names) + " made no difference" + because(paths, r.Search.Unmarked, r.Search.Unpaused) + ". The scenario's values stay."
	case !r.Found:
		return "No candidate is better than the scenario's values: they stay."
	case p == nil:
		return "Interrupted before the proof: the result is the best of the search, on the seeds of the search."
	case p.Failed > 0:
		return fmt.Sprintf("Do not take these values: on %d of %d seeds held out they failed: %s", p.Failed, len(r.HeldOut), oneLine(p.FailedWhy))
	case p.Pairs < 2:
		return "There is no proof: the scenario as it stands fails on the seeds held out."
	case p.Verdict == tune.Better:
		return fmt.Sprintf("On seeds that the search has not seen, the objective is %s less than without the change (95 %% interval %s to %s), on %d of %d seeds.",
			signedPercent(p.Improvement.Mean), signedPercent(p.Improvement.Low), signedPercent(p.Improvement.High), p.Better, p.Pairs)
	case p.Verdict == tune.Worse:
		return fmt.Sprintf("Do not take these values: on seeds that the search has not seen the objective is worse by %s (95 %% interval %s to %s).",
			signedPercent(-p.Improvement.Mean), signedPercent(-p.Improvement.High), signedPercent(-p.Improvement.Low))
	default:
		return fmt.Sprintf("No improvement is shown: on seeds that the search has not seen the objective is %s on average (95 %% interval: %s to %s).",
			lowerBy(p.Improvement.Mean), lowerBy(p.Improvement.Low), lowerBy(p.Improvement.High))
	}
}

// lowerBy is the decrease of an objective, or its increase if below 0.
func lowerBy(x float64) string {
	if x < 0 {
		return signedPercent(-x) + " higher"
	}
	return signedPercent(x) + " lower"
}

// oneLine is a reason without its line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// parameterTable is a row per parameter.
func parameterTable(r *tune.Result) *doc.Table {
	t := doc.Wrapped("parameter", "as it stands", "tuned", "matters", "searched")
	for _, p := range r.Parameters {
		matters := doc.None
		for _, x := range r.Sensitivity {
			if x.Path == p.Path {
				matters = doc.Tenths(x.Spread)
			}
		}
		t.Add(doc.Text(p.Path), doc.Text(p.Stands), doc.Text(p.Tuned), matters, doc.Text(p.Range))
	}
	return t
}

// measureTable is a row per size and term.
func measureTable(p *tune.Proof) *doc.Table {
	t := doc.NewTable("size", "", "as it stands", "tuned", "change", "from", "to")
	for _, m := range p.Measures {
		of := func(x float64) doc.Cell { return measure(m.Unit, x) }
		t.Add(sizeCell(m.Bytes), doc.Text(measureName(m.Name)), of(m.Stands), of(m.Tuned), of(m.Change.Mean), of(m.Change.Low), of(m.Change.High))
	}
	return t
}

// measureName is the display name of a term.
func measureName(name string) string {
	switch name {
	case "tail":
		return "messages, p99"
	case "pauses":
		return "PFC pauses per 1,000 packets"
	case "fairness":
		return "unfairness (1 − Jain's index)"
	}
	return name
}

// measure is a number of a term.
func measure(u tune.Unit, x float64) doc.Cell {
	if u != tune.Picoseconds {
		return doc.Number(x, string(u))
	}
	return doc.Time(units.Time(math.Round(x)))
}

// sensitivityRows is a row per parameter, with its values and the objective there over the
// result's; the most sensitive first.
func sensitivityRows(r *tune.Result) [][]string {
	profiles := append([]tune.Profile{}, r.Sensitivity...)
	sort.SliceStable(profiles, func(i, j int) bool { return profiles[i].Spread > profiles[j].Spread })
	rows := [][]string{{"parameter", "value: objective"}}
	for i := range profiles {
		var parts []string
		for _, x := range profiles[i].Points {
			parts = append(parts, x.Value+": "+relativeText(&profiles[i], &x))
		}
		rows = append(rows, []string{profiles[i].Path, strings.Join(parts, "; ")})
	}
	return rows
}

// relativeText is a point of a profile over the result's.
func relativeText(p *tune.Profile, x *tune.Point) string {
	base := tunedScore(p)
	switch {
	case x.Score == nil:
		return none
	case x.Tuned:
		return "1 (tuned)"
	case base == 0:
		return strconv.FormatFloat(*x.Score, 'g', 3, 64)
	}
	return strconv.FormatFloat(*x.Score/base, 'f', 3, 64)
}

// tunedScore is the objective of the result itself.
func tunedScore(p *tune.Profile) float64 {
	for _, x := range p.Points {
		if x.Tuned && x.Score != nil {
			return *x.Score
		}
	}
	return 0
}
