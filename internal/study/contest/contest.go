package contest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Test tests the leads in the results of a scenario. The options are those of the run; the tests have
// its seeds. It returns nil if there is no lead to test. If ctx ends, nothing counts as tested.
func Test(ctx context.Context, run many.Runner, r *scenario.Resolved, outcome *results.Results, o sim.Options) *results.Contest {
	if len(outcome.Fabrics) < 2 {
		return nil
	}
	chosen, left := decisive(outcome)
	switch {
	case len(chosen) == 0 && len(left) == 0:
		return nil
	case len(r.Faults) > 0: // the control planes differ, and are no property
		return &results.Contest{NotTested: "with faults"}
	}
	out := &results.Contest{Untested: left}
	l := &lab{ctx: ctx, run: run, r: r, outcome: outcome, options: o}
	for len(chosen) > 0 {
		n := 1
		for n < len(chosen) && chosen[n].point == chosen[0].point {
			n++
		}
		l.point = chosen[0].point
		if err := l.test(chosen[:n], out); err != nil {
			return &results.Contest{NotTested: "(stopped)"}
		}
		chosen = chosen[n:]
	}
	return out
}

// lab simulates variants of fabrics at one size.
type lab struct {
	ctx     context.Context
	run     many.Runner
	r       *scenario.Resolved
	outcome *results.Results
	options sim.Options
	point   int
	waiting []*variant
}

// variant is a fabric that is simulated with a number of seeds, and its times; none if it has no result.
type variant struct {
	fabric  *scenario.Fabric
	seeds   int
	timesPs []int64
}

// add plans the simulation of a fabric.
func (l *lab) add(f *scenario.Fabric, seeds int) *variant {
	v := &variant{fabric: f, seeds: seeds}
	l.waiting = append(l.waiting, v)
	return v
}

// simulate runs what was planned, several variants at a time. A variant that fails has no times.
func (l *lab) simulate() error {
	own := *l.r
	if len(own.Workload.Sizes) > 0 {
		own.Workload.Sizes = []units.Bytes{units.Bytes(l.outcome.Fabrics[0].Points[l.point].Bytes)}
	}
	var all []*scenario.Resolved
	seeds := map[*scenario.Resolved]int{}
	for _, v := range l.waiting {
		r := own
		r.Fabrics = []scenario.Fabric{*v.fabric}
		all, seeds[&r] = append(all, &r), v.seeds
	}
	o := many.Options{Workers: l.options.Workers, Progress: l.options.Progress}
	o.Simulation.Cache, o.Simulation.Exact = l.options.Cache, l.options.Exact
	o.Run = func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		o.Seeds = seeds[r]
		return l.run(ctx, r, o)
	}
	points := many.Rows(l.ctx, all, o, func(outcome *results.Results, err error) *results.Point {
		p, _ := many.PointOf(outcome, err)
		return p
	})
	for i, v := range l.waiting {
		if p := points[i]; p != nil && p.Measured() && !p.Partial && p.Counts.MessagesLost == 0 {
			v.timesPs = p.Times()
		}
	}
	l.waiting = nil
	return l.ctx.Err()
}

// test tests leads at one size.
func (l *lab) test(trials []trial, out *results.Contest) error {
	var falls []*waterfall
	var read []*reading
	seen := map[int]bool{}
	for _, t := range trials {
		falls = append(falls, l.begin(t))
		for _, f := range []int{t.slower, t.faster} {
			if !t.far && !seen[f] {
				seen[f] = true
				read = append(read, l.readings(f, out)...)
			}
		}
	}
	if err := l.simulate(); err != nil {
		return err
	}
	for _, w := range falls {
		w.order()
	}
	for _, x := range read {
		x.more(l)
	}
	if err := l.simulate(); err != nil {
		return err
	}
	for _, w := range falls {
		out.Trials = append(out.Trials, w.trial())
	}
	for _, x := range read {
		if len(x.variant.timesPs) > 0 {
			x.record.TimesPs = x.variant.timesPs
			out.Readings = append(out.Readings, x.record)
		}
	}
	return nil
}

// reading is a reading that is simulated: with few seeds, and with all if it has an effect.
type reading struct {
	record  results.Reading
	own     []int64 // the times of the run
	variant *variant
}

// more plans the simulation with all seeds, unless the first seeds have the times of the run to the
// picosecond: then all have.
func (x *reading) more(l *lab) {
	first := x.variant.timesPs
	switch n := len(first); {
	case n == 0 || n >= len(x.own):
	case slices.Equal(first, x.own[:n]):
		x.variant = &variant{timesPs: x.own}
	default:
		x.variant = l.add(x.variant.fabric, len(x.own))
	}
}

// readings plans the simulations of a fabric's readings, and names those that the scenario refuses.
func (l *lab) readings(fabric int, into *results.Contest) (out []*reading) {
	own := l.outcome.Fabrics[fabric].Points[l.point].Times()
	bytes := l.outcome.Fabrics[fabric].Points[l.point].Bytes
	for _, x := range scenario.Readings(l.r, fabric) {
		other, err := scenario.WithReading(l.r, fabric, x)
		if err != nil {
			if name := fmt.Sprintf("%s %s of %s", x.Path, x.Value, l.r.Fabrics[fabric].Name); !slices.Contains(into.Unfit, name) {
				into.Unfit = append(into.Unfit, name)
			}
			continue
		}
		record := results.Reading{Bytes: bytes, Fabric: l.r.Fabrics[fabric].Name, Path: x.Path, Own: x.Own, Value: x.Value, Source: x.Source}
		out = append(out, &reading{record, own, l.add(&other.Fabrics[0], min(len(own), leastSeeds))})
	}
	return out
}

