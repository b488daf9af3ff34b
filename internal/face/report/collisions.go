package report

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/study/collisions"
)

// Collisions is the loss by size and policy. scenario is the scenario's text, for the page.
func Collisions(r *collisions.Result, scenario []byte) *doc.Document {
	d := &doc.Document{
		Brand: simulation, Title: r.Scenario, Heading: collisionsTitle(r), Footer: sameAgain,
		Subtitle: fmt.Sprintf("%s · %s of %s · %s", r.Fabric, r.Workload, sizeText(r.Bytes), plural(r.HashSeeds, "hash seed", "hash seeds")),
	}
	d.Add(doc.Section{Blocks: []doc.Block{collisionsTable(r)}})
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(collisionsNotes(r)...)})
	names := namesOf(r.Policies, func(p collisions.Policy) string { return p.Name })
	d.Add(doc.Section{Title: "As the job grows", Blocks: diagrams(names,
		collisionsPlot(r, "Lost to collisions", "share of the busbw on one ideal switch: median, and the band from 10 % to 90 % of hash seeds",
			func(x float64) string { return axisNumber(100*x) + " %" }, func(c *collisions.Cell) collisions.Quantiles { return c.Lost }),
		collisionsPlot(r, "Bus bandwidth", "GB/s, median, and the band from 10 % to 90 % of hash seeds",
			axisNumber, func(c *collisions.Cell) collisions.Quantiles { return c.BusBW }),
	)})
	d.Add(scenarioSection(scenarioTitle, scenario))
	return d
}

func collisionsTitle(r *collisions.Result) string {
	return fmt.Sprintf("%s: busbw that %s of %s loses between the leaves, over %s", r.Scenario, r.Workload, sizeText(r.Bytes), plural(r.HashSeeds, "hash seed", "hash seeds"))
}

// collisionsNotes explain the numbers.
func collisionsNotes(r *collisions.Result) []string {
	out := []string{"Lost is relative to the same job on one ideal switch; it includes the cost of the longer path over the spines. Quantiles are over hash seeds; the worst is the largest loss of a single seed."}
	if r.Oversubscription != "" {
		out = append(out, fmt.Sprintf("The leaves are oversubscribed %s, which is in the loss too.", r.Oversubscription))
	}
	failed := 0
	why := ""
	for i := range r.Sizes {
		for _, c := range r.Sizes[i].Cells {
			if failed += c.Failed; c.Failed > 0 {
				why = c.FailedWhy
			}
		}
	}
	if failed > 0 {
		out = append(out, fmt.Sprintf("%s failed, which no quantile has: %s", plural(failed, "simulation", "simulations"), oneLine(why)))
	}
	if r.Partial {
		out = append(out, "Partial: larger sizes are missing.")
	}
	return out
}

// collisionsTable is a row per size and policy.
func collisionsTable(r *collisions.Result) *doc.Table {
	t := doc.NewTable("nodes", "ranks", "load balancing", "busbw GB/s", "lost, median", "10 %", "90 %", "worst")
	t.Keys = 3
	for i := range r.Sizes {
		size := &r.Sizes[i]
		t.Add(doc.Count(size.Nodes), doc.Count(size.Ranks), doc.Text("one ideal switch"),
			doc.Bandwidth(size.Reference), doc.Cell{}, doc.Cell{}, doc.Cell{}, doc.Cell{})
		for k := range size.Cells {
			c := &size.Cells[k]
			t.Add(append([]doc.Cell{{}, {}, doc.Text(r.Policies[k].Name)}, losses(c)...)...)
		}
	}
	return t
}

// losses are the numbers of a policy at a size.
func losses(c *collisions.Cell) []doc.Cell {
	if c.Measured == 0 {
		return slices.Repeat([]doc.Cell{doc.None}, 5)
	}
	return []doc.Cell{doc.Bandwidth(c.BusBW.Median), doc.Tenths(c.Lost.Median), doc.Tenths(c.Lost.P10), doc.Tenths(c.Lost.P90), doc.Tenths(c.Lost.Most)}
}

// collisionsPlot is a line and a band per policy over the ranks. A gain is drawn as zero loss: the
// axis begins at zero.
func collisionsPlot(r *collisions.Result, title, note string, format func(float64) string, of func(*collisions.Cell) collisions.Quantiles) *plot {
	ranks := func(i int) int64 { return int64(r.Sizes[i].Ranks) }
	p := &plot{title: title, note: note, format: format, over: logarithmic("ranks", len(r.Sizes), ranks, func(i int) string { return doc.Integer(ranks(i)) })}
	for k := range r.Policies {
		s := series{fabric: k, line: dash(min(k/doc.Palette, len(dashes)-1)), label: r.Policies[k].Name}
		for i := range r.Sizes {
			c := &r.Sizes[i].Cells[k]
			low, middle, high := math.NaN(), math.NaN(), math.NaN()
			if q := of(c); c.Measured > 0 {
				low, middle, high = max(0, q.P10), max(0, q.Median), max(0, q.P90)
			}
			s.low, s.values, s.high = append(s.low, low), append(s.values, middle), append(s.high, high)
		}
		p.series = append(p.series, s)
	}
	return p
}
