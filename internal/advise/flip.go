package advise

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/internal/plan"
	"weft/internal/sim"
	"weft/scenario"
)

// Flip is where the choice becomes another as one thing grows.
type Flip struct {
	What  string // price of InfiniBand over RoCE v2, …
	Now   string
	Turns []Turn
	From  string // the range that was searched
	To    string
	Tried int // points that were computed
	Note  string
}

// Turn is one place where the choice changes: from the one at the first point to
// another at the second.
type Turn struct {
	Between, And string
	Choice       string // beyond, seen from what is now
}

// turns finds where the choice changes along points, of which now is one: bisection
// between it and each end at which the choice is another.
func turns(points int, now int, choice func(int) (int, error), name func(int) string) ([]Turn, error) {
	here, err := choice(now)
	if err != nil {
		return nil, err
	}
	var out []Turn
	for _, end := range []int{0, points - 1} {
		there, err := choice(end)
		if err != nil {
			return nil, err
		}
		if there == here {
			continue
		}
		same, other := now, end
		for abs(same-other) > 1 {
			middle := (same + other) / 2
			c, err := choice(middle)
			if err != nil {
				return nil, err
			}
			if c == here {
				same = middle
			} else {
				other, there = middle, c
			}
		}
		out = append(out, Turn{name(same), name(other), []string{"InfiniBand", "RoCE v2"}[there]})
	}
	return out, nil
}

func abs(x int) int { return max(x, -x) }

// memo computes each point once and counts them.
func memo(f func(int) (int, error)) (func(int) (int, error), *int) {
	done, n := map[int]int{}, 0
	return func(i int) (int, error) {
		if c, ok := done[i]; ok {
			return c, nil
		}
		c, err := f(i)
		if err == nil {
			done[i] = c
			n++
		}
		return c, err
	}, &n
}

