package advise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"weft/internal/base/cores"
	"weft/internal/sim/protocol"
	"weft/internal/study/plan"
	"weft/scenario"
)

// Flip is the set of points where the choice changes as one input changes.
type Flip struct {
	What string `json:"what"` // price of InfiniBand over RoCE v2, …
	Now  string `json:"now"`
	From string `json:"from"` // From and To are the range that was searched
	To   string `json:"to"`
	// Leads are the leads of the present choice in points: at From, now and at To.
	Leads [3]float64 `json:"lead_from_now_to"`
	Tried int        `json:"points_tried"` // points that were computed
	Turns []Turn     `json:"turns"`        // never nil
	Note  string     `json:"note,omitempty"`
}

// Turn is one place where the choice changes, between two neighbouring points: seen from now, And
// is the farther one.
type Turn struct {
	Between string `json:"between"`
	And     string `json:"and"`
	Choice  string `json:"choice"` // at And
}

// course is a row of points with the verdict of each, computed on demand.
type course struct {
	what        string
	none        string // why nothing is searched; there are no points then
	points, now int
	name        func(int) string
	verdict     func(int) (Verdict, error)
	expect      func(n int) // if not nil, called before verdicts of n points are asked for, or with −1
	done        map[int]Verdict
	failed      map[int]error
}

func (c *course) at(i int) (Verdict, error) {
	if v, ok := c.done[i]; ok || c.failed[i] != nil {
		return v, c.failed[i]
	}
	v, err := c.verdict(i)
	c.keep(i, v, err)
	return v, err
}

func (c *course) keep(i int, v Verdict, err error) {
	if err == nil {
		c.done[i] = v
		return
	}
	c.failed[i] = err
	if c.expect != nil {
		c.expect(-1)
	}
}

