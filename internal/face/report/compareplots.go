package report

import (
	"math"
	"slices"
	"strconv"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

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
		title: bandwidthTitle, note: "more is better", unit: "GB/s", sizes: v.sizes, log: true, format: axisNumber,
		series: v.each(solid, "", func(m results.Point) float64 { return orNaN(m.BusBW) }),
	})
	add(v.behindPlot())
	add(&plot{
		title: timeTitle, note: "of one operation, less is better", sizes: v.sizes, log: true, format: timeText,
		series: v.each(solid, "", func(m results.Point) float64 { return float64(m.Time) }),
	})
	add(&plot{
		title: "Tail", note: "completion of messages between nodes, less is better", sizes: v.sizes, log: true, format: timeText,
		series: slices.Concat(
			v.each(solid, ", 99th percentile", func(m results.Point) float64 { return float64(m.Flows.P99) }),
			v.each(dashed, ", slowest", func(m results.Point) float64 { return float64(m.Flows.Max) })),
	}, doc.Key{Dash: dashes[solid], Label: "99th percentile"}, doc.Key{Dash: dashes[dashed], Label: "slowest"})
	add(&plot{
		title: "Hottest link", note: "share of the time in which the busiest wire carries packets", sizes: v.sizes, most: 1,
		format: func(x float64) string { return strconv.FormatFloat(math.Round(100*x), 'f', 0, 64) + " %" },
		series: v.each(solid, "", func(m results.Point) float64 {
			h, ok := hottest(m)
			if !ok {
				return math.NaN()
			}
			return h.Busy
		}),
	})
	add(v.perPacket("Credit stalls", "waits for credits; a fabric without any is not drawn", counted{solid, "credit stalls", func(m results.Point) int64 { return m.Counts.CreditStalls }}))
	congestion := []counted{
		{solid, "PFC pauses", func(m results.Point) int64 { return m.Counts.Pauses }},
		{dashed, "ECN marks", func(m results.Point) int64 { return m.Counts.Marks }},
		{dotted, "drops", func(m results.Point) int64 { return m.Counts.Drops() }},
	}
	var keys []doc.Key
	for _, c := range congestion {
		keys = append(keys, doc.Key{Dash: dashes[c.line], Label: c.label})
	}
	add(v.perPacket("Pauses, marks and drops", "a counter that stayed at zero is not drawn", congestion...), keys...)
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
func (v *comparison) each(line dash, what string, value func(results.Point) float64) []series {
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

// The titles of plots that [Picture] has.
const (
	bandwidthTitle = "Bus bandwidth"
	behindTitle    = "Behind the fastest"
	timeTitle      = "Time"
)

// leastBehind is a tenth of a percent: a fabric that takes less than that longer counts as the
// fastest.
const leastBehind = 0.001

// behindPlot is how much longer each fabric takes than the fastest of the size. On a logarithmic
// axis both a few percent and a factor of ten can be read. The fastest is on the line of 0 below it.
func (v *comparison) behindPlot() *plot {
	p := &plot{
		title: behindTitle, note: "how much longer than the fastest of the size", unit: "% longer", zero: "fastest", sizes: v.sizes, log: true,
		format: func(x float64) string { return axisNumber(100*x) + " %" },
	}
	if len(v.r.Fabrics) < 2 {
		p.sizes = nil
		return p
	}
	p.series = v.each(solid, "", func(m results.Point) float64 { return float64(m.Time) })
	for i := range v.sizes {
		least, n := math.Inf(1), 0
		for _, s := range p.series {
			if x := s.values[i]; !math.IsNaN(x) {
				least, n = min(least, x), n+1
			}
		}
		for _, s := range p.series {
			switch s.values[i] = s.values[i]/least - 1; {
			case n < 2: // nothing to compare with
				s.values[i] = math.NaN()
			case s.values[i] < leastBehind:
				s.values[i] = 0
			}
		}
	}
	return p
}

// counted is a counter of the network besides carried packets.
type counted struct {
	line  dash
	label string
	of    func(results.Point) int64
}

// perPacket draws what was counted per thousand packets.
func (v *comparison) perPacket(title, note string, what ...counted) *plot {
	p := &plot{title: title, note: note, unit: "per 1,000 packets", sizes: v.sizes, format: axisNumber}
	for _, c := range what {
		p.series = append(p.series, v.each(c.line, ", "+c.label, func(m results.Point) float64 {
			if m.Counts.Packets == 0 {
				return math.NaN()
			}
			return 1000 * float64(c.of(m)) / float64(m.Counts.Packets)
		})...)
	}
	p.series = slices.DeleteFunc(p.series, func(s series) bool {
		return !slices.ContainsFunc(s.values, func(x float64) bool { return x > 0 })
	})
	if p.spread() > linearSpread {
		p.log, p.zero = true, "0"
	}
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
