package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/internal/study/advise"
	"weft/internal/study/serve"
	"weft/scenario"
)

// Advice is a recommendation: the choice, the table, the reasons with their counterfactuals, the
// points where the choice changes, and the rules of thumb.
func Advice(a *advise.Advice) *doc.Document {
	d := &doc.Document{
		Brand: "recommendation", Title: a.Profile.Name, Subtitle: adviceHeading(a), Heading: adviceHeading(a),
		Footer: "Made by weft advise; the same profile, prices and version make the same page.",
	}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(append(choiceLines(a), servingLines(a)...)...)})
	d.Add(movesSection(a))
	d.Add(doc.Section{Title: "Points by criterion", In: doc.Page, Blocks: pointLanes(a), Caption: "Each fabric's points; the length of a row is the criterion's weight."})
	d.Add(doc.Section{Title: "The choice by weight", In: doc.Page, Blocks: weightLanes(a), Caption: "The fabric with more points at every weight of one criterion, the other weights unchanged."})
	d.Add(productSection(a))
	d.Add(comparisonSection(a))
	d.Add(reasonSection("The strongest reasons", a.Reasons), reasonSection("In favour of the other", a.Against), counterfactualSection(a))
	if len(a.Flips) > 0 {
		d.Add(flipSection(a))
	}
	d.Add(needSection(a), makerSection(a), generationSection(a), thumbSection(a), ruleSection(a))
	for _, c := range a.Candidates {
		if c.Design != nil {
			d.Add(billSection(c.Design, doc.Page))
			d.Add(scenarioSection("Scenario of "+c.Design.Name, c.Design.Scenario))
		}
	}
	return d
}

func adviceHeading(a *advise.Advice) string {
	return fmt.Sprintf("%s: %s GPUs of %s", a.Profile.Name, doc.Integer(int64(a.Profile.Design.GPUs)), a.Profile.Design.Node)
}

// choiceLines are the choice, its reasons, and what would turn it: all that a reader needs first.
func choiceLines(a *advise.Advice) []string {
	v := a.Verdict
	choice, other := a.Candidates[v.Choice], a.Candidates[1-v.Choice]
	if other.Design == nil {
		return onlyLines(a, choice, other)
	}
	lines := append([]string{FirstAnswer(a)}, mayExceed(choice, other)...)
	lines = append(lines, reasonLines(a)...)
	if a.Partial {
		return append(lines, "Interrupted: what would change the choice was not simulated.")
	}
	return append(lines, turnLine(a))
}

// reasonLines are the reasons for the choice and the strongest against it.
func reasonLines(a *advise.Advice) (lines []string) {
	for i, r := range a.Reasons {
		lines = append(lines, fmt.Sprintf("%d. %s, by %s: %s.", i+1, r.Criterion, leadText(r), briefly(r.Text)))
	}
	if len(a.Against) > 0 {
		r := a.Against[0]
		lines = append(lines, fmt.Sprintf("Against it, %s, by %s: %s.", r.Criterion, leadText(r), briefly(r.Text)))
	}
	return lines
}

// onlyLines are the choice if the other fabric is ruled out: none is sure if a budget may be exceeded.
func onlyLines(a *advise.Advice, choice, other *advise.Candidate) []string {
	ruledOut := fmt.Sprintf("%s is ruled out: %s.", other.Name(), other.RuledOut)
	open := mayExceed(choice)
	lines := []string{fmt.Sprintf("Choice: %s. %s", choice.Name(), ruledOut)}
	if len(open) > 0 {
		lines = append([]string{fmt.Sprintf("Choice: none is sure. %s %s is left because figures are not known.", ruledOut, choice.Name())}, open...)
	}
	if a.Next != nil {
		v := a.OverNext
		text := fmt.Sprintf("Of Ethernet as it is sold it leads %s by %s points.", a.Next.Name(), points(v.Points[1]-v.Points[0]))
		if v.Tie {
			text = strings.TrimSuffix(text, ".") + ", a tie."
		}
		return append(append(lines, text), reasonLines(a)...)
	}
	lines = append(lines, fmt.Sprintf("Nothing is left to weigh it against. What weighs most, of %s:", choice.Design.Name))
	heaviest := slices.Clone(a.Verdict.Criteria)
	sorting.StableFunc(heaviest, func(x, y advise.Criterion) int { return y.Weight - x.Weight })
	for i, c := range heaviest[:3] {
		lines = append(lines, fmt.Sprintf("%d. %s: %s.", i+1, c.Name, briefly(c.Cells[a.Verdict.Choice].Text)))
	}
	return lines
}

