package report

import (
	"fmt"
	"math"
	"strconv"

	"weft/internal/face/doc"
	"weft/internal/sim/protocol"
	"weft/internal/study/quantity"
	"weft/results"
	"weft/units"
)

// quantityCell is a value of a quantity in a table.
func quantityCell(u quantity.Unit, x float64) doc.Cell {
	switch u {
	case quantity.Picoseconds:
		return doc.Time(units.Time(math.Round(x)))
	case quantity.Bytes:
		return doc.Bytes(units.Bytes(x))
	case quantity.BitsPerSecond:
		return doc.Text(units.Rate(x).String())
	case quantity.GBytesPerSecond:
		return doc.Bandwidth(x)
	case quantity.TokensPerSecond:
		return doc.TokensPerSecond(x)
	case quantity.Share:
		return doc.Share(x)
	case quantity.Tenths:
		return doc.Tenths(x)
	case quantity.Count:
		return doc.Count(int64(x))
	}
	return doc.Number(x, "number").As(strconv.FormatFloat(x, 'g', 4, 64))
}

// quantityPlot is a plot of a quantity without its lines: times on a logarithmic axis, shares to 100 %.
func quantityPlot(m *quantity.Measure, over axis) *plot {
	p := &plot{title: begun(m.Heading), note: m.Meaning, over: over, format: axisFormat(m.Unit)}
	switch m.Unit {
	case quantity.Picoseconds:
		p.log = true
	case quantity.Share, quantity.Tenths:
		p.most = 1
	}
	return p
}

// axisFormat is the form of values of a unit at an axis.
func axisFormat(u quantity.Unit) func(float64) string {
	switch u {
	case quantity.Picoseconds:
		return timeText
	case quantity.Share, quantity.Tenths:
		return wholePercent
	}
	return axisNumber
}

func timeText(ps float64) string { return units.Time(math.Round(ps)).String() }

func wholePercent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// axisNumber is a value without trailing zeros.
func axisNumber(x float64) string {
	if x >= 1 || x == 0 {
		return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// headings are the headings of quantities in a table.
func headings[R any](l quantity.List[R]) []string {
	out := make([]string, len(l))
	for i := range l {
		out[i] = l[i].Heading
	}
	return out
}

// pointCells are quantities of a point on a fabric: none of what the fabric cannot have. A credit
// stall is one lane of one port that begins to wait, a pause one frame that stops a port: the two
// cannot be compared. TCP's classes are lossy and have neither.
func pointCells(l quantity.List[results.Point], p *results.Point, of *protocol.Protocol) []doc.Cell {
	out := make([]doc.Cell, len(l))
	for i := range l {
		x := l[i].Of(p)
		if out[i] = quantityCell(l[i].Unit, x); x == 0 && lacks(of, &l[i].Measure, p) {
			out[i] = doc.None
		}
	}
	return out
}

// lacks reports whether a point on a fabric cannot have a quantity.
func lacks(of *protocol.Protocol, m *quantity.Measure, p *results.Point) bool {
	switch m.Name {
	case "message_p50_ps", "message_p99_ps", "message_max_ps":
		return p.Flows.N == 0
	case "credit_stalls":
		return of.Ethernet()
	case "pfc_pauses":
		return !of.NeedsPauses()
	case "ecn_marks":
		return !of.Ethernet()
	case "cnps":
		return !of.CNPs || of.OneSegment
	case "hottest_link_busy":
		return len(p.Hottest) == 0
	}
	return false
}
