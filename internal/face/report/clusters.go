package report

import (
	"cmp"
	"fmt"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/internal/sim/collective/nccl"
	tables "weft/internal/study/measured"
	"weft/internal/study/validate"
)

const overviewIntro = `Published tables of collectives beside weft. A range of sizes has the mean error of the time without its sign, in %,
and in brackets the largest error; a positive one means that weft is slower.

The times of NCCL's kernels are fitted to tables. A table of a fit is held out: it is scored with figures that were
fitted without it. A blind table gave no constant, and is scored with the figures in use. The form of the model
was chosen with all tables in view.

The limits of a mean in the three ranges are 8, 7 and 6 % inside a node, and 10, 8 and 4 % between nodes. Inside a
node an operation on a GPU and a number of ranks has 12 %.

Between nodes, reduce-scatter and send/recv stand in T1-default and T1-tuned alone, whose network is below par, and
all-to-all has one row (P5EN). Broadcast, reduce, scatter and gather have no table. Not scored are clusters with a
reported fault (A11, A12), a rule of thumb (A13), and tables of AMD's GPUs whose health is unknown or which gave RCCL's
figures.`

const clustersIntro = `The same by operation and number of ranks.`

const aimsIntro = `All scored tables together, the blind tables, and each operation:`

const figuresIntro = `The figures of NCCL's kernels in use, with the 95 % interval of the fit: by the slope of each row's
time, if the errors of rows are independent. Times are in us, rates in GB/s of a thread block.`

// clusterTables are the summary of the measured clusters, their errors by operation and number of
// ranks, and the fitted figures; nil if there are none.
func clusterTables(results []validate.Result) []doc.Block {
	out := clusterSummary(results, true)
	if out == nil {
		return nil
	}
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
				errorRow(t, &e.Of, nil, append(cells, "held out")...)
				errorRow(t, &e.InUse, nil, append(cells, "in use")...)
			} else {
				errorRow(t, &e.Of, nil, append(cells, "in use")...)
			}
		}
	}
	out = append(append(out, doc.Paragraphs(clustersIntro)...), t)
	return append(append(out, doc.Paragraphs(figuresIntro)...), figureTable())
}

// clusterSummary is a line for each measured cluster, and all scored tables together beside the aims,
// in full or without the rows of single GPUs; nil if there are none.
func clusterSummary(results []validate.Result, full bool) []doc.Block {
	overview := overviewTable(results)
	if len(overview.Rows) == 1 {
		return nil
	}
	out := append(doc.Paragraphs(overviewIntro), overview)
	return append(append(out, doc.Paragraphs(aimsIntro)...), aimsTable(results, full))
}

// aimsTable is the errors of all scored tables together; in full also by GPU and number of ranks, and
// with the names of the tables.
func aimsTable(results []validate.Result, full bool) *doc.Table {
	t := &doc.Table{}
	if full {
		errorHead(t, "where", "GPU", "operation, ranks", "tables")
	} else {
		errorHead(t, "where", "operation")
	}
	for _, a := range validate.Aims(results) {
		where, gpu, what := "inside a node", "all", "all"
		if a.Between {
			where = "between nodes"
		}
		switch {
		case a.Blind:
			what = "all, blind tables"
		case a.Ranks > 0:
			gpu, what = string(a.GPU), fmt.Sprintf("%s, %d", a.Op, a.Ranks)
		case a.Op != "":
			what = string(a.Op)
		}
		switch {
		case full:
			errorRow(t, &a.Of, &a.Limit, where, gpu, what, strings.Join(a.Clusters, ", "))
		case a.Ranks == 0:
			errorRow(t, &a.Of, &a.Limit, where, what)
		}
	}
	return t
}

// overviewTable is a line for each cluster. A mean above its limit is a miss if the cluster is
// scored.
func overviewTable(results []validate.Result) *doc.Table {
	t := &doc.Table{}
	errorHead(t, "cluster", "what", "scored", "constants")
	t.Rows[0] = append(t.Rows[0], doc.Text("known"))
	for i := range results {
		of := results[i].Errors()
		if len(of) == 0 || of[0].Count() == 0 {
			continue
		}
		c := results[i].Case.Cluster
		var limit *[tables.Ranges]float64
		if c.Unscored == "" {
			l := validate.Limits(c)
			limit = &l
		}
		errorRow(t, &of[0].Of, limit, c.ID, c.Title, yes(limit != nil), constantsOf(c.Fit))
		last := t.Rows[len(t.Rows)-1]
		last[len(last)-1] = doc.Text(cmp.Or(c.Unscored, c.Note))
	}
	return t
}

// constantsOf is the part of a table in the fits.
func constantsOf(f tables.Fit) string {
	if f == "" {
		return "blind"
	}
	return "held out"
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
			text := fmt.Sprintf("%.1f (%+.1f)", 100*sum.Mean(), 100*sum.Worst)
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

// measuredLegend names the lines of the diagrams of times.
var measuredLegend = []string{"measured, ±25 %", "weft"}

// clusterPicture is the picture of a cluster with the times of this run.
func clusterPicture(r *validate.Result) []doc.Block {
	c := r.Times()
	return diagrams(measuredLegend, clusterPlots(&c)...)
}

// clusterPlots are a diagram of the times for each operation and number of ranks.
func clusterPlots(c *tables.Cluster) (plots []*plot) {
	for _, k := range c.Kinds() {
		plots = append(plots, timesPlot(c, k))
	}
	return plots
}

// timesPlot is the times of NCCL's own choice. weft's time is the score's: with figures that were
// fitted without the cluster.
func timesPlot(c *tables.Cluster, kind tables.Kind) *plot {
	p := &plot{title: fmt.Sprintf("%s, %d ranks", kind.Op, kind.Ranks), note: "time of one operation", log: true, format: timeText}
	var rows []*tables.Row
	for i := range c.Rows {
		if m := &c.Rows[i]; m.Kind() == kind && m.Algorithm == "" && m.Predicted > 0 {
			rows = append(rows, m)
		}
	}
	sorting.StableFunc(rows, func(a, b *tables.Row) int { return cmp.Compare(a.Bytes, b.Bytes) })
	var sizes []int64
	p.series = []series{{fabric: 0, label: "measured"}, {fabric: 1, label: "weft"}}
	was, is := &p.series[0], &p.series[1]
	for _, m := range rows {
		took := float64(m.Time)
		sizes = append(sizes, m.Bytes)
		was.values, is.values = append(was.values, took), append(is.values, float64(cmp.Or(m.Without, m.Predicted)))
		was.low, was.high = append(was.low, took*(1-measuredBand)), append(was.high, took*(1+measuredBand))
	}
	p.over = overSizes(sizes)
	return p
}
