package report

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"weft/internal/face/doc"
)

// axis is the horizontal axis of a plot.
type axis struct {
	name   string
	places []float64 // from 0 to 1 along the axis, rising
	labels []string
}

// linear is an axis with n positions, at equal distances for equal differences of rising values.
func linear(name string, n int, value func(i int) float64, label func(i int) string) axis {
	a := axis{name, make([]float64, n), make([]string, n)}
	for i := range n {
		a.places[i], a.labels[i] = (value(i)-value(0))/max(1e-9, value(n-1)-value(0)), label(i)
	}
	return a
}

// logarithmic is an axis with equal distances for equal ratios of values from 1 on.
func logarithmic(name string, n int, value func(i int) int64, label func(i int) string) axis {
	return linear(name, n, func(i int) float64 { return math.Log(float64(max(1, value(i)))) }, label)
}

// overSizes is the axis of message sizes.
func overSizes(sizes []int64) axis {
	return logarithmic("message size, logarithmic axis", len(sizes), func(i int) int64 { return sizes[i] }, func(i int) string { return sizeText(sizes[i]) })
}

// x is the position in the drawing.
func (a *axis) x(i int) float64 { return plotLeft + innerWidth*a.places[i] }

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

// y is the position of a value. 0 on a logarithmic axis has a line of its own, below the axis.
func (p *plot) y(v, lo, hi float64) float64 {
	switch height := p.axisHeight(); {
	case !p.log:
		return plotTop + height*(hi-v)/(hi-lo)
	case v <= 0:
		return plotTop + innerHeight
	default:
		return plotTop + height*math.Log(hi/v)/math.Log(hi/lo)
	}
}

// axisHeight is the height of the values' axis.
func (p *plot) axisHeight() float64 {
	if p.zero != "" {
		return innerHeight - zeroRoom
	}
	return innerHeight
}

// minorTicks are the values 1 to 9 of each decade of a logarithmic axis, without the labelled ones.
func minorTicks(lo, hi float64, labelled []float64) (out []float64) {
	for d, i := math.Pow(10, math.Floor(math.Log10(lo))), 0; i <= maxDecades; d, i = d*10, i+1 {
		for m := 1.0; m < 10; m++ {
			v := m * d
			near := func(x float64) bool { return math.Abs(x-v) < v*1e-6 }
			if v >= lo*0.999 && v <= hi*1.001 && !slices.ContainsFunc(labelled, near) {
				out = append(out, v)
			}
		}
	}
	return out
}

func (p *plot) axes(b *strings.Builder, lo, hi float64) {
	ticks := linearTicks(lo, hi)
	var minor []float64
	if p.log {
		ticks = logTicks(lo, hi)
		minor = minorTicks(lo, hi, ticks)
	}
	b.WriteString(`<g class="grid">`)
	for _, v := range ticks {
		fmt.Fprintf(b, `<path d="M%s %sH%s"/>`, doc.Num(plotLeft), doc.Num(p.y(v, lo, hi)), doc.Num(plotWidth-plotRight))
	}
	b.WriteString(`</g><g class="tick" text-anchor="end">`)
	for _, v := range ticks {
		fmt.Fprintf(b, `<text x="%s" y="%s">%s</text>`, doc.Num(plotLeft-8), doc.Num(p.y(v, lo, hi)+4), html.EscapeString(p.format(v)))
	}
	if p.zero != "" {
		fmt.Fprintf(b, `<text x="%s" y="%s">%s</text>`, doc.Num(plotLeft-8), doc.Num(p.y(0, lo, hi)+4), html.EscapeString(p.zero))
	}
	for _, v := range minor {
		fmt.Fprintf(b, `<path class="minor" d="M%s %sh-4"/>`, doc.Num(plotLeft), doc.Num(p.y(v, lo, hi)))
	}
	if p.log {
		fmt.Fprintf(b, `<path class="minor" d="M%s %sv%s"/>`, doc.Num(plotLeft), doc.Num(plotTop), doc.Num(p.axisHeight()))
	}
	b.WriteString(`</g>`)
	p.sizeTicks(b)
	fmt.Fprintf(b, `<text class="axis" text-anchor="middle" x="%s" y="%s">%s</text>`, doc.Num(plotLeft+innerWidth/2), doc.Num(plotHeight-6), html.EscapeString(p.over.name))
	if name := p.valueName(); name != "" {
		fmt.Fprintf(b, `<text class="axis of-values" x="0" y="12">%s</text>`, html.EscapeString(name))
	}
	fmt.Fprintf(b, `</g><path class="base" d="M%s %sH%s"/>`, doc.Num(plotLeft), doc.Num(plotHeight-plotBottom), doc.Num(plotWidth-plotRight))
}

// valueName is the name of the y axis, with its kind.
func (p *plot) valueName() string {
	switch {
	case !p.log:
		return p.unit
	case p.unit == "":
		return "logarithmic axis"
	}
	return p.unit + ", logarithmic axis"
}

// sizeTicks are the labels of the size axis, as far as they have room, and a mark of each size. The
// page hides every second label where letters must be larger.
func (p *plot) sizeTicks(b *strings.Builder) {
	b.WriteString(`<g class="tick sizes">`)
	for at, n, i := math.Inf(-1), 0, 0; i < len(p.over.places); i++ {
		x := p.over.x(i)
		if x-at < tickRoom {
			fmt.Fprintf(b, `<path class="minor" d="M%s %sv3"/>`, doc.Num(x), doc.Num(plotHeight-plotBottom))
			continue
		}
		class := ""
		if n++; n%2 == 0 {
			class = ` class="wide-only"`
		}
		fmt.Fprintf(b, `<text%s text-anchor="middle" x="%s" y="%s">%s</text><path d="M%s %sv6"/>`, class, doc.Num(x), doc.Num(plotHeight-plotBottom+19),
			html.EscapeString(p.over.labels[i]), doc.Num(x), doc.Num(plotHeight-plotBottom))
		at = x
	}
}
