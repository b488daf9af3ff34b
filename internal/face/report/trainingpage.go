package report

import (
	"fmt"
	"html"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/sim/workload"
	"weft/units"
)

// trainingView is what the template of a training job shows.
type trainingView struct {
	heading
	Sentences []string
	Notes     []string // on the job and on how the step was simulated
	Legend    []legendEntry
	Plots     []doc.Plot
	Tables    []pageTable
	Lanes     []laneView
	Work      []workKey
	Scenario  string
}

// laneView is the drawing of a step on a fabric.
type laneView struct {
	Fabric, Took string
	SVG          template.HTML
	More         int // stages that are not drawn
}

// Drawn is the timeline of a step on a fabric.
type Drawn struct {
	Fabric string
	Graph  *workload.Graph
	Line   *workload.Timeline
}

// TrainingPage writes the self-contained page of a training job, over one cluster size
// or several. The lines are those of the largest, and are drawn.
func TrainingPage(w io.Writer, t *runstore.TrainingScale, lines []*Drawn, resolved []byte) error {
	last := t.Points[len(t.Points)-1]
	j := &last.Job
	v := &trainingView{
		heading:  heading{simulation, last.Scenario, fmt.Sprintf("%s on %s %s · seed %d", j.Model, Integer(int64(j.GPUs)), strings.ToUpper(j.GPU), last.Seed)},
		Scenario: string(resolved),
	}
	for i := range last.Fabrics {
		v.Legend = append(v.Legend, legendEntry{legendMarker(i), last.Fabrics[i].Name})
	}
	if len(t.Points) > 1 {
		v.Sentences = scalingSentences(t)
		v.Tables = append(v.Tables, pageOf(scalingTable(t), "Over cluster sizes, "+scalingKind(t)))
		v.scalingPlots(t)
	}
	v.Sentences = append(v.Sentences, trainingSentences(last)...)
	v.Notes = append(jobLines(j), trainingNotes(last)...)
	v.Tables = append(v.Tables, pageOf(trainingTable(last), "A step on "+Integer(int64(j.GPUs))+" GPUs"))
	if seeds := seedsTable(last); seeds != nil {
		v.Tables = append(v.Tables, pageOf(seeds, seedsTitle(last)))
	}
	if phases := phaseTable(last); phases != nil {
		v.Tables = append(v.Tables, pageOf(phases, "Phases, as simulated packet by packet"))
	}
	v.draw(lines)
	return pages.ExecuteTemplate(w, "training.html.tmpl", v)
}

// scalingPlots are the efficiency of all fabrics, and what of the step is no
// computing.
func (v *trainingView) scalingPlots(t *runstore.TrainingScale) {
	over := &scale{name: "GPUs"}
	first, last := math.Log(float64(t.Points[0].Job.GPUs)), math.Log(float64(t.Points[len(t.Points)-1].Job.GPUs))
	for i := range t.Points {
		n := t.Points[i].Job.GPUs
		over.labels = append(over.labels, Integer(int64(n)))
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
		v.Plots = append(v.Plots, drawn(p)...)
	}
	add("Scaling efficiency", "tokens a second and GPU over those of the smallest cluster", 0, func(k, i int) float64 { return efficiency(t, k, i) })
	names, _ := terms(longestTerms(t))
	for _, name := range names[1:] {
		add(termText(name), "of the step", 0, func(k, i int) float64 {
			f := &t.Points[k].Fabrics[i]
			own, ps := terms(f)
			for n := range own {
				if own[n] == name {
					return part(ps[n], f)
				}
			}
			return 0
		})
	}
}

// The frame of the drawing of a step.
const (
	laneWidth, laneHeight, laneLeft = 1100.0, 11.0, 62.0
	mostLanes                       = 16 // stages that are drawn
)

// What the lanes of a timeline show, by colour: the way forward, the way back, and
// communication by purpose.
const (
	workForward = iota
	workBackward
	workCommunication
)

// workKey is a colour of the lanes and what it is.
type workKey struct {
	Colour int
	Name   string
}

// draw draws the step on each fabric, all over the time of the longest.
func (v *trainingView) draw(lines []*Drawn) {
	end, seen := units.Time(0), [workload.NumPurposes]bool{}
	for _, d := range lines {
		end = max(end, d.Line.End)
		for _, ops := range d.Graph.Ranks {
			for i := range ops {
				if ops[i].Kind != workload.Compute {
					seen[ops[i].Purpose] = true
				}
			}
		}
	}
	for _, d := range lines {
		v.Lanes = append(v.Lanes, laneView{d.Fabric, timeCell(d.Line.End), drawLanes(d, end), max(0, len(d.Graph.Ranks)-mostLanes)})
	}
	v.Work = []workKey{{workForward, "forward"}, {workBackward, "backward and optimizer"}}
	for p, used := range seen {
		if used {
			v.Work = append(v.Work, workKey{workCommunication + p, workload.Purpose(p).String() + " communication"})
		}
	}
}

// drawLanes draws a timeline over so long a time: two lanes for each rank, computing and communication.
// Neighbours of a kind that touch are drawn as one.
func drawLanes(d *Drawn, end units.Time) template.HTML {
	n := min(len(d.Graph.Ranks), mostLanes)
	height := float64(n)*(2*laneHeight+8) + 18
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="a step, stage by stage">`, laneWidth+laneLeft+10, height)
	for r := range n {
		top := float64(r) * (2*laneHeight + 8)
		fmt.Fprintf(&b, `<text x="0" y="%s" font-size="11">stage %d</text>`, doc.Num(top+laneHeight), r)
		drawLane(&b, d, r, end, top, false)
		drawLane(&b, d, r, end, top+laneHeight+1, true)
	}
	fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="11">0</text><text x="%s" y="%s" font-size="11" text-anchor="end">%s</text></svg>`,
		doc.Num(laneLeft), doc.Num(height-4), doc.Num(laneLeft+laneWidth), doc.Num(height-4), html.EscapeString(timeCell(end)))
	return template.HTML(b.String()) // built above, texts escaped
}

// drawLane draws what a rank computes, or what it communicates.
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
