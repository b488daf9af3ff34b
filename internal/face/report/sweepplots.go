package report

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/internal/study/sweep"
	"weft/units"
)

// Bounds of the plots of a sweep: what a reader can tell apart.
const (
	panelsMost = 9
	linesMost  = 6
	placesMost = 24
	dotsMost   = 600 // points of the Pareto plot
	wiresMost  = 400 // lines of the parallel coordinates
)

// subset is lines of a sweep with one value of a factor.
type subset struct {
	name  string
	lines []int // in the analysis
}

// subsetsOf divides lines by a factor; one part without a name if there is no factor.
func subsetsOf(f *sweep.Factor, lines []int) (out []subset) {
	if f == nil {
		return []subset{{"", lines}}
	}
	by := make([]subset, len(f.Values))
	for _, i := range lines {
		p := &by[f.Place(i)]
		p.name = factorText(f, f.Place(i))
		p.lines = append(p.lines, i)
	}
	return slices.DeleteFunc(by, func(p subset) bool { return len(p.lines) == 0 })
}

// factorText is a value of a factor with its name, for a legend.
func factorText(f *sweep.Factor, place int) string {
	if f.Number {
		return f.Name + " " + f.Texts[place]
	}
	return f.Texts[place]
}

// roles are the factors of the small multiples: along the axis, as lines, and a panel each; nil if there is none.
func roles(a *sweep.Analysis) (along, lines, panels *sweep.Factor) {
	take := func(fits func(*sweep.Factor) bool) *sweep.Factor {
		for i := range a.Factor {
			f := &a.Factor[i]
			if f != along && f != lines && f.Name != "seed" && fits(f) {
				return f
			}
		}
		return nil
	}
	few := func(most int) func(*sweep.Factor) bool {
		return func(f *sweep.Factor) bool { return len(f.Values) <= most }
	}
	along = take(func(f *sweep.Factor) bool { return f.Number && len(f.Values) > 2 })
	if along == nil {
		along = take(func(*sweep.Factor) bool { return true })
	}
	if lines = take(func(f *sweep.Factor) bool { return f.Name == "fabric" && len(f.Values) <= linesMost }); lines == nil {
		lines = take(few(linesMost))
	}
	panels = take(few(panelsMost))
	return along, lines, panels
}

// sweepPlots are the small multiples of the time, the Pareto set and the parallel coordinates.
func sweepPlots(a *sweep.Analysis) (out []doc.Section) {
	along, by, panels := roles(a)
	if along == nil {
		return nil
	}
	all, size := largest(a)
	var plots []*plot
	var legend []string
	for _, p := range subsetsOf(by, all) {
		legend = append(legend, p.name)
	}
	for _, panel := range subsetsOf(panels, all) {
		plots = append(plots, panelPlot(a, along, by, panel))
	}
	if by == nil {
		legend = nil
	}
	out = append(out, doc.Section{
		Title: begun(a.Table.Space.Kind.MainText) + ofSize(size), In: doc.Page, Blocks: diagrams(legend, plots...),
		Caption: "The mean over everything else that varies; the bands reach from the fastest to the slowest.",
	})
	if p := paretoPlot(a, all); p != nil {
		out = append(out, doc.Section{
			Title: "Pareto set", In: doc.Page, Blocks: diagrams(nil, p),
			Caption: "Less is better. Filled: no other variant is at least as good in " + a.Table.Space.Kind.Against + ", and better in one." + drawnFrom("dots are the Pareto set and", dotsMost, len(all)),
		})
	}
	return append(out, doc.Section{
		Title: "Parallel coordinates", In: doc.Page, Blocks: []doc.Block{wires(a, all)},
		Caption: "A line is a variant. Its colour is the quarter of the times that it is in, the fastest first." + drawnFrom("lines are", wiresMost, len(all)),
	})
}

// drawnFrom says that a plot shows some of the variants, if it does.
func drawnFrom(what string, most, all int) string {
	if all <= most {
		return ""
	}
	return fmt.Sprintf(" The %s %d variants, drawn at random from %s.", what, most, count(int64(all)))
}

// largest are the lines with the largest size.
func largest(a *sweep.Analysis) (lines []int, size int64) {
	for _, l := range a.Lines {
		size = max(size, l.Bytes)
	}
	for i, l := range a.Lines {
		if l.Bytes == size {
			lines = append(lines, i)
		}
	}
	return lines, size
}

// scaleOf are the places of a factor's values along an axis, and the place of each value. Many values are put together.
func scaleOf(f *sweep.Factor) (axis, []int) {
	n := len(f.Values)
	groups := min(n, placesMost)
	s := axis{f.Name, make([]float64, groups), make([]string, groups)}
	of := make([]int, n)
	for i := range n {
		of[i] = i * groups / n
	}
	for g := range groups {
		s.places[g] = (float64(g) + 0.5) / float64(groups)
		s.labels[g] = f.Texts[(g*n+n/2)/groups]
	}
	return s, of
}

