package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/units"
)

// The frame of a plot, in the units of its viewBox.
const (
	plotWidth, plotHeight    = 560.0, 330.0
	plotLeft, plotRight      = 62.0, 26.0
	plotTop, plotBottom      = 14.0, 44.0
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
	// low and high, if present, are drawn as a band around the line.
	low, high []float64
}

// plot is a diagram over message size, or over another quantity.
type plot struct {
	title  string
	note   string // under the title
	sizes  []int64
	over   *scale // instead of message size
	series []series
	log    bool                 // the y axis; from zero otherwise
	least  float64              // start of a linear axis with a fixed end
	most   float64              // of a linear axis: fixed end; 0 is free
	format func(float64) string // of values
	keys   []doc.Key            // lines that are not simply one per fabric
}

// scale is the horizontal axis of a plot that is not over message size.
type scale struct {
	name   string
	places []float64 // from 0 to 1 along the axis, rising
	labels []string
}

// dashes are the patterns of stroke-dasharray.
var dashes = [...]string{"", "7 4", "1.5 4"}

// draw makes the diagram. It depends neither on font measures nor on the order of a map: equal
// results give equal bytes.
func (p *plot) draw() template.HTML {
	lo, hi, ok := p.bounds()
	if !ok {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, plotWidth, plotHeight, html.EscapeString(p.title))
	p.axes(&b, lo, hi)
	for _, s := range p.series {
		p.band(&b, s, lo, hi)
	}
	for _, s := range p.series {
		p.line(&b, s, lo, hi)
	}
	for _, s := range p.series {
		p.markers(&b, s, lo, hi)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // built above, texts escaped
}

// bounds is the range of the y axis; ok is false if there is no value.
func (p *plot) bounds() (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range p.series {
		for _, v := range slices.Concat(s.values, s.low, s.high) {
			if math.IsNaN(v) || p.log && v <= 0 {
				continue
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if hi < lo {
		return 0, 0, false
	}
	if !p.log {
		if p.most > 0 {
			return p.least, p.most, true
		}
		ticks := linearTicks(0, hi)
		return 0, ticks[len(ticks)-1], true
	}
	hi = max(hi, lo*minLogFactor)
	return logFloor(lo), logCeil(hi), true
}

// linearTicks are round values from at most lo, which is not negative, to at least hi.
func linearTicks(lo, hi float64) []float64 {
	if hi <= lo {
		return []float64{lo, lo + 1}
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if (hi-lo)/(step*m) <= 5 {
			step *= m
			break
		}
	}
	var ticks []float64
	for i := math.Floor(lo/step + 1e-6); ; i++ {
		v := i * step
		ticks = append(ticks, v)
		if v >= hi-step/1000 {
			return ticks
		}
	}
}

// logFloor and logCeil are the nearest 1, 2 or 5 times a power of ten.
func logFloor(x float64) float64 {
	d := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{5, 2} {
		if x >= m*d*0.9999 {
			return m * d
		}
	}
	return d
}

func logCeil(x float64) float64 {
	d := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if x <= m*d*1.0001 {
			return m * d
		}
	}
	return 10 * d
}

// logTicks are the labelled values of a logarithmic axis: decades, and 2 and 5 between them if
// there are few.
func logTicks(lo, hi float64) []float64 {
	between := []float64{1}
	if hi/lo <= 1200 {
		between = []float64{1, 2, 5}
	}
	var ticks []float64
	for d, i := math.Pow(10, math.Floor(math.Log10(lo))), 0; i <= maxDecades; d, i = d*10, i+1 {
		for _, m := range between {
			if v := m * d; v >= lo*0.999 && v <= hi*1.001 {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// x is the position of a size: sizes have equal distances if they grow by equal factors.
func (p *plot) x(i int) float64 {
	if p.over != nil {
		return plotLeft + innerWidth*p.over.places[i]
	}
	first, last := float64(max(1, p.sizes[0])), float64(max(1, p.sizes[len(p.sizes)-1]))
	if last <= first {
		return plotLeft + innerWidth/2
	}
	return plotLeft + innerWidth*math.Log(float64(max(1, p.sizes[i]))/first)/math.Log(last/first)
}

// places is the number of positions along the axis.
func (p *plot) places() int {
	if p.over != nil {
		return len(p.over.places)
	}
	return len(p.sizes)
}

// label is the name of a position.
func (p *plot) label(i int) string {
	if p.over != nil {
		return p.over.labels[i]
	}
	return sizeText(p.sizes[i])
}

// axisName is the name of the axis.
func (p *plot) axisName() string {
	if p.over != nil {
		return p.over.name
	}
	return "message size"
}

func (p *plot) y(v, lo, hi float64) float64 {
	share := (v - lo) / (hi - lo)
	if p.log {
		share = math.Log(v/lo) / math.Log(hi/lo)
	}
	return plotTop + innerHeight*(1-share)
}

func (p *plot) axes(b *strings.Builder, lo, hi float64) {
	ticks := linearTicks(lo, hi)
	if p.log {
		ticks = logTicks(lo, hi)
	}
	b.WriteString(`<g class="grid">`)
	for _, v := range ticks {
		if y := p.y(v, lo, hi); y >= plotTop-0.5 {
			fmt.Fprintf(b, `<path d="M%s %sH%s"/>`, doc.Num(plotLeft), doc.Num(y), doc.Num(plotWidth-plotRight))
		}
	}
	b.WriteString(`</g><g class="tick" text-anchor="end">`)
	for _, v := range ticks {
		if y := p.y(v, lo, hi); y >= plotTop-0.5 {
			fmt.Fprintf(b, `<text x="%s" y="%s">%s</text>`, doc.Num(plotLeft-8), doc.Num(y+4), html.EscapeString(p.format(v)))
		}
	}
	b.WriteString(`</g><g class="tick sizes" text-anchor="middle">`)
	for at, n, i := math.Inf(-1), 0, 0; i < p.places(); i++ {
		if x := p.x(i); x-at >= tickRoom {
			class := ""
			if n++; n%2 == 0 {
				class = ` class="wide-only"` // the page hides it where letters must be larger
			}
			fmt.Fprintf(b, `<text%s x="%s" y="%s">%s</text><path d="M%s %sv4"/>`, class, doc.Num(x), doc.Num(plotHeight-plotBottom+19),
				html.EscapeString(p.label(i)), doc.Num(x), doc.Num(plotHeight-plotBottom))
			at = x
		}
	}
	fmt.Fprintf(b, `<text class="axis" x="%s" y="%s">%s</text></g>`, doc.Num(plotLeft+innerWidth/2), doc.Num(plotHeight-6), html.EscapeString(p.axisName()))
	fmt.Fprintf(b, `<path class="base" d="M%s %sH%s"/>`, doc.Num(plotLeft), doc.Num(plotHeight-plotBottom), doc.Num(plotWidth-plotRight))
}

// drawn reports whether the plot can show a value.
func (p *plot) drawn(v float64) bool { return !math.IsNaN(v) && (!p.log || v > 0) }

// band fills the area between a series' low and high values.
func (p *plot) band(b *strings.Builder, s series, lo, hi float64) {
	var there, back []string
	for i := range s.low {
		if !p.drawn(s.low[i]) || !p.drawn(s.high[i]) {
			continue
		}
		there = append(there, doc.Num(p.x(i))+" "+doc.Num(p.y(s.high[i], lo, hi)))
		back = append(back, doc.Num(p.x(i))+" "+doc.Num(p.y(s.low[i], lo, hi)))
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
			pen = "M"
			continue
		}
		fmt.Fprintf(&d, "%s%s %s", pen, doc.Num(p.x(i)), doc.Num(p.y(v, lo, hi)))
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
		fmt.Fprintf(b, `<path class="mark s%d%s" d="%s"><title>%s, %s: %s</title></path>`, s.fabric%doc.Palette, hollow(s.line),
			doc.Marker(s.fabric, p.x(i), p.y(v, lo, hi)), html.EscapeString(s.label), html.EscapeString(p.label(i)), html.EscapeString(p.format(v)))
	}
}

func hollow(d dash) string {
	if d == solid {
		return ""
	}
	return " hollow"
}

// drawn are the plots with values at more than one position.
func drawn(plots ...*plot) (out []doc.Plot) {
	for _, p := range plots {
		if p.places() < 2 {
			continue
		}
		if svg := p.draw(); svg != "" {
			out = append(out, doc.Plot{Title: p.title, Note: p.note, SVG: svg, Keys: p.keys})
		}
	}
	return out
}

// diagrams are plots of some series; none if there are no values.
func diagrams(legend []string, plots []doc.Plot) []doc.Block {
	if len(plots) == 0 {
		return nil
	}
	return []doc.Block{doc.Plots{Legend: legend, Plots: plots}}
}

// plots are the diagrams of the page that have values.
func (v *comparison) plots() []doc.Plot {
	var out []doc.Plot
	add := func(p *plot, keys ...doc.Key) {
		p.keys = keys
		out = append(out, drawn(p)...)
	}
	add(&plot{
		title: "Bus bandwidth", note: "GB/s, more is better", sizes: v.sizes, format: axisNumber,
		series: v.each(solid, "", func(m runstore.Point) float64 { return orNaN(m.BusBW) }),
	})
	add(&plot{
		title: "Time", note: "of one operation, less is better", sizes: v.sizes, log: true, format: timeText,
		series: v.each(solid, "", func(m runstore.Point) float64 { return float64(m.Time) }),
	})
	add(v.behindPlot())
	add(&plot{
		title: "Tail", note: "completion of messages between nodes, less is better", sizes: v.sizes, log: true, format: timeText,
		series: slices.Concat(
			v.each(solid, ", 99th percentile", func(m runstore.Point) float64 { return float64(m.Flows.P99) }),
			v.each(dashed, ", slowest", func(m runstore.Point) float64 { return float64(m.Flows.Max) })),
	}, doc.Key{Dash: dashes[solid], Label: "99th percentile"}, doc.Key{Dash: dashes[dashed], Label: "slowest"})
	add(&plot{
		title: "Hottest link", note: "share of the time in which the busiest wire carries packets", sizes: v.sizes, most: 1,
		format: func(x float64) string { return strconv.FormatFloat(math.Round(100*x), 'f', 0, 64) + " %" },
		series: v.each(solid, "", func(m runstore.Point) float64 {
			h, ok := hottest(m)
			if !ok {
				return math.NaN()
			}
			return h.Busy
		}),
	})
	add(v.perPacket("Credit stalls", "waits for credits per 1,000 packets", counted{solid, "credit stalls", func(m runstore.Point) int64 { return m.Counts.CreditStalls }}))
	congestion := []counted{
		{solid, "PFC pauses", func(m runstore.Point) int64 { return m.Counts.Pauses }},
		{dashed, "ECN marks", func(m runstore.Point) int64 { return m.Counts.Marks }},
		{dotted, "drops", func(m runstore.Point) int64 { return m.Counts.Drops() }},
	}
	var keys []doc.Key
	for _, c := range congestion {
		keys = append(keys, doc.Key{Dash: dashes[c.line], Label: c.label})
	}
	add(v.perPacket("Pauses, marks and drops", "per 1,000 packets; counters that stayed at zero are not drawn", congestion...), keys...)
	return out
}

func orNaN(x float64) float64 {
	if x <= 0 {
		return math.NaN()
	}
	return x
}

func timeText(ps float64) string { return units.Time(math.Round(ps)).String() }

// axisNumber is a value without trailing zeros.
func axisNumber(x float64) string {
	if x >= 1 || x == 0 {
		return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// each is one line per fabric.
func (v *comparison) each(line dash, what string, value func(runstore.Point) float64) []series {
	var out []series
	for i, f := range v.r.Fabrics {
		s := series{fabric: i, line: line, label: f.Name + what}
		for _, size := range v.sizes {
			x := math.NaN()
			if p, ok := point(f, size); ok && p.Measured() {
				x = value(p)
			}
			s.values = append(s.values, x)
		}
		out = append(out, s)
	}
	return out
}

// leastBehind is the minimum of the plot of the distances: a tenth of a percent. Below it a fabric
// counts as the fastest.
const leastBehind = 0.001

// behindPlot is how much longer each fabric takes than the fastest of the size. On
// a logarithmic axis both a few percent and a factor of ten can be read.
func (v *comparison) behindPlot() *plot {
	p := &plot{
		title: "Behind the fastest", note: "how much longer than the fastest of the size", sizes: v.sizes, log: true,
		format: func(x float64) string { return axisNumber(100*x) + " %" },
	}
	if len(v.r.Fabrics) < 2 {
		p.sizes = nil
		return p
	}
	p.series = v.each(solid, "", func(m runstore.Point) float64 { return float64(m.Time) })
	for i := range v.sizes {
		least := math.NaN()
		for _, s := range p.series {
			if x := s.values[i]; !math.IsNaN(x) && !(x >= least) { // not less: nothing is less than NaN
				least = x
			}
		}
		for _, s := range p.series {
			if s.values[i] = s.values[i]/least - 1; s.values[i] < leastBehind {
				s.values[i] = math.NaN()
			}
		}
	}
	return p
}

// counted is a counter of the network besides carried packets.
type counted struct {
	line  dash
	label string
	of    func(runstore.Point) int64
}

// perPacket draws what was counted per thousand packets.
func (v *comparison) perPacket(title, note string, what ...counted) *plot {
	p := &plot{title: title, note: note, sizes: v.sizes, format: axisNumber}
	for _, c := range what {
		p.series = append(p.series, v.each(c.line, ", "+c.label, func(m runstore.Point) float64 {
			if m.Counts.Packets == 0 {
				return math.NaN()
			}
			return 1000 * float64(c.of(m)) / float64(m.Counts.Packets)
		})...)
	}
	p.log = p.spread() > linearSpread
	return p
}

// linearSpread is the maximum spread of a plot's values on a linear axis, which, unlike a
// logarithmic one, can show 0.
const linearSpread = 100

// spread is the largest value over the smallest one above 0.
func (p *plot) spread() float64 {
	lo, hi := math.Inf(1), 0.0
	for _, s := range p.series {
		for _, x := range s.values {
			if x > 0 {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
	}
	return hi / lo
}
