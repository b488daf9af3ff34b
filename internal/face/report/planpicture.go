package report

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/internal/sim/protocol"
	"weft/internal/study/plan"
	"weft/scenario"
	"weft/units"
)

// planPlots are the designs' cost, latency and oversubscription over their power, a colour for each
// protocol: the Pareto front is a line, and dominated designs are hollow. Designs with an unknown
// figure are not in its plot.
func planPlots(p *plan.Plan) doc.Section {
	var kinds []scenario.FabricKind
	var legend []string
	for _, d := range p.Designs {
		if !slices.Contains(kinds, d.Kind) {
			kinds = append(kinds, d.Kind)
			legend = append(legend, protocol.Of(d.Kind).Title)
		}
	}
	cost := planPlot{title: "Switches and power", unit: "switches", format: axisNumber, of: func(d *plan.Design) (float64, bool) { return float64(d.Count.TotalSwitches()), true }}
	if p.Prices != nil && !p.Prices.Public {
		cost = planPlot{title: "Cost and power", unit: "cost", format: axisNumber, of: func(d *plan.Design) (float64, bool) {
			return float64(d.Cost.Total().Known) / plan.PerUnit, d.Cost.Total().Complete()
		}}
	}
	var plots []*plot
	for _, x := range []planPlot{cost, {
		title: "Latency and power", unit: "idle latency of the longest path", format: timeText,
		of: func(d *plan.Design) (float64, bool) { return float64(d.Latency.Known), d.Latency.Complete() },
	}, {
		title: "Oversubscription and power", unit: "leaf downlinks over uplinks", format: axisNumber,
		of: func(d *plan.Design) (float64, bool) { return d.Oversubscription.Float(), true },
	}} {
		plots = append(plots, x.over(p.Designs, kinds))
	}
	return doc.Section{
		Title: "Pareto", In: doc.Page, Blocks: diagrams(legend, plots...),
		Caption: "Each design by its power; less of everything is better. Filled and joined by a line: on the Pareto front of its protocol, which weighs further figures too. Hollow: dominated.",
	}
}

// planPlot is a figure of designs.
type planPlot struct {
	title, unit string
	format      func(float64) string
	of          func(*plan.Design) (value float64, known bool)
}

// over is the plot of the figure over power.
func (x planPlot) over(designs []*plan.Design, kinds []scenario.FabricKind) *plot {
	known := slices.DeleteFunc(slices.Clone(designs), func(d *plan.Design) bool {
		_, ok := x.of(d)
		return !ok || !d.Power.Complete()
	})
	sorting.StableFunc(known, func(a, b *plan.Design) int { return int(min(1, max(-1, a.Power.Known-b.Power.Known))) })
	power := func(i int) float64 { return float64(known[i].Power.Known) / float64(units.Kilowatt) }
	p := &plot{
		title: x.title, note: "less is better", unit: x.unit, format: x.format, keys: []doc.Key{{Label: "Pareto front"}},
		over: linear("power", len(known), power, func(i int) string { return fmt.Sprintf("%.3g kW", power(i)) }),
	}
	var names []string
	for _, d := range known {
		names = append(names, d.Name)
	}
	for i, kind := range kinds {
		for _, front := range []bool{false, true} {
			s := series{fabric: i, label: fmt.Sprint(kind), names: names, bare: !front}
			for _, d := range known {
				v := math.NaN()
				if d.Kind == kind && d.Front == front {
					v, _ = x.of(d)
				}
				s.values = append(s.values, v)
			}
			p.series = append(p.series, s)
		}
	}
	return p
}
