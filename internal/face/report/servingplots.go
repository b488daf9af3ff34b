package report

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// withoutNetwork is the name of the run on a network that takes no time.
const withoutNetwork = "without network"

// servingRuns are the runs of a point: one of each fabric, and one without a network. A run without a
// steady state is nil.
func servingRuns(p *results.ServingPoint) (out []*results.ServingRun) {
	for i := range p.Fabrics {
		r := p.Fabrics[i].Run
		if stateOf(p, &p.Fabrics[i]) != "" {
			r = nil
		}
		out = append(out, r)
	}
	if p.Unstable != "" {
		return append(out, nil)
	}
	return append(out, p.Ideal)
}

// ratePlots are the diagrams over rates.
func ratePlots(s *results.Serving, legend []string) (out []doc.Plot) {
	over := &scale{name: "requests/s"}
	first, last := s.Points[0].Rate, s.Points[len(s.Points)-1].Rate
	for i := range s.Points {
		over.labels = append(over.labels, fmt.Sprintf("%.3g", s.Points[i].Rate))
		over.places = append(over.places, (s.Points[i].Rate-first)/math.Max(1e-9, last-first))
	}
	if !slices.IsSorted(over.places) || last <= first {
		return nil
	}
	add := func(p plot, value func(r *results.ServingRun) float64) {
		p.over = over
		for i, name := range legend {
			line := series{fabric: i, label: name}
			for k := range s.Points {
				x := math.NaN()
				if r := servingRuns(&s.Points[k])[i]; r != nil {
					x = value(r)
				}
				line.values = append(line.values, x)
			}
			p.series = append(p.series, line)
		}
		out = append(out, drawn(&p)...)
	}
	share := func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
	add(plot{title: "Within the limits", note: "share of the requests", most: 1, format: share}, func(r *results.ServingRun) float64 { return r.Good })
	add(plot{title: "First token, P50", log: true, format: timeText}, func(r *results.ServingRun) float64 { return float64(r.FirstToken.P50) })
	add(plot{title: "First token, P99", log: true, format: timeText}, func(r *results.ServingRun) float64 { return float64(r.FirstToken.P99) })
	add(plot{title: "Per token, P99", log: true, format: timeText}, func(r *results.ServingRun) float64 { return float64(r.PerToken.P99) })
	return out
}

// distributionPlots are the diagrams over the percentiles of a point's requests.
func distributionPlots(p *results.ServingPoint, legend []string) (out []doc.Plot) {
	over := &scale{name: "percentile of the requests"}
	for _, percent := range results.ServingPercents {
		label := ""
		if slices.Contains([]int{5, 25, 50, 75, 90, 99}, percent) {
			label = fmt.Sprintf("%d", percent)
		}
		over.labels = append(over.labels, label)
		over.places = append(over.places, float64(percent)/100)
	}
	add := func(title string, of func(r *results.ServingRun) []int64) {
		d := plot{title: title, over: over, log: true, format: timeText}
		for i, r := range servingRuns(p) {
			if r == nil || len(of(r)) != len(over.places) {
				continue
			}
			line := series{fabric: i, label: legend[i]}
			for _, ps := range of(r) {
				line.values = append(line.values, orNaN(float64(ps)))
			}
			d.series = append(d.series, line)
		}
		if len(d.series) > 0 {
			out = append(out, drawn(&d)...)
		}
	}
	add("First token", func(r *results.ServingRun) []int64 { return r.FirstTokenAt })
	add("Per token", func(r *results.ServingRun) []int64 { return r.PerTokenAt })
	add("Exposed transfer", func(r *results.ServingRun) []int64 { return r.ExposedAt })
	return out
}

// The contents of the lanes of requests, in the order of their colours.
var requestWork = []string{"waits for prefill", "prefill", "exposed transfer", "decode"}

// requestLanes draw the first requests of a point on each fabric. All fabrics have the same time axis.
func requestLanes(p *results.ServingPoint, legend []string) []doc.Block {
	end := int64(0)
	for _, r := range servingRuns(p) {
		if r != nil {
			for _, q := range r.Requests {
				end = max(end, q.DonePs)
			}
		}
	}
	if end == 0 {
		return nil
	}
	out := doc.Lanes{Label: "the first requests", Ticks: timeTicks(units.Time(end))}
	for i, name := range requestWork {
		out.Keys = append(out.Keys, doc.LaneKey{Class: workClass(i), Label: name})
	}
	for i, r := range servingRuns(p) {
		if r == nil {
			continue
		}
		out.Rows = append(out.Rows, doc.Lane{Name: legend[i], Tone: doc.Series(i)})
		for n, q := range r.Requests {
			var track []doc.Span
			from := q.ArrivedPs
			for k, to := range []int64{q.BegunPs, q.ComputedPs, q.FirstPs, q.DonePs} {
				if to > from {
					track = append(track, doc.Span{From: float64(from) / float64(end), To: float64(to) / float64(end), Class: workClass(k)})
				}
				from = max(from, to)
			}
			out.Rows = append(out.Rows, doc.Lane{Name: fmt.Sprintf("request %d", n+1), Level: 1, Tracks: [][]doc.Span{track}})
		}
	}
	return []doc.Block{out}
}