// mayExceed are sentences on budgets of which it is not known whether candidates keep them.
func mayExceed(candidates ...*advise.Candidate) (out []string) {
	for _, c := range candidates {
		if c.Design.MayBreak() {
			for _, b := range c.Design.Breaks {
				out = append(out, fmt.Sprintf("%s may exceed %s %s: to be sure takes %s.", c.Name(), b.Field, b.Allowed, b.Needs))
			}
		}
	}
	return out
}

// FirstAnswer is the choice in a sentence.
func FirstAnswer(a *advise.Advice) string {
	v := a.Verdict
	choice, other := a.Candidates[v.Choice], a.Candidates[1-v.Choice]
	switch lead := v.Points[v.Choice] - v.Points[1-v.Choice]; {
	case other.Design == nil:
		return choiceLines(a)[0]
	case v.Tie:
		return fmt.Sprintf("A tie: %s (%s) has %s points, %s (%s) %s of %s. Take the one that you can get and run.",
			choice.Name(), choice.Design.Name, points(v.Points[v.Choice]), other.Name(), other.Design.Name, points(v.Points[1-v.Choice]), points(weightSum(a)))
	case lead < closeLead:
		return fmt.Sprintf("Choice: %s (%s), with %s points; %s has %s. That is close.", choice.Name(), choice.Design.Name, points(v.Points[v.Choice]), other.Name(), points(v.Points[1-v.Choice]))
	default:
		return fmt.Sprintf("Choice: %s (%s), with %s points; %s has %s.", choice.Name(), choice.Design.Name, points(v.Points[v.Choice]), other.Name(), points(v.Points[1-v.Choice]))
	}
}

// leadText is the lead of a reason in points, and its range if the ranges leave open who is ahead.
func leadText(r advise.Reason) string {
	text := points(r.Points) + " points"
	if r.Range != nil {
		text += fmt.Sprintf(" in the mean, from %+.1f to %+.1f by its ranges", r.Range[0], r.Range[1])
	}
	return text
}

// parenthesis is text in parentheses.
var parenthesis = regexp.MustCompile(` \([^()]*\)`)

// briefly is a reason without what stands in parentheses and behind its second clause.
func briefly(text string) string {
	var out []string
	clauses := 0
	for _, part := range strings.Split(parenthesis.ReplaceAllString(text, ""), "; ") {
		if starts := strings.Contains(part, ": ") && !strings.HasPrefix(part, "+"); starts {
			clauses = 0
		}
		if clauses++; clauses <= 2 || strings.HasPrefix(part, "+") { // all parts of a sum
			out = append(out, part)
		}
	}
	return strings.Join(out, "; ")
}

