package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/sim/workload"
	"weft/units"
)

// Drawn is the timeline of a step on a fabric.
type Drawn struct {
	Fabric string
	Graph  *workload.Graph
	Line   *workload.Timeline
}

// scalingPlots are the efficiency of all fabrics, and the parts of the step other than computation.
func scalingPlots(t *runstore.TrainingScale) (out []doc.Plot) {
	over := &scale{name: "GPUs"}
	first, last := math.Log(float64(t.Points[0].Job.GPUs)), math.Log(float64(t.Points[len(t.Points)-1].Job.GPUs))
	for i := range t.Points {
		n := t.Points[i].Job.GPUs
		over.labels = append(over.labels, doc.Integer(int64(n)))
		over.places = append(over.places, (math.Log(float64(n))-first)/max(1e-9, last-first))
	}
	share := func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
	add := func(title, note string, most float64, value func(point, fabric int) float64) {
		p := &plot{title: strings.ToUpper(title[:1]) + title[1:], note: note, over: over, most: most, format: share}
		for i := range t.Points[0].Fabrics {
			s := series{fabric: i, label: t.Points[0].Fabrics[i].Name}
			for k := range t.Points {
				x := value(k, i)
				if t.Points[k].Fabrics[i].StepPs == 0 {
					x = math.NaN()
				}
				s.values = append(s.values, x)
			}
			p.series = append(p.series, s)
		}
		if !slices.ContainsFunc(p.series, func(s series) bool { return slices.ContainsFunc(s.values, func(x float64) bool { return x > 0 }) }) {
			return // no fabric has the term
		}
		out = append(out, drawn(p)...)
	}
	add("Scaling efficiency", "tokens per second and GPU, relative to the smallest cluster", 0, func(k, i int) float64 { return efficiency(t, k, i) })
	names, _ := terms(longestTerms(t))
	for _, name := range names[1:] {
		add(termText(name), "of the step", 0, func(k, i int) float64 {
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

// The frame of the drawing of a step.
const (
	laneWidth, laneHeight, laneLeft, laneTop = 1100.0, 11.0, 62.0, 26.0
	mostLanes                                = 16 // stages that are drawn
)

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

// stepFigures draw the step on each fabric, all over the time of the longest.
func stepFigures(lines []*Drawn) (out []doc.Block) {
	end := units.Time(0)
	for _, d := range lines {
		end = max(end, d.Line.End)
	}
	for i, d := range lines {
		note := ""
		if more := len(d.Graph.Ranks) - mostLanes; more > 0 {
			note = fmt.Sprintf("%d more stages are in the trace.", more)
		}
		out = append(out, doc.Figure{Title: d.Fabric + ": " + fullTime(d.Line.End), Tone: doc.Series(i), Note: note, SVG: drawLanes(d, end, lines)})
	}
	return out
}

// drawLanes draws a timeline over a given time, below the names of its colours: two lanes for each
// rank, computation and communication. Adjacent spans of a kind are drawn as one.
func drawLanes(d *Drawn, end units.Time, all []*Drawn) template.HTML {
	n := min(len(d.Graph.Ranks), mostLanes)
	height := laneTop + float64(n)*(2*laneHeight+8) + 18
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="a step, stage by stage">`, laneWidth+laneLeft+10, height)
	x := laneLeft
	for colour, name := range workNames(all) {
		if name != "" {
			fmt.Fprintf(&b, `<rect class="w%d" x="%s" width="11" height="11"/><text x="%s" y="10" font-size="11">%s</text>`, colour, doc.Num(x), doc.Num(x+16), html.EscapeString(name))
			x += 44 + 6*float64(len(name))
		}
	}
	for r := range n {
		top := laneTop + float64(r)*(2*laneHeight+8)
		fmt.Fprintf(&b, `<text x="0" y="%s" font-size="11">stage %d</text>`, doc.Num(top+laneHeight), r)
		drawLane(&b, d, r, end, top, false)
		drawLane(&b, d, r, end, top+laneHeight+1, true)
	}
	fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="11">0</text><text x="%s" y="%s" font-size="11" text-anchor="end">%s</text></svg>`,
		doc.Num(laneLeft), doc.Num(height-4), doc.Num(laneLeft+laneWidth), doc.Num(height-4), html.EscapeString(fullTime(end)))
	return template.HTML(b.String()) // built above, texts escaped
}

// drawLane draws the computation or the communication of a rank.
func drawLane(b *strings.Builder, d *Drawn, rank int, end units.Time, top float64, communication bool) {
	at := func(t units.Time) float64 { return laneLeft + laneWidth*float64(t)/float64(max(1, end)) }
	const nothing = -1
	colour, from, to := nothing, 0.0, 0.0
	flush := func() {
		if colour != nothing && to > from {
			fmt.Fprintf(b, `<rect class="w%d" x="%s" y="%s" width="%s" height="%s"/>`, colour, doc.Num(from), doc.Num(top), doc.Num(max(0.3, to-from)), doc.Num(laneHeight))
		}
	}
	for i := range d.Graph.Ranks[rank] {
		o, s := &d.Graph.Ranks[rank][i], d.Line.Spans[rank][i]
		if (o.Kind != workload.Compute) != communication || s.End < 0 || o.Kind == workload.Recv {
			continue
		}
		c := workForward
		switch {
		case communication:
			c = workCommunication + int(o.Purpose)
		case strings.HasPrefix(o.Name, "B") || o.Name == "optimizer":
			c = workBackward
		}
		if c == colour && at(s.Begin) <= to+0.3 && at(s.Begin) >= from {
			to = max(to, at(s.End))
			continue
		}
		flush()
		colour, from, to = c, at(s.Begin), at(s.End)
	}
	flush()
}
