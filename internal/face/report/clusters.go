package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/collective/nccl"
	"weft/internal/sim/scenario"
	tables "weft/internal/study/measured"
	"weft/internal/study/validate"
)

const clustersIntro = `Published tables of collectives beside weft: the mean error of the time without its sign, and
the largest with it; a positive one means that weft is slower. "–" is a range without rows.
The times of NCCL's kernels are fitted to tables. Such a table is scored with figures that were fitted
without it, each other table with the figures in use.`

const aimsIntro = `All scored tables together, beside the aims: a mean error of at most 8 % inside a node, and of at
most 12 % for an operation on a GPU and a number of ranks; between nodes of at most 20, 10 and 5 %
in the three ranges.`

const figuresIntro = `The figures of NCCL's kernels in use, with the 95 % interval of the fit: by the slope of each row's
time, if the errors of rows are independent. Times are in µs, rates in GB/s of a thread block.`

// clusterTables are the errors of all measured clusters, with their summary and the fitted figures;
// nil if there are none.
func clusterTables(results []validate.Result) []doc.Block {
	t := &doc.Table{}
	errorHead(t, "cluster", "what", "scored", "operation, ranks", "figures are")
	for i := range results {
		c := results[i].Case.Cluster
		for _, e := range results[i].Errors() {
			if e.Op == "" || e.Count() == 0 {
				continue
			}
			cells := []string{c.ID, c.Title, yes(c.Unscored == ""), fmt.Sprintf("%s, %d", e.Op, e.Ranks)}
			if c.Without != nil {
				errorRow(t, &e.Of, nil, append(cells, "fitted without it")...)
				errorRow(t, &e.InUse, nil, append(cells, "in use")...)
			} else {
				errorRow(t, &e.Of, nil, append(cells, "in use")...)
			}
		}
	}
	if len(t.Rows) == 1 {
		return nil
	}
	aims := &doc.Table{}
	errorHead(aims, "where", "GPU", "operation, ranks", "tables")
	for _, a := range validate.Aims(results) {
		where, gpu, what := "inside a node", "all", "all"
		if a.Between {
			where = "between nodes"
		}
		if a.Op != "" {
			gpu, what = string(a.GPU), fmt.Sprintf("%s, %d", a.Op, a.Ranks)
		}
		errorRow(aims, &a.Of, &a.Limit, where, gpu, what, strings.Join(a.Clusters, ", "))
	}
	out := append(doc.Paragraphs(aimsIntro), aims)
	out = append(append(out, doc.Paragraphs(clustersIntro)...), t)
	return append(append(out, doc.Paragraphs(figuresIntro)...), figureTable())
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// errorHead is the head of a table of errors.
func errorHead(t *doc.Table, cells ...string) {
	cells = append(cells, "rows")
	for at := range tables.Ranges {
		cells = append(cells, at.String())
	}
	t.AddTexts(cells...)
}

// errorRow adds a row of errors; a mean above its limit is a miss.
func errorRow(t *doc.Table, of *[tables.Ranges]tables.Sum, limit *[tables.Ranges]float64, cells ...string) {
	n := 0
	var ranges []doc.Cell
	for at := range of {
		sum := &of[at]
		n += sum.Rows
		cell := doc.None
		if sum.Rows > 0 {
			cell = doc.Tenths(sum.Mean())
			text := fmt.Sprintf("%s (%+.1f %%)", cell.Text, 100*sum.Worst)
			if limit != nil && sum.Mean() > limit[at] {
				text += " MISS"
			}
			cell = cell.As(text)
		}
		ranges = append(ranges, cell)
	}
	var row []doc.Cell
	for _, text := range cells {
		row = append(row, doc.Text(text))
	}
	t.Add(append(append(row, doc.Count(n)), ranges...)...)
}

// figureTable is the figures of NCCL's kernels in use.
func figureTable() *doc.Table {
	t := &doc.Table{}
	gpus := []nccl.GPU{nccl.Ampere, nccl.Hopper, nccl.Blackwell}
	t.AddTexts("figure", gpus[0].String(), gpus[1].String(), gpus[2].String())
	for f := range nccl.NumFigures {
		row := []doc.Cell{doc.Text(f.String())}
		for _, g := range gpus {
			cell := doc.None
			for _, e := range nccl.Measured() {
				if e.Of == g.String() && e.Figure == f {
					cell = doc.Text(fmt.Sprintf("%.3g (%s)", e.Value, cmp.Or(e.Origin, fmt.Sprintf("%.3g to %.3g", e.Low, e.High))))
				}
			}
			row = append(row, cell)
		}
		t.Add(row...)
	}
	return t
}

// measuredBand is the part of a measured time on each side of it that the picture shades: the limit
// of a scored row.
const measuredBand = .25

// clusterPicture is the measured and the predicted times of a cluster, a diagram for each operation
// and number of ranks.
func clusterPicture(r *validate.Result) []doc.Block {
	var plots []*plot
	for _, k := range r.Case.Cluster.Kinds() {
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
