package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/study/many"
	"weft/internal/study/plan"
	"weft/units"
)

// Advice is the recommendation with its evidence.
type Advice struct {
	Profile         *Profile
	Prices          *plan.Prices // nil without a price file
	Candidates      []*Candidate // InfiniBand, and the Ethernet product that does best beside it
	Products        []*Product   // all Ethernet products; nil if Ethernet is ruled out
	Verdict         Verdict
	Next            *Candidate // if a fabric is ruled out, the next product, which reasons compare with; nil if there is none
	OverNext        Verdict    // of the choice over it
	Reasons         []Reason   // for the choice, the strongest first, at most three
	Against         []Reason   // in favour of the other fabric
	Counterfactuals []Counterfactual
	Flips           []Flip
	Thumbs          []Thumb
	Needs           []Need
	Generations     []Generation
	Moves           []Move // of a serving job: what to change, the most effective first
	// Partial says that it was interrupted after the verdict: nothing is known of what would change it.
	Partial bool
}

// Reason is a criterion in which one fabric is ahead, with its counterfactuals.
type Reason struct {
	Criterion       string           `json:"criterion"`
	Points          float64          `json:"points"`          // the lead in points
	Range           *[2]float64      `json:"range,omitempty"` // the lead at the ends of ranges that leave open who is ahead
	Text            string           `json:"text"`
	Counterfactuals []Counterfactual `json:"-"`
}

// Options are settings of the caller that do not change the advice.
type Options struct {
	Simulate many.Runner
	Train    Trainer
	Serve    Server
	Workers  int            // cores; 0 is all
	Progress func(Progress) // if not nil, called after each simulation, never concurrently
	// First, if not nil, is called with the advice as soon as it has its verdict; what would change the
	// verdict is simulated after it.
	First func(*Advice)
}

// adviser is the state of making one advice.
type adviser struct {
	bench  *bench
	meter  Meter
	prices *plan.Prices
}

// Make recommends a fabric. If ctx ends after the verdict the advice is partial, and there is no error.
func Make(ctx context.Context, p *Profile, prices *plan.Prices, o Options) (*Advice, error) {
	b := newBench(p, &o)
	a := &adviser{bench: b, meter: b.measure, prices: prices}
	switch job := &p.Design.Job; {
	case job.Training.Given():
		a.meter = b.measureStep
	case job.Serving.Given():
		a.meter = b.measureServing
	}
	candidates, err := designsOf(ctx, p, prices)
	if err != nil {
		return nil, err
	}
	in := &inputs{profile: p, candidates: candidates, costFactor: 1}
	a.expectAll(ctx, in)
	sold, err := a.observeProducts(ctx, in)
	if err := cmp.Or(err, ctx.Err()); err != nil { // a simulation that was stopped has part of its results
		return nil, err
	}
	out := &Advice{Profile: p, Prices: prices, Candidates: in.candidates, Products: sold, Verdict: judge(in), Thumbs: thumbs(p), Needs: needs(p), Generations: generations()}
	if o.First != nil && !in.ruledOut() {
		o.First(out)
	}
	switch err := a.whatIf(ctx, in, out); {
	case ctx.Err() != nil:
		out.Moves, out.Counterfactuals, out.Flips, out.Partial = nil, nil, nil, true
	case err != nil:
		return nil, err
	}
	if in.ruledOut() {
		out.overNext(in)
	}
	out.reasons()
	return out, nil
}

// whatIf measures what would change the verdict.
func (a *adviser) whatIf(ctx context.Context, in *inputs, out *Advice) error {
	var work []func() error
	if in.profile.Design.Job.Serving.Given() {
		work = append(work, func() (err error) {
			out.Moves, err = a.move(ctx, in, out.Verdict)
			return err
		})
	}
	if !in.ruledOut() {
		work = append(work, func() (err error) {
			out.Counterfactuals, err = a.counterfactuals(ctx, in, out.Verdict)
			return err
		}, func() (err error) {
			out.Flips, err = a.flips(ctx, in)
			return err
		})
	}
	return together(work...)
}

