package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/workload"
	"weft/results"
	"weft/units"
)

// Drawn is the timeline of a step on a fabric.
type Drawn struct {
	Fabric string
	Graph  *workload.Graph
	Line   *workload.Timeline
}

// scalingPlots are the efficiency of all fabrics, and the parts of the step other than computation.
func scalingPlots(t *results.TrainingScale, fabrics []string) (out []*plot) {
	gpus := func(i int) int64 { return int64(t.Points[i].Job.GPUs) }
	over := logarithmic("GPUs", len(t.Points), gpus, func(i int) string { return doc.Integer(gpus(i)) })
	add := func(title, note string, value func(point, fabric int) float64) {
		p := &plot{title: begun(title), note: note, over: over, format: wholePercent}
		p.series = linesOf(fabrics, len(t.Points), func(k, i int) float64 {
			if t.Points[i].Fabrics[k].StepPs == 0 {
				return math.NaN()
			}
			return value(i, k)
		})
		if slices.ContainsFunc(p.series, series.positive) { // a fabric has the term
			out = append(out, p)
		}
	}
	add("Scaling efficiency", "tokens per second and GPU, relative to the smallest cluster", func(k, i int) float64 { return efficiency(t, k, i) })
	names, _ := terms(longestTerms(t))
	for _, name := range names[1:] {
		add(termText(name), "of the step", func(k, i int) float64 {
			f := &t.Points[k].Fabrics[i]
			own, ps := terms(f)
			for n := range own {
				if own[n] == name {
					return float64(ps[n]) / float64(max(1, f.LastingPs()))
				}
			}
			return 0
		})
	}
	return out
}

// mostLanes is the maximum number of drawn stages of a fabric.
const mostLanes = 16

// The contents of the lanes of a timeline, by colour: the forward pass, the backward pass, and
// communication by purpose.
const (
	workForward = iota
	workBackward
	workCommunication
)

// workNames are the contents of the lanes, by colour; empty if no lane has them.
func workNames(lines []*Drawn) (names [workCommunication + workload.NumPurposes]string) {
	names[workForward], names[workBackward] = "forward", "backward and optimizer"
	for _, d := range lines {
		for _, ops := range d.Graph.Ranks {
			for i := range ops {
				if p := ops[i].Purpose; ops[i].Kind != workload.Compute {
					names[workCommunication+int(p)] = p.String() + " communication"
				}
			}
		}
	}
	return names
}

// stepLanes draw the step on each fabric, all over the time of the longest; none without timelines.
func stepLanes(lines []*Drawn) []doc.Block {
	end := units.Time(0)
	for _, d := range lines {
		end = max(end, d.Line.End)
	}
	if end == 0 {
		return nil
	}
	out := doc.Lanes{Label: "a step, stage by stage", Ticks: timeTicks(end)}
	for colour, name := range workNames(lines) {
		if name != "" {
			out.Keys = append(out.Keys, doc.LaneKey{Class: workClass(colour), Label: name})
		}
	}
	for i, d := range lines {
		note := ""
		if more := len(d.Graph.Ranks) - mostLanes; more > 0 {
			note = fmt.Sprintf("%d more stages are in the trace", more)
		}
		out.Rows = append(out.Rows, doc.Lane{Name: d.Fabric + ": " + fullTime(d.Line.End), Tone: doc.Series(i), Note: note})
		for r := range min(len(d.Graph.Ranks), mostLanes) {
			out.Rows = append(out.Rows, doc.Lane{
				Name: fmt.Sprintf("stage %d", r), Level: 1, Tracks: [][]doc.Span{workSpans(d, r, end, false), workSpans(d, r, end, true)},
			})
		}
	}
	return []doc.Block{out}
}

func workClass(colour int) string { return fmt.Sprintf("w%d", colour) }

// workGap is the largest gap between spans of a kind that are drawn as one, as a share of the axis.
const workGap = 0.0003

// workSpans are the computation or the communication of a rank. Adjacent spans of a kind are one.
func workSpans(d *Drawn, rank int, end units.Time, communication bool) (out []doc.Span) {
	at := func(t units.Time) float64 { return float64(t) / float64(max(1, end)) }
	for i := range d.Graph.Ranks[rank] {
		o, s := &d.Graph.Ranks[rank][i], d.Line.Spans[rank][i]
		if (o.Kind != workload.Compute) != communication || s.End <= s.Begin || o.Kind == workload.Recv {
			continue
		}
		c := workForward
		switch {
		case communication:
			c = workCommunication + int(o.Purpose)
		case strings.HasPrefix(o.Name, "B") || o.Name == "optimizer":
			c = workBackward
		}
		if n := len(out); n > 0 && out[n-1].Class == workClass(c) && at(s.Begin) <= out[n-1].To+workGap && at(s.Begin) >= out[n-1].From {
			out[n-1].To = max(out[n-1].To, at(s.End))
			continue
		}
		out = append(out, doc.Span{From: at(s.Begin), To: at(s.End), Class: workClass(c)})
	}
	return out
}
