package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/internal/formats/logfile"
	"weft/internal/study/calibrate"
	"weft/units"
)

// shownLikeliest is the number of explanations in full.
const shownLikeliest = 2

// stoppedEarly is the note of an interrupted diagnosis.
const stoppedEarly = "Stopped early: not all causes were tested."

// clearlyHealthy is the probability from which on a log indicates a healthy cluster: three to one,
// an assumption.
const clearlyHealthy = .75

// diagnosisLegend explains the columns of the table of causes.
var diagnosisLegend = []string{
	"Probability: of the cause, all its severities together, by its assumed frequency, the noise of the log, and how far off weft is on healthy clusters.",
	"Not every cause is simulated at every size. Simulation ends when the causes that are left have less than 3 % together, " +
		"or when a healthy cluster has 95 % or more. A cause that is left keeps the largest probability that it can have. " +
		"So the others have at least the probability shown.",
	"Off by: root mean square over all sizes. No trace: at every size the effect is smaller than the error of weft or of the log.",
}

// Diagnosis is the verdict on a log, the log and weft's prediction, the likeliest explanations and
// the table of all.
func Diagnosis(d *calibrate.Diagnosis) *doc.Document {
	out := &doc.Document{
		Brand: "diagnosis", Title: d.Log.Name, Heading: LogHeading(d.Log) + ", beside weft's prediction on " + d.Fabric,
		Subtitle: LogHeading(d.Log) + " · beside weft's prediction on " + d.Fabric,
		Footer:   "Made by weft from a log and simulations of the named cluster.",
	}
	out.Add(doc.Section{Verdict: true, Blocks: append(doc.Paragraphs(Finding(d)), doc.Notes(logNotes(d)...)...)})
	likeliest := d.Likeliest(shownLikeliest)
	for i, t := range d.Tasks {
		out.Add(doc.Section{Title: inFile(t), Blocks: slices.Concat(doc.Notes(taskNotes(t)...), taskPlots(d, i, likeliest), []doc.Block{taskTable(d, i, likeliest)})})
	}
	for i := range likeliest {
		out.Add(explanation(i, &likeliest[i]))
	}
	if len(d.Explanations) > 0 {
		out.Add(doc.Section{Title: "All that was simulated", In: doc.Details, Blocks: append([]doc.Block{explanationTable(d)}, doc.Notes(diagnosisLegend...)...)})
	}
	if len(d.Untried) > 0 {
		var untried doc.List
		for _, u := range d.Untried {
			untried = append(untried, u.ID+": "+u.Why)
		}
		out.Add(doc.Section{Title: "Not simulated", In: doc.Details, Blocks: []doc.Block{untried}})
	}
	out.Add(doc.Section{Title: "What this leaves out", In: doc.Details, Blocks: []doc.Block{doc.List{
		"Two faults at once, and faults of a part of the nodes other than slow cables: each explanation is one change to the whole cluster.",
		"The frequency of each fault: the probabilities depend on an assumption about it.",
		"Faults that weft has no hypothesis for. A match is no proof: run the checks.",
	}}})
	return out
}

// LogHeading describes a log.
func LogHeading(l *logfile.Log) string {
	rows := 0
	for _, t := range l.Tables {
		rows += len(t.Rows)
	}
	text := fmt.Sprintf("%s: %s of %s, %s", l.Name, plural(len(l.Tables), "table", "tables"), l.Tables[0].Format, plural(rows, "row", "rows"))
	if l.Said.Version != "" {
		text += ", NCCL " + l.Said.Version
	}
	if l.Partial() {
		text += " (partial)"
	}
	return text
}