// expectAll counts the simulations of an advice, apart from those that another one's result asks
// for.
func (a *adviser) expectAll(ctx context.Context, in *inputs) {
	if in.ruledOut() {
		return // a choice without alternative is soon made
	}
	a.expectDesigns(1)
	for _, x := range changes(in) {
		switch {
		case x.alter != nil:
		case x.recovery:
			a.bench.expect(ofRecovery, sides[x.candidate], mostFaults)
		default:
			a.bench.expect(ofPerformance, sides[x.candidate], 1)
			if !x.keepTail {
				a.bench.expect(ofTail, sides[x.candidate], 1)
			}
		}
	}
	for _, c := range []*course{a.oversubscriptions(ctx, in), a.sizes(ctx, in)} {
		a.expectDesigns(len(c.ends()))
	}
}

// expectDesigns counts the simulations of n designs of each fabric.
func (a *adviser) expectDesigns(n int) {
	for _, kind := range sides {
		a.bench.expect(ofPerformance, kind, n)
		a.bench.expect(ofTail, kind, n)
		a.bench.expect(ofRecovery, kind, mostFaults*n)
	}
}

// ruledOut reports whether there is no choice between the candidates.
func (in *inputs) ruledOut() bool {
	return slices.ContainsFunc(in.candidates, func(c *Candidate) bool { return c.Design == nil })
}

// observe measures the candidates.
func (a *adviser) observe(ctx context.Context, in *inputs) error {
	var designs []*plan.Design
	for _, c := range in.candidates {
		if c.Design != nil {
			designs = append(designs, c.Design)
		}
	}
	nodes, err := plan.ModelNodes(in.profile.Simulate.Nodes, designs[0])
	if err != nil {
		return err
	}
	models, err := plan.ModelsOf(nodes, designs)
	if err != nil {
		return err
	}
	var work []func() error
	for _, c := range in.candidates {
		if c.Design == nil {
			continue
		}
		m := models[slices.Index(designs, c.Design)]
		var slowest, median units.Time
		work = append(work, func() (err error) {
			err = together(func() (err error) {
				c.Performance, err = a.meter(ctx, c.Design, m, nil)
				return err
			}, func() (err error) {
				slowest, median, err = a.bench.tail(ctx, c.Design, m)
				return err
			})
			c.Performance.Slowest, c.Performance.Median = slowest, median
			return err
		}, func() (err error) {
			c.Recovery, err = a.bench.recover(ctx, c.Design, m)
			return err
		})
		c.Reach, c.Makers = reachOf(c.Design), makersOf(c.Kind).only(in.profile.Design.Vendors, c.vendor)
	}
	return together(work...)
}

// observeProducts measures InfiniBand and each Ethernet product, and keeps the best of the products.
func (a *adviser) observeProducts(ctx context.Context, in *inputs) ([]*Product, error) {
	infiniband, plain := in.candidates[0], in.candidates[1]
	if plain.Design == nil {
		return nil, a.observe(ctx, in)
	}
	sold, err := productsOf(ctx, in.profile, plain, a.prices)
	if err != nil {
		return nil, err
	}
	all := &inputs{profile: in.profile, candidates: []*Candidate{infiniband}, costFactor: 1}
	for i, x := range sold {
		if x.Candidate == nil {
			continue
		}
		all.candidates = append(all.candidates, x.Candidate)
		if i > 0 {
			a.bench.expect(ofPerformance, sides[1], 1)
			a.bench.expect(ofTail, sides[1], 1)
			a.bench.expect(ofRecovery, sides[1], mostFaults)
		}
	}
	if err := a.observe(ctx, all); err != nil {
		return nil, err
	}
	in.candidates = []*Candidate{infiniband, best(in, infiniband, sold)}
	return sold, nil
}

// mostReasons is the maximum number of reasons for a choice.
const mostReasons = 3