// panelPlot is the time along a factor, a line for each part.
func panelPlot(a *sweep.Analysis, along, by *sweep.Factor, panel subset) *plot {
	s, of := scaleOf(along)
	p := &plot{title: cmp.Or(panel.name, begun(a.Table.Space.Kind.MainText)), note: "less is better", unit: a.Table.Space.Kind.MainText, over: s, format: timeText}
	for k, line := range subsetsOf(by, panel.lines) {
		number := k
		if by != nil {
			number = by.Place(line.lines[0])
		}
		sums, counts := make([]float64, len(s.places)), make([]float64, len(s.places))
		row := series{fabric: number, label: line.name}
		for range s.places {
			row.values, row.low, row.high = append(row.values, math.NaN()), append(row.low, math.Inf(1)), append(row.high, math.Inf(-1))
		}
		for _, i := range line.lines {
			g, t := of[along.Place(i)], a.Lines[i].Time()
			sums[g], counts[g] = sums[g]+t, counts[g]+1
			row.low[g], row.high[g] = min(row.low[g], t), max(row.high[g], t)
			row.values[g] = sums[g] / counts[g]
		}
		for g := range counts {
			if counts[g] == 0 {
				row.low[g], row.high[g] = math.NaN(), math.NaN()
			}
		}
		p.series = append(p.series, row)
	}
	return p
}

// paretoPlot is the tail over the time; nil if one of them does not vary.
func paretoPlot(a *sweep.Analysis, all []int) *plot {
	front := a.Pareto
	lines := slices.Clone(front)
	drawn := sweep.Sample(len(all), dotsMost)
	for _, i := range all {
		if drawn() && !slices.Contains(front, a.Lines[i]) {
			lines = append(lines, a.Lines[i])
		}
	}
	sorting.StableFunc(lines, func(x, y *sweep.Line) int { return cmp.Compare(x.Time(), y.Time()) })
	if lines[0].Time() == lines[len(lines)-1].Time() {
		return nil
	}
	p := &plot{title: "Tail and time", unit: a.Table.Space.Kind.TailText, format: timeText, over: linear(a.Table.Space.Kind.MainText, len(lines),
		func(i int) float64 { return lines[i].Time() }, func(i int) string { return timeText(lines[i].Time()) })}
	on, off := series{label: "Pareto"}, series{label: "dominated", fabric: 1, bare: true}
	for _, l := range lines {
		name := fmt.Sprintf("variant %d, %s", l.Number, variantText(a.Table, l))
		x, y := math.NaN(), l.Tail()
		if slices.Contains(front, l) {
			x, y = y, x
		}
		on.values, off.values = append(on.values, x), append(off.values, y)
		on.names, off.names = append(on.names, name), append(off.names, name)
	}
	on.bare = len(front) < 2
	p.series = []series{off, on}
	return p
}

// wires are the parallel coordinates: an axis for each factor, and the time.
func wires(a *sweep.Analysis, all []int) doc.Figure {
	const height, top, left, right = 320.0, 40.0, 70.0, 90.0
	factors := a.Factor[:min(len(a.Factor), 9)]
	width := left + right + 150*float64(len(factors))
	x := func(k int) float64 { return left + 150*float64(k) }
	y := func(share float64) float64 { return top + (height-2*top)*(1-share) }
	times := make([]float64, len(all))
	for k, i := range all {
		times[k] = a.Lines[i].Time()
	}
	slices.Sort(times)
	least, most := times[0], times[len(times)-1]
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="parallel coordinates">`, width, height)
	drawn := sweep.Sample(len(all), wiresMost)
	for _, i := range all {
		if !drawn() {
			continue
		}
		l := a.Lines[i]
		var d strings.Builder
		for n := range factors {
			f := &factors[n]
			fmt.Fprintf(&d, "%s%s %s", [2]string{"L", "M"}[min(1, 1-min(1, n))], doc.Num(x(n)), doc.Num(y(float64(f.Place(i))/float64(len(f.Values)-1))))
		}
		fmt.Fprintf(&d, "L%s %s", doc.Num(x(len(factors))), doc.Num(y((l.Time()-least)/max(1, most-least))))
		rank, _ := slices.BinarySearch(times, l.Time())
		fmt.Fprintf(&b, `<path class="line s%d" style="stroke-width:1;opacity:.6" d="%s"><title>variant %d, %s: %s</title></path>`,
			rank*4/len(times), d.String(), l.Number, html.EscapeString(variantText(a.Table, l)), html.EscapeString(timeText(l.Time())))
	}
	axis := func(k int, name, low, high string) {
		fmt.Fprintf(&b, `<path class="base" d="M%s %sV%s"/><g class="tick" text-anchor="middle"><text x="%s" y="16">%s</text><text x="%s" y="%s">%s</text><text x="%s" y="%s">%s</text></g>`,
			doc.Num(x(k)), doc.Num(y(1)), doc.Num(y(0)), doc.Num(x(k)), html.EscapeString(doc.Fit(name, 22)),
			doc.Num(x(k)), doc.Num(y(1)-6), html.EscapeString(doc.Fit(high, 16)), doc.Num(x(k)), doc.Num(y(0)+16), html.EscapeString(doc.Fit(low, 16)))
	}
	for n := range factors {
		f := &factors[n]
		axis(n, f.Name, f.Texts[0], f.Texts[len(f.Texts)-1])
	}
	axis(len(factors), a.Table.Space.Kind.MainText, units.Time(least).String(), units.Time(most).String())
	b.WriteString("</svg>")
	return doc.Figure{SVG: template.HTML(b.String())} // built above, texts escaped
}
