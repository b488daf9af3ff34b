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
	// Least and Most are the ends of a value that is known as a range alone; 0 for one that is known. Value is then their
	// middle.
	Least, Most float64
	Known       bool
	// Missing says that parts of the number are not known, and have a bound alone.
	Missing bool
	Basis   string // simulated, computed by plan, catalog, assumption
}

// exact is a cell of one value.
func exact(text string, value float64, known bool, basis string) Cell {
	return Cell{Text: text, Value: value, Known: known, Basis: basis}
}

// ranged is a cell of a value between two bounds.
func ranged(text string, least, most float64, basis string) Cell {
	if most-least <= tie*most {
		return Cell{Text: text, Value: most, Known: most > 0, Basis: basis}
	}
	return Cell{Text: text, Value: (least + most) / 2, Least: least, Most: most, Known: true, Basis: basis}
}

// missing is the cell with parts that are not known.
func (c Cell) missing(are bool) Cell {
	c.Missing = are && c.Most > 0
	return c
}

// ends are the least and the most of a value.
func (c *Cell) ends() (least, most float64) {
	if c.Most == 0 {
		return c.Value, c.Value
	}
	return c.Least, c.Most
}

// Criterion is one row of the table: the value and the points of each fabric.
type Criterion struct {
	Name   string
	Weight int
	Cells  [2]Cell
	Scored bool
	Points [2]float64 // of a range the mean
	// Lead is the lead of the second fabric at the ends of the ranges: the least and the most.
	Lead [2]float64
	Note string // why it is not scored, or what it compares
}

// Verdict is the table with the choice.
type Verdict struct {
	Criteria []Criterion
	Points   [2]float64
	Choice   int  // index of the candidate
	Tie      bool // the lead is too small to be one
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

// lead is the lead of the Ethernet product in points.
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
		if !in.ruledOut() {
			c.score(r.more)
		}
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
	v.Tie = in.candidates[0].Design != nil && in.candidates[1].Design != nil && math.Abs(v.lead()) <= tie*in.profile.Weights.sum()
	return v
}

// score gives the points: the full weight to the better number, and to the other the ratio of the
// two. Sums of effort, which may be 0, are increased by one first. Of a range it is the mean over the
// range; if parts are not known and can turn the lead, neither has one.
func (c *Criterion) score(more bool) {
	a, b := &c.Cells[0], &c.Cells[1]
	if !a.Known || !b.Known {
		c.Note = "not scored: a number is not known"
		return
	}
	c.Scored = true
	n := 0.0
	for _, x := range a.grid() {
		for _, y := range b.grid() {
			p := pointsOf(float64(c.Weight), x, y, more)
			c.Points[0], c.Points[1] = c.Points[0]+p[0], c.Points[1]+p[1]
			lead := p[1] - p[0]
			if n == 0 {
				c.Lead = [2]float64{lead, lead}
			}
			c.Lead = [2]float64{min(c.Lead[0], lead), max(c.Lead[1], lead)}
			n++
		}
	}
	c.Points[0], c.Points[1] = c.Points[0]/n, c.Points[1]/n
	if c.Open() && (a.Missing || b.Missing) {
		mean := (c.Points[0] + c.Points[1]) / 2
		c.Points = [2]float64{mean, mean}
		c.Note = fmt.Sprintf("no lead, since parts are not known: Ethernet's is from %+.1f to %+.1f points", c.Lead[0], c.Lead[1])
	}
}

// Open reports whether the ranges leave open which fabric is ahead.
func (c *Criterion) Open() bool { return c.Lead[0] < 0 && c.Lead[1] > 0 }

// grid are values over the range of a cell, its ends among them.
func (c *Cell) grid() (out []float64) {
	const steps = 16
	least, most := c.ends()
	if least == most {
		return []float64{least}
	}
	for i := range steps + 1 {
		out = append(out, least+(most-least)*float64(i)/steps)
	}
	return out
}

// pointsOf divides a weight by two numbers.
func pointsOf(weight, a, b float64, more bool) (out [2]float64) {
	best := min(a, b)
	if more {
		best = max(a, b)
	}
	for i, x := range []float64{a, b} {
		share := 1.0
		if x != best && math.Abs(a-b) > tie*math.Max(a, b) { // the best may be 0
			if share = best / x; more {
				share = x / best
			}
		}
		out[i] = weight * share
	}
	return out
}