// turnLine says what would turn the choice: what is not known exactly, what was searched, and what was changed.
func turnLine(a *advise.Advice) string {
	var turns []string
	lead := a.Verdict.Points[1] - a.Verdict.Points[0]
	for _, c := range a.Verdict.Criteria {
		if !c.Scored || c.Lead[0] == c.Lead[1] {
			continue
		}
		rest := lead - (c.Points[1] - c.Points[0])
		if (rest+c.Lead[0] > 0) != (rest+c.Lead[1] > 0) {
			turns = append(turns, fmt.Sprintf("%s, known as a range alone (from %+.1f to %+.1f points for %s)", c.Name, c.Lead[0], c.Lead[1], a.Candidates[1].Name()))
		}
	}
	for _, f := range a.Flips {
		for _, x := range f.Turns {
			turns = append(turns, fmt.Sprintf("%s at %s (now %s)", f.What, x.And, f.Now))
			break
		}
	}
	for _, x := range a.Counterfactuals {
		if x.Flips {
			turns = append(turns, x.Change)
		}
	}
	if len(turns) == 0 {
		return "What would turn it: nothing that was tried."
	}
	more := ""
	if n := len(turns) - mostTurns; n > 0 {
		more, turns = fmt.Sprintf("; and %d more", n), turns[:mostTurns]
	}
	return "What would turn it: " + strings.Join(turns, "; ") + more + "."
}

// mostTurns is the number of turning points in the first lines.
const mostTurns = 4

// closeLead is a lead in points that is too small for a firm choice.
const closeLead = 5

func weightSum(a *advise.Advice) (sum float64) {
	for _, c := range a.Verdict.Criteria {
		sum += float64(c.Weight)
	}
	return sum
}

func points(x float64) string { return fmt.Sprintf("%.1f", x) }

func comparisonSection(a *advise.Advice) doc.Section {
	t := doc.Wrapped("criterion", "fabric", "points", "of", "value [source]")
	candidates, verdict := a.Compared()
	for _, c := range verdict.Criteria {
		name, weight := c.Name, doc.Number(float64(c.Weight), "points")
		for i, candidate := range candidates {
			if candidate.Design == nil {
				continue
			}
			got := doc.Number(c.Points[i], "points").As(points(c.Points[i]))
			if !c.Scored {
				got = doc.None
			}
			what := c.Cells[i].Text
			if basis := c.Cells[i].Basis; basis != "" {
				what += " [" + basis + "]"
			}
			t.Add(doc.Text(name), doc.Text(candidate.Name()), got, weight, doc.Text(what))
			name, weight = "", doc.Cell{}
		}
	}
	notes := []string{"Performance and tail are from one run of each design, without jitter: chance can move them by some per cent. weft compare on a design's scenario gives intervals."}
	for _, c := range verdict.Criteria {
		if c.Note != "" {
			notes = append(notes, c.Name+": "+c.Note+".")
		}
	}
	for _, c := range candidates {
		if c.Design != nil && !c.Design.Latency.Complete() {
			notes = append(notes, fmt.Sprintf("Not known: %s. It is simulated with the catalog's assumption of %s.", strings.Join(c.Design.Latency.Missing, "; "), c.Design.Resolved.Fabrics[0].Switch.Latency))
		}
	}
	title := "Both fabrics"
	if !bothDesigned(a) {
		title = "The fabric that is left"
	}
	return doc.Section{Title: title, Blocks: append([]doc.Block{t}, doc.Notes(notes...)...)}
}

// productSection is a row for each product as it is sold, beside InfiniBand.
func productSection(a *advise.Advice) doc.Section {
	if len(a.Products) == 0 {
		return doc.Section{}
	}
	t := doc.Wrapped("Ethernet as it is sold", "lead", "routing", "congestion control", "design, or why not")
	for _, x := range a.Products {
		if x.Candidate == nil {
			t.Add(doc.Text(x.Name), doc.None, doc.None, doc.None, doc.Text(x.RuledOut))
			continue
		}
		f := &x.Candidate.Design.Resolved.Fabrics[0]
		t.Add(doc.Text(x.Name), doc.Number(x.Lead, "points").As(fmt.Sprintf("%+.1f", x.Lead)), doc.Text(routingText(f)),
			doc.Text(string(f.CC.Algorithm)), doc.Text(x.Candidate.Design.Name))
	}
	beside := "InfiniBand"
	if a.Candidates[0].Design == nil {
		beside = a.Products[0].Name
	}
	return doc.Section{Title: "Products", Blocks: append([]doc.Block{t}, doc.Notes("Lead: in points, over "+beside+". The best of them is compared below.")...)}
}