// ends are the first and the last point, apart from now.
func (c *course) ends() (out []int) {
	for _, i := range []int{0, c.points - 1} {
		if c.none == "" && i != c.now && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// reachEnds computes the verdicts of both ends at the same time.
func (c *course) reachEnds() {
	ends := c.ends()
	verdicts, errs := make([]Verdict, len(ends)), make([]error, len(ends))
	cores.Each(len(ends), len(ends), func(k int) { verdicts[k], errs[k] = c.verdict(ends[k]) })
	for k, i := range ends {
		c.keep(i, verdicts[k], errs[k])
	}
}

// search fills in a flip: if all is set, from every point, otherwise by bisection between now and
// each end with another choice.
func (c *course) search(what string, all bool) (Flip, error) {
	c.done, c.failed = map[int]Verdict{}, map[int]error{}
	if !all {
		c.reachEnds()
	}
	f := Flip{What: what, Now: c.name(c.now), From: c.name(0), To: c.name(c.points - 1), Turns: []Turn{}}
	err := c.leads(&f)
	switch {
	case err != nil:
	case all:
		err = c.scan(&f)
	default:
		err = errors.Join(c.bisect(&f, 0), c.bisect(&f, c.points-1))
	}
	f.Tried = len(c.done)
	return f, err
}

func (c *course) leads(f *Flip) error {
	here, err := c.at(c.now)
	if err != nil {
		return err
	}
	for k, i := range []int{0, c.now, c.points - 1} {
		v, err := c.at(i)
		if err != nil {
			return err
		}
		f.Leads[k] = v.Points[here.Choice] - v.Points[1-here.Choice]
	}
	return nil
}

func (c *course) scan(f *Flip) error {
	for i := range c.points - 1 {
		a, err1 := c.at(i)
		b, err2 := c.at(i + 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		switch {
		case a.Choice == b.Choice:
		case i < c.now: // seen from now, as in bisection
			f.Turns = append(f.Turns, Turn{c.name(i + 1), c.name(i), names[a.Choice]})
		default:
			f.Turns = append(f.Turns, Turn{c.name(i), c.name(i + 1), names[b.Choice]})
		}
	}
	return nil
}

func (c *course) bisect(f *Flip, end int) error {
	here, err1 := c.at(c.now)
	there, err2 := c.at(end)
	if err := errors.Join(err1, err2); err != nil || here.Choice == there.Choice {
		return err
	}
	same, other := c.now, end
	for abs(same-other) > 1 {
		middle := (same + other) / 2
		if c.expect != nil {
			c.expect(1)
		}
		v, err := c.at(middle)
		if err != nil {
			return err
		}
		if v.Choice == here.Choice {
			same = middle
		} else {
			other = middle
		}
	}
	f.Turns = append(f.Turns, Turn{c.name(same), c.name(other), names[c.done[other].Choice]})
	return nil
}

// names are the names of the candidates, in their order.
var names = [2]string{protocol.Of(sides[0]).Title, protocol.Of(sides[1]).Title}

func abs(x int) int { return max(x, -x) }

// flips searches for the points where the choice turns.
func (a *adviser) flips(ctx context.Context, in *inputs) ([]Flip, error) {
	searches := []func() (Flip, error){
		func() (Flip, error) { return flipPrice(in) },
		func() (Flip, error) { return flipSkill(in) },
		func() (Flip, error) { return a.oversubscriptions(ctx, in).flip() },
		func() (Flip, error) { return a.sizes(ctx, in).flip() },
	}
	out, work := make([]Flip, len(searches)), make([]func() error, len(searches))
	for i, search := range searches {
		work[i] = func() (err error) {
			out[i], err = search()
			return err
		}
	}
	if err := together(work...); err != nil {
		return nil, err
	}
	weights, err := flipWeights(in)
	return append(out, weights...), err
}

// The searched prices: from a quarter to four times InfiniBand's assumed cost, in hundredths.
const (
	leastPrice = 25
	mostPrice  = 400
)

func flipPrice(in *inputs) (Flip, error) {
	factor := func(i int) float64 { return float64(leastPrice+i) / 100 }
	c := course{
		points: mostPrice - leastPrice + 1, now: 100 - leastPrice,
		name: func(i int) string { return fmt.Sprintf("%.2f×", factor(i)) },
		verdict: func(i int) (Verdict, error) {
			x := in.copied()
			x.costFactor *= factor(i)
			return judge(x), nil
		},
	}
	return c.search("what InfiniBand costs, over what it is taken to cost now", true)
}

// mostWeight is the largest searched weight: the sum of all default ones.
const mostWeight = 100

// flipWeights are the weights at which the choice turns, for the criteria whose weight alone can
// turn it.
func flipWeights(in *inputs) (out []Flip, err error) {
	for _, r := range rules {
		own := *r.weight(&in.profile.Weights)
		c := course{
			points: max(mostWeight, own) + 1, now: own, name: strconv.Itoa,
			verdict: func(i int) (Verdict, error) {
				x := in.copied()
				*r.weight(&x.profile.Weights) = i
				return judge(x), nil
			},
		}
		f, err := c.search("weight of "+r.name, true)
		if err != nil {
			return nil, err
		}
		if len(f.Turns) > 0 {
			out = append(out, f)
		}
	}
	return out, nil
}

// skillLevels are the searched pairs of skills: from a team that knows only InfiniBand to a team
// that knows only Ethernet.
var skillLevels = []Skills{{Expert, NoSkill}, {Expert, SomeSkill}, {Expert, Expert}, {SomeSkill, SomeSkill}, {SomeSkill, Expert}, {NoSkill, Expert}}

func flipSkill(in *inputs) (Flip, error) {
	own := in.profile.Organisation.Skills
	levels := skillLevels
	if !slices.Contains(levels, own) {
		levels = append([]Skills{own}, levels...)
	}
	c := course{
		points: len(levels), now: slices.Index(levels, own),
		name: func(i int) string {
			return fmt.Sprintf("%s/%s", levels[i].InfiniBand, levels[i].Ethernet)
		},
		verdict: func(i int) (Verdict, error) {
			x := in.copied()
			x.profile.Organisation.Skills = levels[i]
			return judge(x), nil
		},
	}
	return c.search("skills of the team in InfiniBand/Ethernet", true)
}

// searched are the searched oversubscriptions.
var searched = []scenario.Ratio{{Num: 1, Den: 1}, {Num: 2, Den: 1}, {Num: 4, Den: 1}, {Num: 8, Den: 1}}

// oversubscriptions is the course of designs with other oversubscriptions.
func (a *adviser) oversubscriptions(ctx context.Context, in *inputs) *course {
	name := func(r scenario.Ratio) string { return fmt.Sprintf("%d:%d", r.Num, r.Den) }
	now := in.candidates[0].Design.Oversubscription
	c := &course{what: "oversubscription", name: func(int) string { return name(now) }}
	at := slices.Index(searched, now)
	switch {
	case in.profile.Design.Job.Serving.Given():
		c.none = "not searched with a serving job: set design.max-oversubscription to try one"
		return c
	case at < 0 || in.candidates[1].Design.Oversubscription != now:
		c.none = "not searched: the designs do not share one of " + name(searched[0]) + " to " + name(searched[len(searched)-1])
		return c
	}
	c.expect = a.expectDesigns
	c.points, c.now, c.name = len(searched), at, func(i int) string { return name(searched[i]) }
	c.verdict = func(i int) (Verdict, error) {
		if i == at {
			return judge(in), nil
		}
		return a.elsewhere(ctx, in, func(r *plan.Request) { r.Oversubscription = searched[i] }, searched[i])
	}
	return c
}

// sizes is the course of designs for other numbers of GPUs.
func (a *adviser) sizes(ctx context.Context, in *inputs) *course {
	if in.profile.Design.Job.Serving.Given() {
		return &course{
			what: "size", name: func(int) string { return fmt.Sprintf("%d GPUs", in.profile.Design.GPUs) },
			none: "not searched: the serving job is for these nodes",
		}
	}
	nodes := in.candidates[0].Design.Count.Nodes
	gpus := in.profile.Design.GPUs / nodes
	sizes := []int{nodes}
	job := in.profile.Design.Job.Training
	for n := 4; n*gpus <= in.profile.Simulate.Largest; n *= 4 {
		if _, err := job.Grown(in.profile.Design.GPUs, n*gpus); n != nodes && (!job.Given() || err == nil) {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	at := slices.Index(sizes, nodes)
	return &course{
		what: "size (budgets and growth left out)", points: len(sizes), now: at, expect: a.expectDesigns,
		name: func(i int) string { return fmt.Sprintf("%d GPUs", sizes[i]*gpus) },
		verdict: func(i int) (Verdict, error) {
			if i == at {
				return judge(in), nil
			}
			return a.elsewhere(ctx, in, func(r *plan.Request) {
				r.GPUs, r.Later, r.Levels, r.MaxSwitches, r.Power, r.Cost = sizes[i]*gpus, 0, 3, 0, 0, 0
				if job.Given() {
					r.Job.Training, _ = job.Grown(in.profile.Design.GPUs, r.GPUs) // the search has only sizes that it can grow to
				}
			}, in.candidates[0].Design.Oversubscription)
		},
	}
}

// flip searches a course whose points are simulated.
func (c *course) flip() (Flip, error) {
	if c.none != "" {
		return Flip{What: c.what, Now: c.name(c.now), Turns: []Turn{}, Note: c.none}, nil
	}
	f, err := c.search(c.what, false)
	return ended(f, err)
}

// ended turns the error of a design that cannot be modelled or planned into a note: the search ends
// there.
func ended(f Flip, err error) (Flip, error) {
	if errors.Is(err, plan.ErrNoModel) || errors.Is(err, errNoDesign) {
		f.Note = "searched in part: " + err.Error()
		return f, nil
	}
	return f, err
}

// errNoDesign is of a point of a search at which a fabric has no design.
var errNoDesign = errors.New("no design")

// elsewhere is the verdict for another request: planned, simulated and judged anew, of
// the same models of switch and NIC, at an oversubscription.
func (a *adviser) elsewhere(ctx context.Context, in *inputs, set func(*plan.Request), ratio scenario.Ratio) (Verdict, error) {
	x := in.copied()
	for _, c := range x.candidates {
		request := in.profile.Design
		set(&request)
		request.Fabrics, request.Switches, request.NICs = []scenario.FabricKind{c.Kind}, []string{c.Design.Switch}, []string{c.Design.NIC}
		made, err := plan.Make(ctx, &request, a.prices)
		if err != nil {
			return Verdict{}, err
		}
		designs := slices.DeleteFunc(made.Designs, func(d *plan.Design) bool {
			return d.Oversubscription != ratio && d.Shape != scenario.SingleSwitch
		})
		if len(designs) == 0 {
			return Verdict{}, fmt.Errorf("%w of %s for %d GPUs at %d:%d", errNoDesign, c.Name(), request.GPUs, ratio.Num, ratio.Den)
		}
		preset := c.Design.Preset
		c.Design = slices.MinFunc(designs, plan.Preferred)
		if c.Design.Preset != preset && protocol.Of(c.Kind).Ethernet() { // another product on the same cables
			if c.Design, err = c.Design.As(&request, preset, a.prices); err != nil {
				return Verdict{}, fmt.Errorf("%w of %s for %d GPUs: %w", errNoDesign, c.Name(), request.GPUs, err)
			}
		}
		x.profile.Design.GPUs, x.profile.Design.Later, x.profile.Design.Job = request.GPUs, request.Later, request.Job
	}
	if err := a.observe(ctx, x); err != nil {
		return Verdict{}, err
	}
	return judge(x), nil
}
