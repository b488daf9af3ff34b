package advise

import (
	"fmt"
	"math"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/sim/protocol"
	"weft/internal/study/plan"
	"weft/units"
)

// Cell is the value of a criterion for a fabric, with its source.
type Cell struct {
	Text  string
	Value float64
	Known bool
	Basis string // simulated, computed by plan, catalog, assumption
}

// Criterion is one row of the table: the value and the points of each fabric.
type Criterion struct {
	Name   string
	Weight int
	Cells  [2]Cell
	Scored bool
	Points [2]float64
	Note   string // why it is not scored, or what it compares
}

// Verdict is the table with the choice.
type Verdict struct {
	Criteria []Criterion
	Points   [2]float64
	Choice   int // index of the candidate
	Tie      bool
}

// inputs are the inputs of a verdict. A counterfactual changes one of them.
type inputs struct {
	profile    *Profile
	candidates []*Candidate
	// costFactor multiplies InfiniBand's cost, and noOptics leaves transceivers out of the power.
	costFactor float64
	noOptics   bool
}

// tie is the relative difference up to which two numbers count as equal, as in weft compare.
const tie = 0.02

// lead is the lead of RoCE v2 in points.
func (v Verdict) lead() float64 { return v.Points[1] - v.Points[0] }

// rule is the comparison of the fabrics by a criterion.
type rule struct {
	name   string
	weight func(*Weights) *int
	more   bool // a larger number is better
	of     func(*inputs, *Candidate) Cell
}

// rules are the criteria, in the order of the table.
var rules = []rule{
	{"performance", func(w *Weights) *int { return &w.Performance }, false, performanceCell},
	{"tail", func(w *Weights) *int { return &w.Tail }, false, tailCell},
	{"scale", func(w *Weights) *int { return &w.Scale }, true, scaleCell},
	{"fault recovery", func(w *Weights) *int { return &w.Recovery }, false, recoveryCell},
	{"operation", func(w *Weights) *int { return &w.Operation }, false, operationCell},
	{"cost", func(w *Weights) *int { return &w.Cost }, false, costCell},
	{"power", func(w *Weights) *int { return &w.Power }, false, powerCell},
	{"vendor ecosystem", func(w *Weights) *int { return &w.Vendors }, true, vendorCell},
}

// judge makes the verdict of inputs.
func judge(in *inputs) Verdict {
	var v Verdict
	for _, r := range rules {
		c := Criterion{Name: r.name, Weight: *r.weight(&in.profile.Weights)}
		for i, candidate := range in.candidates {
			if candidate.Design == nil {
				c.Cells[i] = Cell{Text: "ruled out"}
				continue
			}
			c.Cells[i] = r.of(in, candidate)
		}
		c.score(r.more)
		v.Points[0] += c.Points[0]
		v.Points[1] += c.Points[1]
		v.Criteria = append(v.Criteria, c)
	}
	switch {
	case in.candidates[0].Design == nil:
		v.Choice = 1
	case in.candidates[1].Design == nil:
		v.Choice = 0
	case v.lead() > 0:
		v.Choice = 1
	}
	v.Tie = v.lead() == 0
	return v
}

// score gives the points: the full weight to the better number, and to the other the ratio of the
// two. Sums of effort, which may be 0, are increased by one first.
func (c *Criterion) score(more bool) {
	a, b := c.Cells[0], c.Cells[1]
	if !a.Known || !b.Known {
		c.Note = "not scored: a number is not known"
		return
	}
	c.Scored = true
	best := min(a.Value, b.Value)
	if more {
		best = max(a.Value, b.Value)
	}
	for i, x := range []float64{a.Value, b.Value} {
		share := best / x
		if more {
			share = x / best
		}
		if math.Abs(a.Value-b.Value) <= tie*math.Max(a.Value, b.Value) {
			share = 1
		}
		c.Points[i] = float64(c.Weight) * share
	}
}

func performanceCell(_ *inputs, c *Candidate) Cell {
	if s := c.Performance.Step; s != nil {
		text := fmt.Sprintf("%s: %s, %.1f %% of it communication that nothing hides, MFU %.1f %%", c.Performance.What, s.Time, 100*s.Exposed, 100*s.MFU)
		return Cell{text, float64(s.Time), s.Time > 0, "simulated, " + c.Performance.Model.Text()}
	}
	if s := c.Performance.Serving; s != nil {
		return Cell{c.Performance.What + " " + s.text(), s.seconds(), true, "simulated, " + c.Performance.Model.Text()}
	}
	var parts []string
	for _, t := range c.Performance.Times {
		parts = append(parts, fmt.Sprintf("%s: %s", t.Bytes, t.Time))
	}
	g := c.Performance.geometric()
	return Cell{c.Performance.What + " " + strings.Join(parts, ", "), g, g > 0, "simulated, " + c.Performance.Model.Text()}
}

