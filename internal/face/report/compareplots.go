package report

import (
	"math"
	"slices"

	"weft/internal/face/doc"
	"weft/internal/sim/protocol"
	"weft/internal/study/quantity"
	"weft/scenario"
)

// plots are the diagrams of the page.
func (v *comparison) plots() []*plot {
	return []*plot{
		v.plot(&plot{title: bandwidthTitle, note: "more is better", log: true}, "busbw_gbytes_per_s"),
		v.behindPlot(),
		v.plot(&plot{title: timeTitle, note: "of one operation, less is better", log: true}, "time_ps"),
		v.plot(&plot{title: "Tail", note: "completion of messages between nodes, less is better", log: true}, "message_p99_ps", "message_max_ps"),
		v.plot(&plot{title: "Hottest link", note: "share of the time in which the busiest wire carries packets", most: 1}, "hottest_link_busy"),
		v.perPacket(&plot{title: "Credit stalls", note: "waits for credits; a fabric without any is not drawn"}, "credit_stalls"),
		v.perPacket(&plot{title: "Pauses, marks and drops", note: "a counter that stayed at zero is not drawn"}, "pfc_pauses", "ecn_marks", "drops"),
	}
}

// plot draws quantities of one unit over message size: a line for each fabric, and for each of several
// quantities its own dashes.
func (v *comparison) plot(p *plot, quantities ...scenario.SweepQuantity) *plot {
	p.over = overSizes(v.sizes)
	list := quantity.Points.Only(quantities...)
	for k, q := range list {
		p.format = axisFormat(q.Unit)
		if q.Unit == quantity.GBytesPerSecond {
			p.unit = "GB/s"
		}
		lines := linesOf(names(v.r), len(v.sizes), func(i, s int) float64 {
			m, ok := point(v.r.Fabrics[i], v.sizes[s])
			if !ok || !m.Measured() || q.Of(&m) == 0 && lacks(protocol.Of(v.r.Fabrics[i].Protocol), &q.Measure, &m) {
				return math.NaN()
			}
			return q.Of(&m)
		})
		if len(list) > 1 {
			p.keys = append(p.keys, doc.Key{Dash: dashes[k], Label: q.Heading})
			for i := range lines {
				lines[i].line, lines[i].label = dash(k), lines[i].label+", "+q.Heading
			}
		}
		p.series = append(p.series, lines...)
	}
	return p
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
	p := v.plot(&plot{title: behindTitle, note: "how much longer than the fastest of the size", unit: "% longer", zero: "fastest", log: true}, "time_ps")
	p.format = func(x float64) string { return axisNumber(100*x) + " %" }
	if len(v.r.Fabrics) < 2 {
		p.series = nil
	}
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

// perPacket draws counters per thousand packets.
func (v *comparison) perPacket(p *plot, counters ...scenario.SweepQuantity) *plot {
	p.unit = "per 1,000 packets"
	packets := v.plot(&plot{}, "packets").series
	v.plot(p, counters...).format = axisNumber
	for k := range p.series {
		for i := range v.sizes {
			rate := 1000 * p.series[k].values[i] / packets[k%len(packets)].values[i]
			if math.IsInf(rate, 0) {
				rate = math.NaN()
			}
			p.series[k].values[i] = rate
		}
	}
	p.series = slices.DeleteFunc(p.series, func(s series) bool { return !s.positive() })
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