// waterfall is the test of a lead's reason.
type waterfall struct {
	lab   *lab
	lead  trial
	pair  *pair
	known map[set]*variant
	steps [][]int // properties that change together, in the order of the steps
}

// begin plans the simulations of single properties.
func (l *lab) begin(t trial) *waterfall {
	w := &waterfall{lab: l, lead: t, pair: pairOf(l.r, t.slower, t.faster), known: map[set]*variant{}}
	for _, i := range w.pair.differ {
		w.plan(set(0).with(i))
	}
	return w
}

// plan plans the simulation of a hybrid, once.
func (w *waterfall) plan(taken set) {
	if _, done := w.known[taken]; done || taken == 0 || taken == w.all() {
		return
	}
	w.known[taken] = &variant{}
	if f, ok := w.pair.hybrid(taken); ok {
		w.known[taken] = w.lab.add(f, w.seeds())
	}
}

// all is the set of all properties: the faster fabric.
func (w *waterfall) all() (s set) {
	for _, i := range w.pair.differ {
		s = s.with(i)
	}
	return s
}

// order plans the steps: the property with the largest effect first, the protocol after all that
// the slower fabric can have of the faster, and then the rest.
func (w *waterfall) order() {
	rank := func(i int) int {
		if i == protocolStep {
			return 1
		}
		if _, ok := w.time(set(0).with(i)); !ok {
			return 2
		}
		return 0
	}
	order := slices.Clone(w.pair.differ)
	sorting.StableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(w.effect(b), w.effect(a)))
	})
	w.steps = nil
	idle := -1 // the step of all properties that alone change nothing
	for _, i := range order {
		switch {
		case rank(i) > 0 || !w.changesNothing(i):
			w.steps = append(w.steps, []int{i})
		case idle < 0:
			idle, w.steps = len(w.steps), append(w.steps, []int{i})
		default:
			w.steps[idle] = append(w.steps[idle], i)
		}
	}
	for _, steps := range [][][]int{w.steps, reversed(w.steps)} {
		var taken set
		for _, step := range steps {
			taken = taken.with(step...)
			w.plan(taken)
		}
	}
}

// changesNothing reports whether a property alone leaves each time as it is, to the picosecond.
func (w *waterfall) changesNothing(i int) bool {
	v := w.known[set(0).with(i)]
	own := w.lab.outcome.Fabrics[w.lead.slower].Points[w.lab.point].Times()
	return v != nil && len(v.timesPs) >= w.seeds() && slices.Equal(v.timesPs[:w.seeds()], own[:w.seeds()])
}

// effect is the time that a property alone takes away, in tenths of the lead: near effects keep the
// order of the list.
func (w *waterfall) effect(i int) int64 {
	slower, _ := w.time(0)
	faster, _ := w.time(w.all())
	alone, ok := w.time(set(0).with(i))
	if !ok {
		return 0
	}
	lead := max(1, slower-faster)
	return int64(math.Round(10 * float64(slower-alone) / float64(lead)))
}

// time is the mean time of a hybrid; false if it has none.
func (w *waterfall) time(taken set) (ps int64, ok bool) {
	var times []int64
	switch taken {
	case 0:
		times = w.lab.outcome.Fabrics[w.lead.slower].Points[w.lab.point].Times()
	case w.all():
		times = w.lab.outcome.Fabrics[w.lead.faster].Points[w.lab.point].Times()
	default:
		v := w.known[taken]
		if v == nil || len(v.timesPs) < w.seeds() {
			return 0, false
		}
		times = v.timesPs
	}
	sum := int64(0)
	for _, t := range times[:w.seeds()] {
		sum += t
	}
	return sum / int64(w.seeds()), true
}

// seeds is the number of seeds of hybrids.
func (w *waterfall) seeds() int { return hybridSeeds(w.lab.outcome, w.lead) }

// trial is the outcome.
func (w *waterfall) trial() results.Trial {
	slower, _ := w.time(0)
	faster, _ := w.time(w.all())
	out := results.Trial{
		Bytes:  w.lab.outcome.Fabrics[0].Points[w.lab.point].Bytes,
		Faster: w.lab.r.Fabrics[w.lead.faster].Name, Slower: w.lab.r.Fabrics[w.lead.slower].Name,
		Seeds: w.seeds(), FasterPs: faster, SlowerPs: slower,
		Steps: w.path(w.steps), Reverse: w.path(reversed(w.steps)),
	}
	for _, i := range w.pair.differ {
		if alone, ok := w.time(set(0).with(i)); ok {
			out.Alone = append(out.Alone, results.Swap{Property: properties[i].name, EffectPs: slower - alone})
		}
	}
	return out
}

// path is the steps in an order. A step without a time is one with the next.
func (w *waterfall) path(steps [][]int) (out []results.Swap) {
	var taken set
	before, _ := w.time(0)
	name := ""
	for _, step := range steps {
		taken = taken.with(step...)
		for _, i := range step {
			if name != "" {
				name += ", "
			}
			name += properties[i].name
		}
		if t, ok := w.time(taken); ok {
			out = append(out, results.Swap{Property: name, EffectPs: before - t})
			before, name = t, ""
		}
	}
	return out
}

func reversed(steps [][]int) [][]int {
	out := slices.Clone(steps)
	slices.Reverse(out)
	return out
}
