package report

import (
	"fmt"
	"math"

	"weft/internal/face/doc"
	"weft/internal/study/validate"
	"weft/units"
)

const missGroupsIntro = `Cases with many rows: times of an operation that miss, with the range of their sizes and the largest error, and means by
range of sizes and operation, with the one that is furthest above its limit.`

// mostSingle is the number of misses of a case from which on they are one line.
const mostSingle = 8

// missSummary is the rows that miss: those of measured clusters grouped by case, operation and number
// of ranks, those of other cases with many in a line, and the others one by one.
func missSummary(results []validate.Result) (out []doc.Block) {
	var single []validate.Result
	grouped := doc.NewTable("case", "rows that miss", "rows", "largest", "tolerance")
	for _, r := range results {
		if _, miss, _ := validate.Count([]validate.Result{r}); r.Case.Cluster == nil && miss < mostSingle || r.Err != nil {
			single = append(single, r)
			continue
		}
		for _, g := range missGroups(&r) {
			grouped.Add(doc.Text(r.Case.ID), doc.Text(g.name()), doc.Count(len(g.rows)), doc.Text(g.largest()), doc.Text(g.tolerance()))
		}
	}
	if t := missTable(single, false); len(t.Rows) > 1 {
		out = append(out, t)
	}
	if len(grouped.Rows) > 1 {
		out = append(append(out, doc.Paragraphs(missGroupsIntro)...), grouped)
	}
	return out
}

// missGroup is rows of a case that miss: of a measured cluster means, or times of an operation among
// so many ranks, in the order of their sizes.
type missGroup struct{ rows []*validate.Row }

// missGroups are the groups of a case, in its order.
func missGroups(r *validate.Result) (out []*missGroup) {
	at := map[string]*missGroup{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Verdict() != validate.Miss {
			continue
		}
		key := "" // no time of a measured cluster
		if m := row.Measured; m != nil {
			key = fmt.Sprintf("%s, %d", m.Op, m.Ranks)
		}
		if at[key] == nil {
			at[key] = &missGroup{}
			out = append(out, at[key])
		}
		at[key].rows = append(at[key].rows, row)
	}
	return out
}

// name says which rows they are.
func (g *missGroup) name() string {
	m := g.rows[0].Measured
	switch {
	case m == nil && g.means():
		return "means"
	case m == nil:
		return "rows"
	}
	least, most := m.Bytes, m.Bytes
	for _, row := range g.rows {
		least, most = min(least, row.Measured.Bytes), max(most, row.Measured.Bytes)
	}
	sizes := units.Bytes(least).String()
	if most > least {
		sizes += " to " + units.Bytes(most).String()
	}
	return fmt.Sprintf("%s, %d ranks, %s", m.Op, m.Ranks, sizes)
}

// means reports whether the rows are mean errors, which have a limit.
func (g *missGroup) means() bool { return g.rows[0].Tolerance.Kind == validate.ToleranceAtMost }

// worst is the row with the largest error.
func (g *missGroup) worst() *validate.Row {
	out := g.rows[0]
	for _, row := range g.rows {
		if math.Abs(row.Weft[0]/row.Reference[0]-1) > math.Abs(out.Weft[0]/out.Reference[0]-1) {
			out = row
		}
	}
	return out
}

// largest is the largest error; of means, the mean.
func (g *missGroup) largest() string {
	row := g.worst()
	if g.means() {
		return fmt.Sprintf("%.1f %%", 100*row.Weft[0])
	}
	return fmt.Sprintf("%+.1f %%", 100*(row.Weft[0]/row.Reference[0]-1))
}

// tolerance is the allowed error; of means, the limit.
func (g *missGroup) tolerance() string {
	row := g.worst()
	if g.means() {
		return fmt.Sprintf("at most %.0f %%", 100*row.Reference[0])
	}
	return row.Tolerance.String()
}