// flips searches where the choice turns.
func (a *adviser) flips(ctx context.Context, in *inputs) ([]Flip, error) {
	if slices.ContainsFunc(in.candidates, func(c *Candidate) bool { return c.Design == nil }) {
		return nil, nil
	}
	var out []Flip
	for _, search := range []func(context.Context, *inputs) (Flip, error){a.flipPrice, a.flipSkill, a.flipOversubscription, a.flipSize} {
		f, err := search(ctx, in)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// priceSteps is how finely the ratio of prices is searched: from a quarter of what it
// is to four times, in hundredths.
const (
	leastPrice = 25
	mostPrice  = 400
)

func (a *adviser) flipPrice(_ context.Context, in *inputs) (Flip, error) {
	factor := func(i int) float64 { return float64(leastPrice+i) / 100 }
	choice, tried := memo(func(i int) (int, error) {
		x := in.copied()
		x.costFactor *= factor(i)
		return judge(x).Choice, nil
	})
	name := func(i int) string { return fmt.Sprintf("%.2f×", factor(i)) }
	found, err := turns(mostPrice-leastPrice+1, 100-leastPrice, choice, name)
	return Flip{
		What: "what InfiniBand costs, over what it is taken to cost now", Now: "1×", Turns: found,
		From: name(0), To: name(mostPrice - leastPrice), Tried: *tried,
	}, err
}

// skillLevels are the pairs of skills along which the choice is searched: from a team
// that knows only InfiniBand to one that knows only Ethernet.
var skillLevels = []Skills{{Expert, NoSkill}, {Expert, SomeSkill}, {Expert, Expert}, {SomeSkill, SomeSkill}, {SomeSkill, Expert}, {NoSkill, Expert}}

func (a *adviser) flipSkill(_ context.Context, in *inputs) (Flip, error) {
	name := func(s Skills) string { return fmt.Sprintf("InfiniBand %s, Ethernet %s", s.InfiniBand, s.Ethernet) }
	f := Flip{What: "skills of the team", Now: name(in.profile.Organisation.Skills), From: name(skillLevels[0]), To: name(skillLevels[len(skillLevels)-1])}
	last := -1
	for i, s := range skillLevels {
		x := in.copied()
		x.profile.Organisation.Skills = s
		v := judge(x)
		f.Tried++
		if last >= 0 && v.Choice != last {
			f.Turns = append(f.Turns, Turn{name(skillLevels[i-1]), name(s), in.candidates[v.Choice].Name()})
		}
		last = v.Choice
	}
	return f, nil
}

// searched are the oversubscriptions along which the choice is searched.
var searched = []scenario.Ratio{{Num: 1, Den: 1}, {Num: 2, Den: 1}, {Num: 4, Den: 1}, {Num: 8, Den: 1}}

func (a *adviser) flipOversubscription(ctx context.Context, in *inputs) (Flip, error) {
	name := func(i int) string { return fmt.Sprintf("%d:%d", searched[i].Num, searched[i].Den) }
	now := in.candidates[0].Design.Oversubscription
	at := slices.Index(searched, now)
	f := Flip{What: "oversubscription", Now: fmt.Sprintf("%d:%d", now.Num, now.Den), From: name(0), To: name(len(searched) - 1)}
	if at < 0 || in.candidates[1].Design.Oversubscription != now {
		f.Note = "not searched: the designs have not one of these oversubscriptions"
		return f, nil
	}
	choice, tried := memo(func(i int) (int, error) {
		if i == at {
			return judge(in).Choice, nil
		}
		a.tell("flip: oversubscription " + name(i))
		return a.elsewhere(ctx, in, func(r *plan.Request) { r.Oversubscription = searched[i] }, func(d *plan.Design) bool { return d.Oversubscription == searched[i] })
	})
	var err error
	f.Turns, err = turns(len(searched), at, choice, name)
	f.Tried = *tried
	return a.ended(f, err)
}

// mostNodes bounds the sizes that are searched: beyond, plans take minutes.
const mostNodes = 4096

func (a *adviser) flipSize(ctx context.Context, in *inputs) (Flip, error) {
	nodes := in.candidates[0].Design.Count.Nodes
	gpus := in.profile.Design.GPUs / nodes
	sizes := []int{nodes}
	for n := 4; n <= mostNodes; n *= 4 {
		if n != nodes {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	name := func(i int) string { return fmt.Sprintf("%d GPUs", sizes[i]*gpus) }
	at := slices.Index(sizes, nodes)
	choice, tried := memo(func(i int) (int, error) {
		if i == at {
			return judge(in).Choice, nil
		}
		a.tell("flip: " + name(i))
		return a.elsewhere(ctx, in, func(r *plan.Request) {
			r.GPUs, r.Later, r.Levels, r.MaxSwitches, r.Power, r.Cost = sizes[i]*gpus, 0, 3, 0, 0, 0
		}, func(d *plan.Design) bool { return d.Oversubscription == in.candidates[0].Design.Oversubscription })
	})
	found, err := turns(len(sizes), at, choice, name)
	return a.ended(Flip{
		What: "size, budgets and growth left out", Now: name(at), Turns: found, From: name(0), To: name(len(sizes) - 1), Tried: *tried,
	}, err)
}

// ended makes of a design that cannot be modelled or planned a note: the search ends
// there.
func (a *adviser) ended(f Flip, err error) (Flip, error) {
	if errors.Is(err, errNoModel) || errors.Is(err, errNoDesign) {
		f.Note = "searched in part: " + err.Error()
		return f, nil
	}
	return f, err
}

// errNoDesign is of a point of a search at which a fabric has no design.
var errNoDesign = errors.New("no design")

// elsewhere is the choice for another request: planned, simulated and judged anew, of
// the same models of switch and NIC.
func (a *adviser) elsewhere(ctx context.Context, in *inputs, set func(*plan.Request), keep func(*plan.Design) bool) (int, error) {
	x := in.copied()
	for _, c := range x.candidates {
		request := in.profile.Design
		set(&request)
		request.Fabrics, request.Switches, request.NICs = []scenario.FabricKind{c.Kind}, []string{c.Design.Switch}, []string{c.Design.NIC}
		made, err := plan.Make(ctx, &request, a.prices)
		if err != nil {
			return 0, err
		}
		designs := slices.DeleteFunc(made.Designs, func(d *plan.Design) bool { return !keep(d) })
		if len(designs) == 0 {
			return 0, fmt.Errorf("%s of %s: %w", request.Name, c.Name(), errNoDesign)
		}
		c.Design = slices.MinFunc(designs, preferred)
	}
	x.profile.Design.GPUs = x.candidates[0].Design.Count.Nodes * (in.profile.Design.GPUs / in.candidates[0].Design.Count.Nodes)
	if err := a.observe(ctx, x); err != nil {
		return 0, err
	}
	return judge(x).Choice, nil
}

// simOptions are the options of all runs.
func simOptions(workers int) sim.Options { return sim.Options{Workers: workers} }