// routingText is how packets take their ways: by ECMP too, if the sender varies what switches hash (spraying).
func routingText(f *scenario.Fabric) string {
	if f.Routing.Mode == scenario.ECMP && f.Transport.EntropyValues > 0 {
		return "spraying"
	}
	return string(f.Routing.Mode)
}

func reasonSection(title string, reasons []advise.Reason) doc.Section {
	var out []string
	for i, r := range reasons {
		out = append(out, fmt.Sprintf("%d. %s, by %s. %s.", i+1, r.Criterion, leadText(r), r.Text))
		for _, x := range r.Counterfactuals {
			out = append(out, "With "+x.Change+": "+gapText(x)+".")
		}
	}
	return doc.Section{Title: title, In: doc.Details, Blocks: doc.Paragraphs(out...)}
}

// gapText is the effect of a change on a criterion's lead.
func gapText(x advise.Counterfactual) string {
	before, after := x.Gap[0], x.Gap[1]
	text := fmt.Sprintf("lead %+.1f → %+.1f points", before, after)
	if x.Flips {
		return text + "; the overall choice changes"
	}
	return text + "; the overall choice is unchanged"
}

func counterfactualSection(a *advise.Advice) doc.Section {
	t := [][]string{{"one thing changed", "criterion", "choice", "before, and after"}}
	for _, x := range a.Counterfactuals {
		choice := "stays"
		if x.Flips {
			choice = "turns"
		}
		var was []string
		for i, c := range a.Candidates {
			if x.Before[i] != x.After[i] {
				was = append(was, fmt.Sprintf("%s: %s → %s", c.Name(), x.Before[i], x.After[i]))
			}
		}
		if len(was) == 0 {
			was = []string{gapText(x)}
		}
		t = append(t, []string{x.Change, x.Criterion, choice, strings.Join(was, "; ")})
	}
	return doc.Section{Title: "Counterfactuals", In: doc.Details, Blocks: []doc.Block{doc.Grid(t)}}
}

func flipSection(a *advise.Advice) doc.Section {
	t := doc.Wrapped("as this changes", "searched", "tried", "lead", "the choice")
	for _, f := range a.Flips {
		var turns []string
		for _, x := range f.Turns {
			turns = append(turns, fmt.Sprintf("becomes %s between %s and %s", x.Choice, x.Between, x.And))
		}
		if len(turns) == 0 {
			turns = []string{"stays"}
		}
		if f.Note != "" {
			turns = append(turns, f.Note)
		}
		between, lead := none, none
		if f.Tried > 0 {
			between, lead = f.From+" to "+f.To, fmt.Sprintf("%+.1f, now %+.1f, %+.1f", f.Leads[0], f.Leads[1], f.Leads[2])
		}
		t.Add(doc.Text(f.What+", now "+f.Now), doc.Text(between), doc.Count(f.Tried), doc.Text(lead), doc.Text(strings.Join(turns, "; ")))
	}
	return doc.Section{Title: "Where the choice turns", In: doc.Details, Blocks: append([]doc.Block{t}, doc.Notes(
		"The column lead has the lead of the present choice: at the first end of the range, now, and at the other end. Sizes and oversubscriptions are planned and simulated anew at each point. A bisection between now and each end finds the turn: several turns on a side show as one. Prices, skills and weights are computed at every point; only weights that turn the choice are listed.",
	)...)}
}

func needSection(a *advise.Advice) doc.Section {
	t := [][]string{{"asked for", "InfiniBand", "Ethernet"}}
	for _, n := range a.Needs {
		t = append(t, []string{n.What, n.InfiniBand, n.RoCE})
	}
	return doc.Section{Title: "Further requirements (listed, not weighed)", In: doc.Details, Blocks: []doc.Block{doc.Grid(t)}}
}

