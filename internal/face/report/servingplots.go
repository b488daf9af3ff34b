package report

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/study/quantity"
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
func ratePlots(s *results.Serving, legend []string) (out []*plot) {
	rate := func(i int) float64 { return s.Points[i].Rate }
	over := linear("requests/s", len(s.Points), rate, func(i int) string { return fmt.Sprintf("%.3g", rate(i)) })
	if !slices.IsSorted(over.places) || over.places[len(over.places)-1] == 0 {
		return nil
	}
	for _, q := range quantity.Serving.Only("good_share", "first_token_p50_ps", "first_token_p99_ps", "per_token_p99_ps") {
		p := quantityPlot(&q.Measure, over)
		p.series = linesOf(legend, len(s.Points), func(k, i int) float64 {
			r := servingRuns(&s.Points[i])[k]
			if r == nil {
				return math.NaN()
			}
			return q.Of(&quantity.Served{Run: r})
		})
		out = append(out, p)
	}
	return out
}

// distributionPlots are the diagrams over the percentiles of a point's requests.
func distributionPlots(p *results.ServingPoint, legend []string) (out []*plot) {
	over := axis{name: "percentile of the requests"}
	for _, percent := range results.ServingPercents {
		label := ""
		if slices.Contains([]int{5, 25, 50, 75, 90, 99}, percent) {
			label = fmt.Sprintf("%d", percent)
		}
		over.labels, over.places = append(over.labels, label), append(over.places, float64(percent)/100)
	}
	runs := servingRuns(p)
	add := func(title string, of func(r *results.ServingRun) []int64) {
		out = append(out, &plot{title: title, over: over, log: true, format: timeText, series: linesOf(legend, len(over.places), func(k, i int) float64 {
			if runs[k] == nil || len(of(runs[k])) != len(over.places) {
				return math.NaN()
			}
			return float64(of(runs[k])[i])
		})})
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