// logNotes are contradictions in the log, NCCL's settings, and tables that were not compared, each
// with its line.
func logNotes(d *calibrate.Diagnosis) (out []string) {
	for _, n := range d.Log.Notes {
		out = append(out, logfile.Place(n.File, n.Line)+": "+n.Text)
	}
	if d.Log.Unlisted > 0 {
		out = append(out, fmt.Sprintf("and %s more of that kind", plural(d.Log.Unlisted, "place", "places")))
	}
	for _, t := range d.Log.Tables {
		if t.Cut != "" {
			out = append(out, logfile.Place(t.File, t.Line)+": partial: "+t.Cut)
		}
		if len(t.Suspects) > 0 {
			out = append(out, logfile.Place(t.File, t.Line)+": the log itself calls these slow: "+strings.Join(t.Suspects, ", "))
		}
	}
	for _, s := range d.Log.Said.Signs {
		out = append(out, logfile.Place(s.File, s.Line)+": the log says: "+s.Text)
	}
	for _, n := range d.Log.Said.Warnings {
		out = append(out, logfile.Place(n.File, n.Line)+": the log has a warning: "+n.Text)
	}
	if settings := d.Log.Said.Settings; len(settings) > 0 {
		var list []string
		for _, s := range settings {
			if s.Environment() {
				list = append(list, fmt.Sprintf("%s=%s (%s)", s.Name, s.Value, logfile.Place(s.File, s.Line)))
			}
		}
		if len(list) > 0 {
			out = append(out, "set in the environment: "+strings.Join(list, ", "))
		}
	}
	for _, n := range d.Notes {
		out = append(out, logfile.Place(n.File, n.Line)+": "+n.Text)
	}
	return append(append(out, slowPeers(d)...), statedNotes(d)...)
}