// overNext compares the choice with the next product that is left.
func (a *Advice) overNext(in *inputs) {
	choice := a.Candidates[a.Verdict.Choice]
	var next *Product
	for _, x := range a.Products {
		if x.Candidate != nil && x.Candidate != choice && (next == nil || x.Lead > next.Lead) {
			next = x
		}
	}
	if next == nil {
		return
	}
	pair := *in
	pair.candidates = []*Candidate{next.Candidate, choice}
	a.Next, a.OverNext = next.Candidate, judge(&pair)
}

// Compared are the candidates that reasons compare, with their verdict: if a fabric is ruled out, the choice and the next product.
func (a *Advice) Compared() ([]*Candidate, Verdict) {
	if a.Next == nil {
		return a.Candidates, a.Verdict
	}
	return []*Candidate{a.Next, a.Candidates[a.Verdict.Choice]}, a.OverNext
}

// leastReason is the lead in points below which a criterion is no reason.
const leastReason = 0.05

// reasons sorts the criteria into reasons for and against the choice.
func (a *Advice) reasons() {
	pair, verdict := a.Compared()
	choice := slices.Index(pair, a.Candidates[a.Verdict.Choice])
	other := 1 - choice
	for _, c := range verdict.Criteria {
		ahead := c.Points[choice] - c.Points[other]
		if math.Abs(ahead) < leastReason {
			continue
		}
		r := Reason{Criterion: c.Name, Points: ahead, Text: fmt.Sprintf("%s: %s; %s: %s", pair[choice].Name(), c.Cells[choice].Text, pair[other].Name(), c.Cells[other].Text)}
		if c.Open() {
			r.Range = &[2]float64{c.Lead[0], c.Lead[1]}
			if ahead > 0 == (choice == 0) { // InfiniBand is ahead
				r.Range = &[2]float64{-c.Lead[1], -c.Lead[0]}
			}
		}
		for _, x := range a.Counterfactuals {
			if x.Criterion == c.Name {
				r.Counterfactuals = append(r.Counterfactuals, x)
			}
		}
		if ahead > 0 {
			a.Reasons = append(a.Reasons, r)
		} else {
			r.Points = -ahead
			a.Against = append(a.Against, r)
		}
	}
	byPoints := func(x, y Reason) int { // sure ones first
		if sure, other := x.Range == nil, y.Range == nil; sure != other {
			if sure {
				return -1
			}
			return 1
		}
		return cmp.Compare(y.Points, x.Points)
	}
	sorting.StableFunc(a.Reasons, byPoints)
	sorting.StableFunc(a.Against, byPoints)
	a.Reasons = a.Reasons[:min(len(a.Reasons), mostReasons)]
}

// Need is a requirement of the profile, and how each fabric meets it.
type Need struct {
	What       string `json:"need"`
	InfiniBand string `json:"infiniband"`
	RoCE       string `json:"roce_v2"`
}

// needs are tenants and separation. Both fabrics can provide them at some cost, so they are listed
// and not weighed.
func needs(p *Profile) []Need {
	o := p.Organisation
	var out []Need
	if o.Tenants > 1 {
		out = append(out, Need{fmt.Sprintf("%d tenants", o.Tenants), "partitions: P_Keys of the Subnet Manager, held by every port", "VLANs and VRFs on every switch"})
	}
	switch o.Separation {
	case Logical:
		out = append(out, Need{"logical separation", "P_Keys and tables, proved by weft audit isolation", "VLANs and VRFs, proved by weft audit isolation"})
	case Physical:
		out = append(out, Need{"physical separation", "planes of their own: another protocol than management's helps to keep them apart", "planes of their own: nothing but cabling keeps Ethernet from Ethernet; weft audit isolation proves it"})
	}
	if o.SharedStorage {
		ports := fmt.Sprintf("%d ports of the leaves are kept free for it (design.spare-ports)", p.Design.SparePorts)
		out = append(out, Need{"storage on the same fabric", ports + "; as a class of its own (service level, virtual lane), behind a gateway", ports + "; as a class of its own (DSCP, priority); examples/convergence.yaml shows what it costs the job"})
	}
	return out
}
