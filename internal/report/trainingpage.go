package report

import (
	"fmt"
	"html"
	"html/template"
	"io"
	"math"
	"strings"

	"weft/internal/runstore"
	"weft/internal/workload"
	"weft/units"
)

// trainingView is what the template of a training job shows.
type trainingView struct {
	styled
	Title, Subtitle string
	Sentences       []string
	Fabrics         []fabricCard
	Plots           []Plot
	Tables          []htmlTable
	Lanes           template.HTML
	LanesOf         string
	Scenario        string
}

// htmlTable is a table of texts.
type htmlTable struct {
	Title string
	Head  []string
	Rows  [][]string
}

// Drawn is a timeline for the page.
type Drawn struct {
	Fabric string
	Graph  *workload.Graph
	Line   *workload.Timeline
}

// TrainingPage writes the self-contained page of a training job, over one cluster size
// or several. line, if not nil, is drawn.
func TrainingPage(w io.Writer, t *runstore.TrainingScale, line *Drawn, resolved []byte) error {
	last := t.Points[len(t.Points)-1]
	j := &last.Job
	v := &trainingView{
		Title: last.Scenario, Subtitle: fmt.Sprintf("%s on %s %s · seed %d", j.Model, Integer(int64(j.GPUs)), strings.ToUpper(j.GPU), last.Seed), Scenario: string(resolved),
	}
	for i := range last.Fabrics {
		v.Fabrics = append(v.Fabrics, fabricCard{Index: i % palette, Name: last.Fabrics[i].Name, Marker: legendMarker(i)})
	}
	if len(t.Points) > 1 {
		v.Sentences = scalingSentences(t)
		v.addTable("Over cluster sizes, "+scalingKind(t), scalingTable(t))
		v.scalingPlots(t)
	}
	v.Sentences = append(v.Sentences, jobLines(j)...)
	v.Sentences = append(v.Sentences, trainingSentences(last)...)
	v.addTable("A step on "+Integer(int64(j.GPUs))+" GPUs", trainingTable(last))
	if phases := phaseTable(last); phases != nil {
		v.addTable("Phases, as simulated packet by packet", phases)
	}
	if line != nil {
		v.Lanes, v.LanesOf = drawLanes(line), line.Fabric
	}
	return pages.ExecuteTemplate(w, "training.html.tmpl", v)
}

// addTable adds a table of the terminal's.
func (v *trainingView) addTable(title string, t *table) {
	out := htmlTable{Title: title}
	for i, row := range t.rows {
		var texts []string
		for _, c := range row {
			texts = append(texts, c.text)
		}
		if i == 0 {
			out.Head = texts
		} else {
			out.Rows = append(out.Rows, texts)
		}
	}
	v.Tables = append(v.Tables, out)
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
		p := &plot{title: title, note: note, over: over, most: most, format: share}
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
		if svg := p.draw(); svg != "" {
			v.Plots = append(v.Plots, Plot{Title: title, Note: note, SVG: svg})
		}
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

// drawLanes draws a timeline: two lanes for each rank, computing and communication.
// Neighbours of a kind that touch are drawn as one.
func drawLanes(d *Drawn) template.HTML {
	n := min(len(d.Graph.Ranks), mostLanes)
	height := float64(n)*(2*laneHeight+8) + 18
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="a step, stage by stage">`, laneWidth+laneLeft+10, height)
	for r := range n {
		top := float64(r) * (2*laneHeight + 8)
		fmt.Fprintf(&b, `<text x="0" y="%s" font-size="11">stage %d</text>`, num(top+laneHeight), r)
		drawLane(&b, d, r, top, false)
		drawLane(&b, d, r, top+laneHeight+1, true)
	}
	fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="11">0</text><text x="%s" y="%s" font-size="11" text-anchor="end">%s</text></svg>`,
		num(laneLeft), num(height-4), num(laneLeft+laneWidth), num(height-4), html.EscapeString(timeCell(d.Line.End)))
	return template.HTML(b.String()) // built above, texts escaped
}

// drawLane draws what a rank computes, or what it communicates.
func drawLane(b *strings.Builder, d *Drawn, rank int, top float64, communication bool) {
	at := func(t units.Time) float64 { return laneLeft + laneWidth*float64(t)/float64(max(1, d.Line.End)) }
	const nothing = -1
	colour, from, to := nothing, 0.0, 0.0
	flush := func() {
		if colour != nothing && to > from {
			fmt.Fprintf(b, `<rect class="s%d" x="%s" y="%s" width="%s" height="%s"/>`, colour%palette, num(from), num(top), num(max(0.3, to-from)), num(laneHeight))
		}
	}
	for i := range d.Graph.Ranks[rank] {
		o, s := &d.Graph.Ranks[rank][i], d.Line.Spans[rank][i]
		if (o.Kind != workload.Compute) != communication || s.End < 0 || o.Kind == workload.Recv {
			continue
		}
		c := 0
		switch {
		case communication:
			c = int(o.Purpose)
		case strings.HasPrefix(o.Name, "B"):
			c = 1
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
