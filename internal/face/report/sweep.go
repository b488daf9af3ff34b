package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/internal/face/doc"
	"weft/internal/study/quantity"
	"weft/internal/study/sweep"
	"weft/units"
)

// rowsOnPage bounds the rows of a sweep's table on the page; the Parquet file and --csv have all.
const rowsOnPage = 500

// Sweep is the table of a sweep. dir is its folder as the user named it.
func Sweep(t *sweep.Table, dir string) (*doc.Document, error) {
	a, err := t.Analyse()
	if err != nil {
		return nil, err
	}
	name := t.Space.Base.Name
	d := &doc.Document{
		Brand: simulation, Title: name + ", swept", Heading: name + ": " + plural(t.Space.Len(), "variant", "variants"),
		Subtitle: sweptText(t),
		Footer:   "Made by weft. The same sweep and version make the same page.",
	}
	sentences, err := sweepSentences(t, a, dir)
	if err != nil {
		return nil, err
	}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(sentences...)})
	table, err := sweepTable(t)
	if err != nil {
		return nil, err
	}
	if len(a.Factor) > 0 {
		notes := []string{"Explains: the share of the variance of the logarithm of the " + t.Space.Kind.MainText + ", at equal size, that the axis explains by itself, less the share of chance (adjusted R²). The rest is the combined effect of several axes."}
		if n := len(a.Lines); n < a.Of {
			notes = append(notes, fmt.Sprintf("This table and the plots are of %s variants, drawn at random from %s with a result. The sentences, the Pareto set and the files are of all.", count(int64(n)), count(int64(a.Of))))
		}
		d.Add(doc.Section{Title: "Which axis explains how much", Blocks: append([]doc.Block{sensitivityTable(a)}, doc.Notes(notes...)...)})
	}
	for _, s := range sweepPlots(a) {
		d.Add(s)
	}
	d.Add(doc.Section{Title: "Variants", In: doc.Details, Blocks: table})
	d.Add(scenarioSection("The sweep", t.Text))
	return d, nil
}

// sweptText names what varies.
func sweptText(t *sweep.Table) string {
	var axes []string
	for i := range t.Space.Axes {
		axes = append(axes, t.Space.Axes[i].Path)
	}
	return strings.Join(axes, " · ")
}

// sweepSentences are the three sentences that matter: the best variant, the axis that explains the most, and
// what is not in the table, or the spread.
func sweepSentences(t *sweep.Table, a *sweep.Analysis, dir string) (out []string, err error) {
	if len(a.Lines) == 0 {
		out = append(out, "No variant has a result.")
	}
	if front := a.Pareto; len(front) > 0 {
		text := bestSentence(t, a)
		if len(front) > 1 {
			text += fmt.Sprintf("; %d variants are on the Pareto front of %s", len(front), t.Space.Kind.Against)
		}
		out = append(out, text+".")
	}
	if len(a.Factor) > 0 && a.Factor[0].Share > 0 {
		text := fmt.Sprintf("%s explains %s of the differences in %s", a.Factor[0].Name, percent(a.Factor[0].Share), t.Space.Kind.MainText)
		if len(a.Factor) > 1 {
			text += fmt.Sprintf(", %s %s", a.Factor[1].Name, percent(a.Factor[1].Share))
		}
		out = append(out, text+".")
	}
	if n := t.Counts[sweep.Unstable]; n > 0 {
		out = append(out, fmt.Sprintf("%s no steady state: requests come faster than they can be answered, and the column error says what is full.", plural(n, "variant has", "variants have")))
	}
	missing, failed := t.Counts[sweep.Missing], t.Counts[sweep.Failed]+t.Counts[sweep.Invalid]
	switch {
	case missing > 0:
		numbers, err := t.Missing()
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("%s missing (%s): weft sweep with --out %s continues with them.", plural(missing, "variant is", "variants are"), someNumbers(numbers), dir))
	case failed > 0:
		why, err := firstFailure(t)
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("%s no result; %s", plural(failed, "variant has", "variants have"), why))
	case len(a.Lines) > 1 && a.Slowest.Time() > a.Pareto[0].Time():
		out = append(out, slowestText(a))
	}
	return out, nil
}

// slowestText compares the slowest variant of the largest size with the fastest.
func slowestText(a *sweep.Analysis) string {
	best, worst := a.Pareto[0], a.Slowest
	return fmt.Sprintf("The slowest%s takes %.3g times as long: variant %d, %s.", ofSize(worst.Bytes), worst.Time()/best.Time(), worst.Number, variantText(a.Table, worst))
}

func ofSize(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return " of " + units.Bytes(bytes).String()
}

// variantText are the values of a variant, without what all have.
func variantText(t *sweep.Table, l *sweep.Line) string {
	var parts []string
	for i := range t.Space.Axes {
		parts = append(parts, t.Space.Axes[i].Name+" "+l.Variant.Values[i])
	}
	if len(t.Space.Axes) == 0 || l.Variant.Fabric != "" {
		parts = append(parts, l.Row.Fabric)
	}
	return strings.Join(parts, ", ")
}