func tailCell(_ *inputs, c *Candidate) Cell {
	p := c.Performance
	return Cell{fmt.Sprintf("slowest message of a permutation %s, median %s", p.Slowest, p.Median), float64(p.Slowest), p.Slowest > 0, "simulated, " + p.Model.Text()}
}

// scaleCell is the number of NICs that two levels reach, up to the number needed.
func scaleCell(in *inputs, c *Candidate) Cell {
	d := c.Design
	needed := d.Count.Endpoints
	if later := in.profile.Design.Later; later > in.profile.Design.GPUs {
		needed = d.Count.Endpoints * later / in.profile.Design.GPUs
	}
	text := fmt.Sprintf("two levels of %d-port switches reach %d NICs at %d:%d; %d are needed", d.Radix, c.Reach, d.Oversubscription.Num, d.Oversubscription.Den, needed)
	if g := d.Growth; g != nil {
		switch {
		case g.Problem != "":
			text += "; cannot grow: " + g.Problem
		default:
			text += fmt.Sprintf("; %s in %s then", wording.Counted(g.Count.TotalSwitches(), "switch", "switches"), wording.Counted(g.Levels, "level", "levels"))
		}
	}
	return Cell{text, float64(min(c.Reach, needed)), true, "computed by plan"}
}

func recoveryCell(_ *inputs, c *Candidate) Cell {
	r := c.Recovery
	if r == nil {
		return Cell{Text: "nothing to mend: no link between switches"}
	}
	var parts []string
	for _, b := range r.Broken {
		parts = append(parts, fmt.Sprintf("%s %s (%s)", b.What, b.Open, b.How))
	}
	return Cell{
		fmt.Sprintf("time until all ways are open, by %s: %s", r.Plane, strings.Join(parts, ", ")),
		float64(r.Slowest()), r.Slowest() > 0, "simulated, " + r.Model.Text(),
	}
}

func operationCell(in *inputs, c *Candidate) Cell {
	all := effortOf(in.profile, c.Design)
	sum := effortSum(all)
	var parts []string
	for _, e := range all {
		parts = append(parts, fmt.Sprintf("%+g %s", e.Points, e.Why))
	}
	text := fmt.Sprintf("effort %g", sum)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, "; ")
	}
	return Cell{text, 1 + sum, true, "assumption: points of the profile"}
}

// costCell is money by the user's prices, or ports weighted by the price ratio.
func costCell(in *inputs, c *Candidate) Cell {
	factor := 1.0
	if !protocol.Of(c.Kind).Ethernet() {
		factor = in.costFactor
	}
	if cost := c.Design.Cost; cost != nil {
		total := cost.Total()
		text := total.Text(cost.Text) + factorText(factor)
		if m := total.MissingText(); m != "" {
			text += " (" + m + ")"
		}
		return Cell{text, float64(total.Known) * factor, total.Complete(), "computed by plan, your prices"}
	}
	ratio := 1.0
	if !protocol.Of(c.Kind).Ethernet() {
		ratio = in.profile.PriceRatio.Float()
	}
	ports := c.Design.Count.PortsUsed
	text := fmt.Sprintf("%s, %d ports in use, %d NICs", wording.Counted(c.Design.Count.TotalSwitches(), "switch", "switches"), ports, c.Design.Count.Endpoints)
	if ratio != 1 {
		text += fmt.Sprintf("; a port weighs %g", ratio)
	}
	text += factorText(factor)
	return Cell{text, float64(ports) * ratio * factor, true, "computed by plan, no prices"}
}

// factorText states that a cost is multiplied.
func factorText(factor float64) string {
	if factor == 1 {
		return ""
	}
	return fmt.Sprintf(", %g times as dear", factor)
}

func powerCell(in *inputs, c *Candidate) Cell {
	sum := c.Design.Power
	text := sum.Text(plan.PowerText)
	if m := sum.MissingText(); m != "" {
		text += " (" + m + ")"
	}
	value := float64(sum.Known)
	if in.noOptics {
		value = 0
		for _, l := range c.Design.Bill {
			if l.Kind == "switch" || l.Kind == "nic" {
				value += float64(l.Power.Value * int64(l.Quantity))
			}
		}
		text = units.Power(value).String() + " without transceivers"
	}
	return Cell{text, value, sum.Complete(), "computed by plan, softest source " + string(sum.Softest)}
}

// vendorCell is the number of makers of switches; it does not count if one maker is enough.
func vendorCell(in *inputs, c *Candidate) Cell {
	n := float64(len(c.Makers.Switches))
	text := c.Makers.Text()
	if in.profile.Organisation.Vendors == OneVendor {
		return Cell{text, 1, true, "catalog; one maker is fine by the profile"}
	}
	return Cell{text, n, n > 0, "catalog"}
}
