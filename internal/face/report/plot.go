package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"weft/internal/face/doc"
)

// The frame of a plot, in the units of its viewBox.
const (
	plotWidth, plotHeight    = 560.0, 346.0
	plotLeft, plotRight      = 62.0, 26.0
	plotTop, plotBottom      = 30.0, 44.0
	zeroRoom                 = 26.0 // below a logarithmic axis, for 0
	innerWidth               = plotWidth - plotLeft - plotRight
	innerHeight              = plotHeight - plotTop - plotBottom
	tickRoom                 = 52.0 // between two labels of the size axis
	maxDecades, minLogFactor = 12, 1.25
)

// dash is the style of a second or third line of the same fabric.
type dash int

const (
	solid dash = iota
	dashed
	dotted
)

// series is one line of a plot: values by size, NaN for a missing value.
type series struct {
	fabric int // its colour and marker
	line   dash
	label  string // for the tooltip: infiniband-ndr, p99
	values []float64
	names  []string // for the tooltips of single values, instead of label
	bare   bool     // hollow markers without a line
	// low and high, if present, are drawn as a band around the line.
	low, high []float64
}

// plot is a diagram of lines over an axis.
type plot struct {
	title  string
	note   string // under the title
	over   axis
	series []series
	unit   string               // the name of the y axis
	log    bool                 // the y axis; from zero otherwise
	zero   string               // of a logarithmic axis: the name of a line below it, for 0; empty for none
	least  float64              // start of a linear axis with a fixed end
	most   float64              // of a linear axis: fixed end; 0 is free
	format func(float64) string // of values
	keys   []doc.Key            // lines that are not simply one per fabric
}

// linesOf is a solid line for each name, in its colour, with a value for each of n positions.
func linesOf(names []string, n int, value func(line, position int) float64) []series {
	out := make([]series, len(names))
	for k, name := range names {
		out[k] = series{fabric: k, label: name, values: make([]float64, n)}
		for i := range n {
			out[k].values[i] = value(k, i)
		}
	}
	return out
}

// diagrams are the plots with values at more than one position, below a legend; none without.
func diagrams(legend []string, plots ...*plot) []doc.Block {
	out := drawn(plots...)
	if len(out) == 0 {
		return nil
	}
	return []doc.Block{doc.Plots{Legend: legend, Plots: out}}
}

// drawn are the plots with values at more than one position.
func drawn(plots ...*plot) (out []doc.Plot) {
	for _, p := range plots {
		if svg := p.draw(); svg != "" {
			out = append(out, doc.Plot{Title: p.title, Note: p.note, SVG: svg, Keys: p.keys})
		}
	}
	return out
}

// dashes are the patterns of stroke-dasharray.
var dashes = [...]string{"", "7 4", "1.5 4"}

// draw makes the diagram. It depends neither on font measures nor on the order of a map: equal
// results give equal bytes.
func (p *plot) draw() template.HTML {
	lo, hi, ok := p.bounds()
	if !ok || len(p.over.places) < 2 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, plotWidth, plotHeight, html.EscapeString(p.title))
	p.axes(&b, lo, hi)
	for _, s := range p.series {
		p.band(&b, s, lo, hi)
	}
	for _, s := range p.series {
		if !s.bare {
			p.line(&b, s, lo, hi)
		}
	}
	for _, s := range p.series {
		p.markers(&b, s, lo, hi)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // built above, texts escaped
}

// drawn reports whether the plot can show a value.
func (p *plot) drawn(v float64) bool {
	return !math.IsNaN(v) && (!p.log || v > 0 || v == 0 && p.zero != "")
}

// band fills the area between a series' low and high values.
func (p *plot) band(b *strings.Builder, s series, lo, hi float64) {
	var there, back []string
	for i := range s.low {
		if !p.drawn(s.low[i]) || !p.drawn(s.high[i]) {
			continue
		}
		there = append(there, doc.Num(p.over.x(i))+" "+doc.Num(p.y(s.high[i], lo, hi)))
		back = append(back, doc.Num(p.over.x(i))+" "+doc.Num(p.y(s.low[i], lo, hi)))
	}
	if len(there) < 2 {
		return
	}
	slices.Reverse(back)
	fmt.Fprintf(b, `<path class="band s%d" d="M%sZ"/>`, s.fabric%doc.Palette, strings.Join(append(there, back...), "L"))
}

func (p *plot) line(b *strings.Builder, s series, lo, hi float64) {
	var d strings.Builder
	pen := "M"
	for i, v := range s.values {
		if !p.drawn(v) {
			if s.names == nil { // values of one thing: a gap
				pen = "M"
			}
			continue
		}
		fmt.Fprintf(&d, "%s%s %s", pen, doc.Num(p.over.x(i)), doc.Num(p.y(v, lo, hi)))
		pen = "L"
	}
	if d.Len() == 0 {
		return
	}
	pattern := ""
	if s.line != solid {
		pattern = ` stroke-dasharray="` + dashes[s.line] + `"`
	}
	fmt.Fprintf(b, `<path class="line s%d"%s d="%s"/>`, s.fabric%doc.Palette, pattern, d.String())
}

func (p *plot) markers(b *strings.Builder, s series, lo, hi float64) {
	for i, v := range s.values {
		if !p.drawn(v) {
			continue
		}
		name := s.label
		if s.names != nil {
			name = s.names[i]
		}
		fmt.Fprintf(b, `<path class="mark s%d%s" d="%s"><title>%s, %s: %s</title></path>`, s.fabric%doc.Palette, s.hollow(),
			doc.Marker(s.fabric, p.over.x(i), p.y(v, lo, hi)), html.EscapeString(name), html.EscapeString(p.over.labels[i]), html.EscapeString(p.format(v)))
	}
}

// positive reports whether a value is above zero.
func (s series) positive() bool {
	return slices.ContainsFunc(s.values, func(x float64) bool { return x > 0 })
}

func (s *series) hollow() string {
	if s.line == solid && !s.bare {
		return ""
	}
	return " hollow"
}