// slowPeers names the NICs that are slower than most others of the log.
func slowPeers(d *calibrate.Diagnosis) (out []string) {
	for _, t := range d.Tasks {
		if text := "slower than most other NICs of the log: " + t.SlowPeers; t.SlowPeers != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// statedNotes say what the settings cost that the log itself states.
func statedNotes(d *calibrate.Diagnosis) (out []string) {
	if x := d.Chosen; x != nil {
		without, ratio := "shorter", x.Ratio
		if ratio < 1 {
			without, ratio = "longer", 1/ratio
		}
		out = append(out, fmt.Sprintf("predicted with %s, as the log has it, which is the user's choice and no fault: without it weft expects times up to %.2f times %s at %s",
			list(x.Stated), ratio, without, sizeText(x.Bytes)))
	}
	if x := d.Idle; x != nil {
		out = append(out, fmt.Sprintf("%s: %s; that costs a factor of %.2f at %s", list(x.Stated), x.Unused, x.Ratio, sizeText(x.Bytes)))
	}
	return out
}

// taskNotes are the notes on a table.
func taskNotes(t *calibrate.Task) (out []string) {
	if t.Table.Inferred {
		out = append(out, "the operation is not named: only an all-reduce has a busbw above its algbw")
	}
	out = append(out, t.Told...)
	if wrong := t.Table.Wrong(); wrong > 0 {
		out = append(out, fmt.Sprintf("%s came out wrong (#wrong): data is corrupted, whatever the speed", plural(wrong, "element", "elements")))
	}
	if t.Skipped != "" {
		out = append(out, t.Skipped)
	}
	return out
}

// taskPlots are the diagrams of a table of the log: the log, the prediction, and the
// likeliest explanations, each a colour.
func taskPlots(d *calibrate.Diagnosis, task int, likeliest []calibrate.Explanation) []doc.Block {
	points := d.Tasks[task].Points
	names, times := []string{"the log", "weft, as described"}, [][]units.Time{nil, d.Predicted[task]}
	var sizes []int64
	for i := range points {
		sizes, times[0] = append(sizes, points[i].Bytes), append(times[0], points[i].Measured)
	}
	for _, e := range likeliest {
		names, times = append(names, e.ID), append(times, e.Predicted[task])
	}
	speeds := &plot{title: "Bandwidth", note: "more is better", unit: "Gb/s", format: axisNumber, over: overSizes(sizes)}
	if points[0].Factor > 0 {
		speeds.title, speeds.unit = "Bus bandwidth", "GB/s"
	}
	speeds.series = linesOf(names, len(sizes), func(k, i int) float64 { return speedOf(&points[i], times[k][i]) })
	return diagrams(names, speeds, &plot{
		title: "Time", note: "of one operation, less is better", log: true, format: timeText, over: speeds.over,
		series: linesOf(names, len(sizes), func(k, i int) float64 { return float64(times[k][i]) }),
	})
}

// taskTable is a table's sizes: the log, weft, and the likeliest explanations; of latencies without bandwidths.
func taskTable(d *calibrate.Diagnosis, task int, likeliest []calibrate.Explanation) *doc.Table {
	t := d.Tasks[task]
	tab := doc.NewTable("size", "log", "weft", "log/weft", "healthy")
	tab.Columns = []doc.Column{5: {Gap: 4}}
	shown := speed
	switch {
	case t.Table.Latency:
		shown = func(_ *calibrate.Point, took units.Time) doc.Cell { return doc.Time(took) }
	case t.Points[0].Factor > 0:
		tab.Rows[0] = append(tab.Rows[0], doc.Text("busbw GB/s log"), doc.Text("weft"))
	default:
		tab.Rows[0] = append(tab.Rows[0], doc.Text("Gb/s log"), doc.Text("weft"))
	}
	for i := range likeliest {
		tab.Rows[0] = append(tab.Rows[0], doc.Text(likeliest[i].ID))
	}
	for j := range t.Points {
		p, weft := &t.Points[j], d.Predicted[task][j]
		tone := doc.Plain
		if p.Beyond(weft) {
			tone = doc.Strong
		}
		row := []doc.Cell{sizeCell(p.Bytes), doc.Time(p.Measured), doc.Time(weft), doc.Ratio(float64(p.Measured)/float64(weft), 2).In(tone), doc.Instead(healthyRange(p))}
		if !t.Table.Latency {
			row = append(row, speed(p, p.Measured), speed(p, weft))
		}
		for i := range likeliest {
			row = append(row, shown(p, likeliest[i].Predicted[task][j]))
		}
		tab.Add(row...)
	}
	return tab
}

// healthyRange is the range of log/weft on most healthy clusters.
func healthyRange(p *calibrate.Point) string {
	return fmt.Sprintf("%.2f-%.2f", math.Exp(p.Bias-2*p.Known), math.Exp(p.Bias+2*p.Known))
}

// speed is a time as the log's kind of bandwidth: GB/s of bus bandwidth, or Gb/s.
func speed(p *calibrate.Point, t units.Time) doc.Cell {
	x, unit := speedOf(p, t), "Gb/s"
	if p.Factor > 0 {
		unit = "GB/s"
	}
	return doc.Number(x, unit).As(fmt.Sprintf("%.2f", x))
}

func speedOf(p *calibrate.Point, t units.Time) float64 {
	gbytes := float64(p.Bytes) / t.Seconds() / 1e9
	if p.Factor > 0 {
		return gbytes * p.Factor
	}
	return gbytes * 8
}

// First is what a diagnosis says before causes are simulated: which sizes are slow.
func First(d *calibrate.Diagnosis) string {
	worst, at := worstOf(d)
	off := fmt.Sprintf("at %s the log takes %.2f times the predicted time", at, worst)
	if slow := d.Slow(); len(slow) > 0 {
		return fmt.Sprintf("%s; the larger sizes and the causes are simulated now", slowSizes(slow))
	}
	return fmt.Sprintf("no size is slow, and %s; this is tested against causes now", off)
}

// Finding is the result of a diagnosis in a few sentences; the last one reports an interruption.
func Finding(d *calibrate.Diagnosis) string {
	text := finding(d)
	if x := d.Idle; x != nil && x.Ratio > 1 && !d.IdleConvicted() {
		text += fmt.Sprintf(" Besides, by the log's own setting %s; that alone costs a factor of %.2f at %s.", x.Unused, x.Ratio, sizeText(x.Bytes))
	}
	if next, ok := d.Next(); ok && d.Verdict != calibrate.Healthy {
		text += fmt.Sprintf(" %s: %s; %s.", divides(d), next.Command, next.Tells)
	}
	if d.Partial {
		text += " " + stoppedEarly
	}
	return text
}

// divides leads to the next measurement: it divides the named causes, or the only one from a healthy cluster.
func divides(d *calibrate.Diagnosis) string {
	named := 0
	for _, e := range d.Explanations {
		if e.Posterior >= worthNaming {
			named++
		}
	}
	if d.OneFactor() {
		return "What tells more"
	}
	if named == 1 {
		return "What divides it from a healthy cluster best"
	}
	return "What divides them best"
}

// worthNaming is the probability from which on a cause is named: calibrate's own bound.
const worthNaming = .03

// finding is the result without the note of an interruption.
func finding(d *calibrate.Diagnosis) string {
	worst, at := worstOf(d)
	off := fmt.Sprintf("at %s the log takes %.2f times the predicted time", at, worst)
	if d.Partial && d.Verdict != calibrate.Healthy && d.Verdict != calibrate.Faster {
		short := "The cluster falls short"
		if d.Verdict == calibrate.Undecided && d.Healthy > d.Explanations[0].Posterior {
			short = "Undecided"
		}
		return fmt.Sprintf("%s: %s.", short, off)
	}
	switch d.Verdict {
	case calibrate.Healthy:
		return healthy(d, off)
	case calibrate.NotProved:
		return notProved(d, off)
	case calibrate.Faster:
		if d.Beyond != "" {
			return "Faster than the wires of the described cluster: " + d.Beyond + "."
		}
		return fmt.Sprintf("Faster than the described cluster can be: %s. The description is of another cluster, or the log of other ranks.", off)
	case calibrate.Explained:
		first := &d.Explanations[0]
		text := fmt.Sprintf("The cluster falls short: %s. The cause (probability %s): %s (%s).", off, percent(first.Posterior), first.Title, first.Label)
		if alike := d.Alike(); len(alike) > 0 {
			text += fmt.Sprintf(" The log does not exclude: %s.", causes(alike))
		}
		return text
	case calibrate.Undecided:
		if d.Healthy > d.Explanations[0].Posterior {
			return fmt.Sprintf("Undecided: %s. The log cannot tell a healthy cluster (%s) from %s.", off, percent(d.Healthy), causes(d.Alike()))
		}
		text := fmt.Sprintf("The cluster falls short: %s. The log cannot distinguish these causes: %s.", off, causes(d.Alike()))
		if d.OneFactor() {
			text = fmt.Sprintf("The cluster falls short: %s. One factor at every size fits every cause whose severity is free, and proves none. The likeliest: %s.", off, causes(d.Alike()))
		}
		if d.Healthy >= .1 {
			text += fmt.Sprintf(" A healthy cluster is not excluded (%s).", percent(d.Healthy))
		}
		return text
	}
	text := fmt.Sprintf("The cluster falls short: %s. No simulated cause explains it at every size.", off)
	if near := d.Likeliest(1); len(near) > 0 {
		text += fmt.Sprintf(" The nearest, still off by %s on the average: %s (%s).", percent(math.Expm1(near[0].Match)), near[0].Title, near[0].Label)
	}
	return text
}

// healthy is the finding of a healthy cluster. A probability needs all causes.
func healthy(d *calibrate.Diagnosis, off string) string {
	text := fmt.Sprintf("As expected: the cluster is healthy (probability %s%s). The largest difference: %s. "+
		"All sizes are in the range of healthy clusters, or faster.", atLeast(d), percent(d.Healthy), off)
	if d.Partial {
		text = fmt.Sprintf("As expected so far: no cause that was tested explains the log better. The largest difference: %s.", off)
	}
	if d.Healthy < clearlyHealthy && !d.Partial {
		text += fmt.Sprintf(" It was %s before the log was read: the log tells little.", percent(calibrate.PriorHealthy))
	}
	if alike := d.Alike(); len(alike) > 0 {
		text += fmt.Sprintf(" The log does not exclude: %s.", causes(alike))
	}
	return text
}

// atLeast is the word for the probability of a healthy cluster, if not everything was simulated
// that could make it larger.
func atLeast(d *calibrate.Diagnosis) string {
	if percent(d.Healthy+d.Open) != percent(d.Healthy) {
		return "at least "
	}
	return ""
}

// notProved is the finding if neither a fault nor a healthy cluster is proved: it names the sizes that
// are slow, and what was not excluded.
func notProved(d *calibrate.Diagnosis, off string) string {
	text := fmt.Sprintf("Not proved faulty, and not healthy: %s.", off)
	if slow := d.Slow(); len(slow) > 0 {
		text = fmt.Sprintf("Not proved faulty, and not healthy: %s.", slowSizes(slow))
	}
	if alike := d.Alike(); len(alike) > 0 {
		text += fmt.Sprintf(" A healthy cluster has %s; the log does not exclude: %s.", percent(d.Healthy), causes(alike))
	} else {
		text += fmt.Sprintf(" A healthy cluster has %s, and no cause that weft tested is likelier.", percent(d.Healthy))
	}
	if excused := d.Excused(); len(excused) > 0 && d.Healthy < .2 {
		text += fmt.Sprintf(" weft was as far off on healthy clusters with published tables (%s).", list(excused))
	}
	if d.Other > d.Healthy {
		text += fmt.Sprintf(" A fault for which weft has no hypothesis has %s.", percent(d.Other))
	}
	return text
}

// slowSizes says how much longer than on a healthy cluster some sizes take: the worst ones first.
func slowSizes(slow []calibrate.SlowPoint) string {
	sorting.StableFunc(slow, func(a, b calibrate.SlowPoint) int { return cmp.Compare(b.Over, a.Over) })
	const shown = 3
	var sizes, over, times []string
	for _, s := range slow[:min(shown, len(slow))] {
		sizes, over = append(sizes, sizeText(s.Bytes)), append(over, fmt.Sprintf("%.0f", 100*s.Over))
		times = append(times, fmt.Sprintf("%.2f", 1+s.Over))
	}
	verb := "takes"
	if len(sizes) > 1 {
		verb = "take"
	}
	longer := list(over) + " % longer than"
	if slow[0].Over >= 1 {
		longer = list(times) + " times as long as"
	}
	text := fmt.Sprintf("%s %s %s on a healthy cluster", list(sizes), verb, longer)
	if more := len(slow) - len(sizes); more > 0 {
		text += fmt.Sprintf(", and %s", plural(more, "other size is slow", "other sizes are slow"))
	}
	return text
}

// causes are explanations by their names, with their variants and probabilities.
func causes(of []calibrate.Explanation) string {
	names := make([]string, len(of))
	for i, e := range of {
		names[i] = fmt.Sprintf("%s (%s; %s)", e.ID, e.Label, percent(e.Posterior))
	}
	return list(names)
}

// worstOf is the ratio of log to prediction that is farthest from one, and its size; of a log that
// falls short the largest one.
func worstOf(d *calibrate.Diagnosis) (ratio float64, at string) {
	ratio = 1
	slow := d.Verdict != calibrate.Healthy && d.Verdict != calibrate.Faster
	for i, t := range d.Tasks {
		for j := range t.Points {
			x := float64(t.Points[j].Measured) / float64(d.Predicted[i][j])
			if farther := math.Abs(math.Log(x)) > math.Abs(math.Log(ratio)); at == "" || slow && x > ratio || !slow && farther {
				ratio, at = x, sizeText(t.Points[j].Bytes)
			}
		}
	}
	return ratio, at
}

// explanation describes one of the likeliest explanations in full.
func explanation(i int, e *calibrate.Explanation) doc.Section {
	points := doc.List{fmt.Sprintf("Probability %s; off by %s on the average, by %s at the worst size.", percent(e.Posterior), percent(math.Expm1(e.Match)), percent(math.Expm1(math.Abs(e.Worst))))}
	if e.Evidence != "" {
		points = append(points, "The log itself says: "+e.Evidence)
		if e.Match > farOff {
			points = append(points, "What a log says itself counts in any severity: no simulated one fits better.")
		}
	}
	var sets []string
	for _, o := range e.Changes {
		sets = append(sets, fmt.Sprintf("--set '%s=%s'", o.Path, o.Value))
	}
	if len(sets) > 0 {
		points = append(points, "Simulated with "+strings.Join(sets, " "))
	}
	for _, c := range e.Check {
		points = append(points, "Check: "+c)
	}
	return doc.Section{Title: fmt.Sprintf("%d. %s: %s", i+1, e.Title, e.Label), Blocks: []doc.Block{points}}
}

// farOff is the match from which on a cause is explained by the log's words rather than by its times.
const farOff = .3

// explanationTable is all hypotheses with their likeliest variants, and the alternatives they are
// weighed against.
func explanationTable(d *calibrate.Diagnosis) *doc.Table {
	t := doc.NewTable("hypothesis", "variant that is the likeliest", "probability", "off by")
	t.Add(doc.Text("(healthy)").In(doc.Strong), doc.Text("the cluster as it is described"), doc.Share(d.Healthy), doc.Share(math.Expm1(d.Match)))
	t.Add(doc.Text("(other)").In(doc.Strong), doc.Text("a fault for which there is no hypothesis"), doc.Share(d.Other), doc.Cell{})
	for _, e := range d.Explanations {
		share := doc.Share(e.Posterior)
		if !e.Shows {
			share = doc.Instead("no trace")
		}
		t.Add(doc.Text(e.ID), doc.Text(e.Label), share, doc.Share(math.Expm1(e.Match)))
	}
	return t
}