func makerSection(a *advise.Advice) doc.Section {
	t := [][]string{{"fabric", "part", "maker", "tag", "source", "what"}}
	for _, c := range a.Candidates {
		if c.Design == nil {
			continue
		}
		for _, part := range []struct {
			name   string
			makers []advise.Maker
		}{{"switches", c.Makers.Switches}, {"chips", c.Makers.ASICs}, {"NICs", c.Makers.NICs}} {
			for _, m := range part.makers {
				t = append(t, []string{c.Name(), part.name, m.Name, string(m.Tag), doc.Fit(m.Source, 60), m.What})
			}
		}
	}
	return doc.Section{Title: "Makers", In: doc.Details, Blocks: append([]doc.Block{doc.Grid(t)}, doc.Notes("Tags: V read at its source, S secondary, R recalled. weft catalog vendor has all rows, those who make none included.")...)}
}

func generationSection(a *advise.Advice) doc.Section {
	t := [][]string{{"protocol", "switch", "maker", "chip", "ports", "rate", "typical power", "what"}}
	for _, g := range a.Generations {
		t = append(t, []string{g.Protocol, g.Model, g.Vendor, g.ASIC, g.Ports, g.Rate, g.Power, g.Title})
	}
	return doc.Section{Title: "Generations", In: doc.Details, Blocks: append([]doc.Block{doc.Grid(t)}, doc.Notes("weft catalog switch NAME has every fact with its source.")...)}
}

func thumbSection(a *advise.Advice) doc.Section {
	t := [][]string{{"published rule of thumb", "says here", "tag", "source"}}
	for _, x := range a.Thumbs {
		t = append(t, []string{x.Rule, x.Says, string(x.Tag), x.Source})
	}
	return doc.Section{Title: "Rules of thumb in circulation", In: doc.Details, Blocks: append([]doc.Block{doc.Grid(t)}, doc.Notes("They have no part in the choice, and contradict each other.")...)}
}

func ruleSection(a *advise.Advice) doc.Section {
	w := a.Profile.Weights
	return doc.Section{Title: "How it was decided", In: doc.Details, Blocks: doc.Notes(
		fmt.Sprintf("Each criterion gives its weight to the fabric with the better number, and to the other the share that follows from the ratio of the two; within 2 %% both get all. Weights: performance %d, tail %d, scale %d, fault recovery %d, operation %d, cost %d, power %d, vendors %d. They are assumptions: change them under weights in the profile.", w.Performance, w.Tail, w.Scale, w.Recovery, w.Operation, w.Cost, w.Power, w.Vendors),
		fmt.Sprintf("Performance is %s; tail is the slowest message of a permutation of %s. Effort points are assumptions, under effort in the profile. Of a range the mean counts. An unknown number gives no points to either.", performanceText(a), written(a.Profile.Simulate.Message)),
		"Simulated on a scale model if a cell says so: fewer nodes, on switches with fewer ports, so that levels and oversubscription stay the same. Times of recovery depend on the times of control planes, most of which are assumptions (control, in docs/SCENARIO.md).",
	)}
}

// performanceText describes the measurement behind performance.
func performanceText(a *advise.Advice) string {
	if t := &a.Profile.Design.Job.Training; t.Given() {
		return fmt.Sprintf("the time of a training step of %s, with as many sequences for each replica on the model as on the design", t.Model.Name())
	}
	if s := &a.Profile.Design.Job.Serving; s.Given() {
		return fmt.Sprintf("the highest rate of requests at which %s keeps its limits for %.0f %% of them", s.Model.Name(), 100*serve.GoodShare)
	}
	return fmt.Sprintf("the geometric mean of the times of %s at the job's sizes", a.Profile.Design.Job.Collective)
}
