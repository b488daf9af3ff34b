package report

import (
	"fmt"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/sim/scenario"
	tables "weft/internal/study/measured"
	"weft/internal/study/validate"
)

const clustersIntro = `Published tables of collectives beside weft: the mean error of the time without its sign, and
the largest with it; a positive one means that weft is slower. A row in sample gave a constant
of the models, a row held out gave none. "–" is a range without rows.`

// clusterTable is the errors of all measured clusters; nil if there are none.
func clusterTable(results []validate.Result) *doc.Table {
	t := &doc.Table{}
	head := []string{"cluster", "what", "scored", "operation, ranks", "rows are", "rows"}
	for at := range tables.Ranges {
		head = append(head, at.String())
	}
	t.AddTexts(head...)
	var all [2][2]validate.Errors // inside a node, between nodes; held out, in sample
	rows := 0
	for i := range results {
		c := results[i].Case.Cluster
		for _, e := range results[i].Errors() {
			switch {
			case e.Op == "" && c.Unscored == "":
				sum := &all[between(c)][inSample(e.Fitted)]
				for at := range e.Of {
					sum.Of[at].Merge(&e.Of[at])
				}
			case e.Op != "":
				rows += errorRow(t, &e, c.ID, c.Title, yes(c.Unscored == ""), fmt.Sprintf("%s, %d", e.Op, e.Ranks))
			}
		}
	}
	if rows == 0 {
		return nil
	}
	for i, where := range []string{"inside a node", "between nodes"} {
		for j := range all[i] {
			all[i][j].Fitted = j == 1
			errorRow(t, &all[i][j], "all scored", where, "yes", "all")
		}
	}
	return t
}

func between(c *tables.Cluster) int {
	if c.Nodes > 1 {
		return 1
	}
	return 0
}

func inSample(fitted bool) int {
	if fitted {
		return 1
	}
	return 0
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// errorRow adds a row if there are errors, and returns the number of added rows.
func errorRow(t *doc.Table, e *validate.Errors, cells ...string) int {
	n := 0
	var ranges []doc.Cell
	for at := range e.Of {
		sum := &e.Of[at]
		n += sum.Rows
		cell := doc.None
		if sum.Rows > 0 {
			cell = doc.Tenths(sum.Mean())
			cell = cell.As(fmt.Sprintf("%s (%+.1f %%)", cell.Text, 100*sum.Worst))
		}
		ranges = append(ranges, cell)
	}
	if n == 0 {
		return 0
	}
	var row []doc.Cell
	for _, text := range append(cells, []string{"held out", "in sample"}[inSample(e.Fitted)]) {
		row = append(row, doc.Text(text))
	}
	t.Add(append(append(row, doc.Count(n)), ranges...)...)
	return 1
}

// measuredBand is the part of a measured time on each side of it that the picture shades: the limit
// of a scored row.
const measuredBand = .25

// clusterPicture is the measured and the predicted times of a cluster, a diagram for each operation
// and number of ranks.
func clusterPicture(r *validate.Result) []doc.Block {
	var plots []*plot
	for _, k := range r.Case.Cluster.Kinds() {
		if k.Fitted && slices.Contains(r.Case.Cluster.Kinds(), tables.Kind{Op: k.Op, Ranks: k.Ranks}) {
			continue // drawn with the rows that are held out
		}
		plots = append(plots, timesPlot(r, k.Op, k.Ranks))
	}
	return diagrams([]string{"measured, ±25 %", "weft"}, drawn(plots...))
}

// timesPlot is the times of NCCL's own choice.
func timesPlot(r *validate.Result, op scenario.Collective, ranks int) *plot {
	p := &plot{title: fmt.Sprintf("%s, %d ranks", op, ranks), note: "time of one operation", log: true, format: timeText}
	var rows []*validate.Row
	for i := range r.Rows {
		row := &r.Rows[i]
		if m := row.Measured; m != nil && m.Op == op && m.Ranks == ranks && m.Algorithm == "" && len(row.Weft) > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b *validate.Row) int { return int(a.Measured.Bytes - b.Measured.Bytes) })
	was, is := series{fabric: 0, label: "measured"}, series{fabric: 1, label: "weft"}
	for _, row := range rows {
		took := row.Reference[0]
		p.sizes = append(p.sizes, row.Measured.Bytes)
		was.values, is.values = append(was.values, took), append(is.values, row.Weft[0])
		was.low, was.high = append(was.low, took*(1-measuredBand)), append(was.high, took*(1+measuredBand))
	}
	p.series = []series{was, is}
	return p
}
