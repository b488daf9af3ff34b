package advise

import (
	"context"
	"fmt"
	"slices"

	"weft/scenario"
)

// Counterfactual is the same comparison with one change.
type Counterfactual struct {
	Criterion string
	Change    string
	Before    [2]string // the cells of the criterion
	After     [2]string
	Points    [2]float64 // total of each fabric after the change
	Gap       [2]float64 // lead of the choice in the criterion, before and after, in points
	Flips     bool       // the change flips the choice
}

// change is a change of the inputs, with its name.
type change struct {
	criterion string
	name      string
	// candidate is the candidate whose runs are repeated with set; -1 for none.
	candidate int
	set       []scenario.Override
	recovery  bool
	keepTail  bool // it concerns only the workload: the permutation stays
	// alter changes the inputs instead.
	alter func(*inputs)
}

// changes are the counterfactuals of a pair of candidates, InfiniBand first. There is at least one
// for each criterion.
func changes(in *inputs) []change {
	ib, roce := in.candidates[0].Design, in.candidates[1].Design
	over := func(path, value string) []scenario.Override {
		return []scenario.Override{{Path: path, Value: value, Origin: "the counterfactual"}}
	}
	ethernet := in.candidates[1].Name()
	latency := ib.Resolved.Fabrics[0].Switch.Latency
	var out []change
	if in.candidates[1].Performance.Step != nil {
		out = stepChanges(over)
	}
	return append(out, []change{
		{criterion: "performance", name: fmt.Sprintf("%s on a switch of %s, as InfiniBand's, in place of %s", ethernet, latency, roce.Resolved.Fabrics[0].Switch.Latency), candidate: 1, set: over("fabrics[0].switch.latency", latency.Exact())},
		{criterion: "performance", name: ethernet + " without congestion control", candidate: 1, set: over("fabrics[0].cc", "none")},
		{criterion: "tail", name: ethernet + " with packet spraying", candidate: 1, set: over("fabrics[0].routing.mode", "spray")},
		{criterion: "tail", name: "InfiniBand with fixed routes in place of adaptive ones", candidate: 0, set: over("fabrics[0].routing.mode", "deterministic")},
		{criterion: "scale", name: fmt.Sprintf("InfiniBand on switches of %d ports", roce.Radix), candidate: -1, alter: func(x *inputs) { x.candidates[0].widen(roce.Radix) }},
		{criterion: "fault recovery", name: "InfiniBand with fixed routes in place of adaptive ones: every switch waits for the Subnet Manager", candidate: 0, recovery: true, set: over("fabrics[0].routing.mode", "deterministic")},
		{criterion: "fault recovery", name: "BGP that handles an update in 1 ms in place of 10 ms", candidate: 1, recovery: true, set: over("control.bgp.update", "1ms")},
		{criterion: "operation", name: "a team that knows both protocols well", candidate: -1, alter: func(x *inputs) { x.profile.Organisation.Skills = Skills{Expert, Expert} }},
		{criterion: "cost", name: "InfiniBand 1.5 times as dear", candidate: -1, alter: func(x *inputs) { x.costFactor *= 1.5 }},
		{criterion: "power", name: "links that need no transceivers", candidate: -1, alter: func(x *inputs) { x.noOptics = true }},
		{criterion: "vendor ecosystem", name: "the other policy of vendors", candidate: -1, alter: otherPolicy},
	}...)
}

// stepChanges are counterfactuals of a training step. Most of its collectives are rings between
// neighbours of a rail; its pipeline and its experts cause the collisions.
func stepChanges(over func(path, value string) []scenario.Override) []change {
	return []change{
		{criterion: "performance", name: "the step's packets sprayed in place of ECMP on RoCE v2, the permutation's not", candidate: 1, keepTail: true, set: over("fabrics[0].routing.mode", "spray")},
		{criterion: "performance", name: "RoCE v2 with gradients and parameters sent while nothing is computed", candidate: 1, set: append(over("training.overlap.gradients", "false"), over("training.overlap.parameters", "false")...)},
	}
}

// widen gives the design switches with more ports; their other properties are unknown.
func (c *Candidate) widen(radix int) {
	d := *c.Design
	d.Radix, d.Growth = radix, nil
	c.Design, c.Reach = &d, reachOf(&d)
}

func otherPolicy(x *inputs) {
	if x.profile.Organisation.Vendors == OneVendor {
		x.profile.Organisation.Vendors = SeveralVendors
	} else {
		x.profile.Organisation.Vendors = OneVendor
	}
}

// copied is a copy of the inputs; counterfactuals may change it.
func (in *inputs) copied() *inputs {
	out := *in
	profile := *in.profile
	out.profile = &profile
	out.candidates = nil
	for _, c := range in.candidates {
		own := *c
		out.candidates = append(out.candidates, &own)
	}
	return &out
}

// tried are the changes whose effect is measured.
func tried(in *inputs) []change {
	return slices.DeleteFunc(changes(in), func(x change) bool {
		return x.recovery && in.candidates[x.candidate].Recovery == nil
	})
}

// counterfactuals applies the changes one at a time.
func (a *adviser) counterfactuals(ctx context.Context, in *inputs, before Verdict) ([]Counterfactual, error) {
	all := tried(in)
	out, work := make([]Counterfactual, len(all)), make([]func() error, len(all))
	for i, x := range all {
		work[i] = func() error {
			after, err := a.changed(ctx, in, x)
			if err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
			out[i] = compared(x, before, judge(after))
			return nil
		}
	}
	return out, together(work...)
}

// changed is the inputs with one change.
func (a *adviser) changed(ctx context.Context, in *inputs, x change) (after *inputs, err error) {
	after = in.copied()
	if x.alter != nil {
		x.alter(after)
		return after, nil
	}
	c := after.candidates[x.candidate]
	if x.recovery {
		c.Recovery, err = a.bench.recover(ctx, c.Design, c.Performance.Model, x.set...)
		return after, err
	}
	was := c.Performance
	if c.Performance, err = a.meter(ctx, c.Design, was.Model, &was, x.set...); err != nil {
		return nil, err
	}
	c.Performance.Slowest, c.Performance.Median = was.Slowest, was.Median
	if !x.keepTail {
		c.Performance.Slowest, c.Performance.Median, err = a.bench.tail(ctx, c.Design, was.Model, x.set...)
	}
	return after, err
}

func compared(x change, before, after Verdict) Counterfactual {
	i := slices.IndexFunc(before.Criteria, func(c Criterion) bool { return c.Name == x.criterion })
	b, c := before.Criteria[i], after.Criteria[i]
	out := Counterfactual{Criterion: x.criterion, Change: x.name, Points: after.Points, Flips: after.Choice != before.Choice}
	for k := range 2 {
		out.Before[k], out.After[k] = b.Cells[k].Text, c.Cells[k].Text
	}
	choice, other := before.Choice, 1-before.Choice
	out.Gap = [2]float64{b.Points[choice] - b.Points[other], c.Points[choice] - c.Points[other]}
	return out
}