// someNumbers are the first of some numbers.
func someNumbers(numbers []int) string {
	var out []string
	for _, n := range numbers[:min(len(numbers), 8)] {
		out = append(out, strconv.Itoa(n))
	}
	if len(numbers) > len(out) {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// firstFailure is the first variant without a result, with the reason.
func firstFailure(t *sweep.Table) (string, error) {
	for line, err := range t.Lines() {
		if err != nil {
			return "", err
		}
		if line.Status == sweep.Failed || line.Status == sweep.Invalid {
			return fmt.Sprintf("the first is variant %d, %s: %s", line.Number, variantText(t, line), line.Error), nil
		}
	}
	return "", nil
}

// sweepTable is a row per variant.
func sweepTable(t *sweep.Table) (out []doc.Block, err error) {
	var names []string
	var columns []int
	for i := range t.Columns {
		if slices.Contains(screenColumns, t.Columns[i].Name) || t.Columns[i].Path != "" {
			columns = append(columns, i)
			names = append(names, t.Columns[i].Measure.Heading)
		}
	}
	table := doc.NewTable(names...)
	var meanings []string
	for _, c := range columns {
		if m := &t.Columns[c].Measure; m.Meaning != "" {
			meanings = append(meanings, m.Heading+": "+m.Meaning)
		}
	}
	for line, err := range t.Lines() {
		if err != nil {
			return nil, err
		}
		if line.Number == rowsOnPage {
			out = doc.Notes(fmt.Sprintf("The first %d of %s variants; %s and weft sweep show --csv have all.", rowsOnPage, count(int64(t.Space.Len())), sweep.TableFile))
			break
		}
		var row []doc.Cell
		for _, c := range columns { // the axes follow the number
			if t.Columns[c].Path != "" {
				row = append(row, doc.Instead(line.Variant.Values[c-1]))
				continue
			}
			row = append(row, sweepCell(&t.Columns[c], line))
		}
		table.Add(row...)
	}
	if len(meanings) > 0 {
		out = append(out, doc.Notes(strings.Join(meanings, "; ")+".")...)
	}
	return append([]doc.Block{table}, out...), nil
}

// screenColumns are the columns of the table for people, with the axes.
var screenColumns = []string{"variant", "fabric", "size_bytes", "seed", "status", "time_ps", "busbw_gbytes_per_s", "message_p99_ps", "pfc_pauses", "drops", "first_token_p50_ps", "first_token_p99_ps", "per_token_p99_ps", "good_share", "goodput_per_s"}

func sweepCell(c *sweep.Column, l *sweep.Line) doc.Cell {
	switch x := c.Value(l).(type) {
	case int64:
		if c.Measure.Unit == quantity.Number {
			return doc.Number(float64(x), "number").As(strconv.FormatInt(x, 10))
		}
		return quantityCell(c.Measure.Unit, float64(x))
	case float64:
		return quantityCell(c.Measure.Unit, x)
	case string:
		return doc.Text(x)
	}
	return doc.None
}

func sensitivityTable(a *sweep.Analysis) *doc.Table {
	t := doc.NewTable("axis", "values", "explains")
	for i := range a.Factor {
		f := &a.Factor[i]
		t.Add(doc.Text(f.Name), doc.Count(len(f.Values)), doc.Tenths(f.Share))
	}
	return t
}

// SweepEstimate is the estimate of a sweep.
func SweepEstimate(t *sweep.Table, x *sweep.Estimate, workers int) *doc.Document {
	d := &doc.Document{Heading: t.Space.Base.Name + ": " + plural(x.Variants, "variant", "variants")}
	var out []string
	if x.Missing < x.Variants {
		out = append(out, fmt.Sprintf("%s of them have a row already, %s missing.", count(int64(x.Variants-x.Missing)), plural(x.Missing, "is", "are")))
	}
	switch {
	case x.Missing == 0:
	case x.Past == 0:
		out = append(out, "Their time is not known: no similar run is. --like FOLDER names one, or --out FOLDER one of this sweep that was begun.")
	default:
		out = append(out, fmt.Sprintf("They take about %s of a core (%s to %s), %s on %s, as the median of %s took for its bytes and ranks (the fastest, the slowest).",
			secondsText(x.CoreSeconds), secondsText(x.LeastSeconds), secondsText(x.MostSeconds), secondsText(x.CoreSeconds/float64(max(1, workers))),
			plural(workers, "core", "cores"), plural(x.Past, "similar simulation", "similar simulations")))
	}
	if x.Looked > x.Invalid {
		out = append(out, fmt.Sprintf("A simulation needs at most %s by its estimate, among %s that were looked at.", x.Memory, plural(x.Looked, "variant", "variants")))
	}
	if x.Invalid > 0 {
		out = append(out, fmt.Sprintf("%d of them cannot be simulated: their values do not fit together.", x.Invalid))
	}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(out...)})
	return d
}

// secondsText is a time of the wall clock.
func secondsText(s float64) string {
	if s < 10 {
		return fmt.Sprintf("%.2g s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// CommandLine is a command for a shell.
func CommandLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = ShellWord(w)
	}
	return strings.Join(out, " ")
}

// ShellWord is a word as a shell takes it: quoted if it has more than letters, digits and a few signs.
func ShellWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./=:,+%@", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