func performanceCell(_ *inputs, c *Candidate) Cell {
	if s := c.Performance.Step; s != nil {
		text := fmt.Sprintf("%s: %s, %.1f %% of it communication that nothing hides, MFU %.1f %%", c.Performance.What, s.Time, 100*s.Exposed, 100*s.MFU)
		return exact(text, float64(s.Time), s.Time > 0, "simulated, "+c.Performance.Model.Text())
	}
	if s := c.Performance.Serving; s != nil {
		return exact(c.Performance.What+" "+s.text(), s.seconds(), true, "simulated, "+c.Performance.Model.Text())
	}
	var parts []string
	for _, t := range c.Performance.Times {
		parts = append(parts, fmt.Sprintf("%s: %s", t.Bytes, t.Time))
	}
	g := c.Performance.geometric()
	return exact(c.Performance.What+" "+strings.Join(parts, ", "), g, g > 0, "simulated, "+c.Performance.Model.Text())
}

func tailCell(_ *inputs, c *Candidate) Cell {
	p := c.Performance
	return exact(fmt.Sprintf("slowest message of a permutation %s, median %s", p.Slowest, p.Median), float64(p.Slowest), p.Slowest > 0, "simulated, "+p.Model.Text())
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
	return exact(text, float64(min(c.Reach, needed)), true, "computed by plan")
}

// unsure is the factor by which times of recovery may be shorter or longer: the times of control planes are mostly
// assumptions.
const unsure = 2

// leastRecovery is the shortest time that counts: a fabric that has other ways at once is not infinitely better.
const leastRecovery = units.Microsecond

// recoveryCell is the time without a way. Without a link between switches nothing waits for a control plane.
func recoveryCell(_ *inputs, c *Candidate) Cell {
	r := c.Recovery
	if r == nil {
		return Cell{Text: "nothing to mend: no link between switches", Value: float64(leastRecovery), Known: true, Basis: "computed by plan"}
	}
	var parts []string
	for _, b := range r.Broken {
		parts = append(parts, fmt.Sprintf("%s %s (%s)", b.What, b.Open, b.How))
	}
	text := fmt.Sprintf("time until all ways are open, by %s: %s; from half to twice", r.Plane, strings.Join(parts, ", "))
	slowest := float64(max(leastRecovery, r.Slowest()))
	return ranged(text, max(float64(leastRecovery), slowest/unsure), slowest*unsure, "simulated, "+r.Model.Text())
}

func operationCell(in *inputs, c *Candidate) Cell {
	all := effortOf(in.profile, c)
	sum := effortSum(all)
	var parts []string
	for _, e := range all {
		parts = append(parts, fmt.Sprintf("%+g %s", e.Points, e.Why))
	}
	text := fmt.Sprintf("effort %g", sum)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, "; ")
	}
	return exact(text, 1+sum, true, "assumption: points of the profile")
}

// costCell is money by the user's prices, or by public ones.
func costCell(in *inputs, c *Candidate) Cell {
	factor, cost := 1.0, c.Design.Cost
	if !protocol.Of(c.Kind).Ethernet() {
		factor = in.costFactor
		if cost.Public {
			factor *= in.profile.PriceRatio.Float()
		}
	}
	basis := "computed by plan, your prices"
	if cost.Public {
		basis = "computed by plan, public prices"
	}
	total := cost.Total()
	text := total.Text(cost.Text) + factorText(factor)
	if m := total.MissingText(); m != "" {
		text += " (" + m + ")"
	}
	if !total.Bounded() {
		return Cell{Text: text, Basis: basis}
	}
	return ranged(text, float64(total.Known)*factor, float64(total.Most())*factor, basis).missing(len(total.Missing) > 0)
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
	basis := "computed by plan, softest source " + string(sum.Softest)
	if !in.noOptics {
		if !sum.Bounded() {
			return Cell{Text: text, Basis: basis}
		}
		return ranged(text, float64(sum.Known), float64(sum.Most()), basis).missing(len(sum.Missing) > 0)
	}
	least, most := int64(0), int64(0)
	for _, l := range c.Design.Bill {
		if l.Kind == "switch" || l.Kind == "nic" {
			low, high := l.Power.Range()
			least += low * int64(l.Quantity)
			most += high * int64(l.Quantity)
		}
	}
	return ranged(units.Power(least).String()+" without transceivers", float64(least), float64(most), basis).missing(len(sum.Missing) > 0)
}

// vendorCell is the number of makers of switches; it does not count if one maker is enough.
func vendorCell(in *inputs, c *Candidate) Cell {
	n := float64(len(c.Makers.Switches))
	text := c.Makers.Text()
	if in.profile.Organisation.Vendors == OneVendor {
		return exact(text, 1, true, "catalog; one maker is fine by the profile")
	}
	return exact(text, n, n > 0, "catalog")
}
