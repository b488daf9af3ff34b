package plan

import (
	"cmp"
	"context"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/sim/protocol"
	"weft/scenario"
)

// Plan is the result of a search.
type Plan struct {
	Request *Request
	Prices  *Prices
	// Designs meet every constraint, as far as it is known ([Design.MayBreak]); the front of each protocol
	// first. What is unknown refuses no design.
	Designs []*Design
	// Relax are the constraints to relax for a design that surely meets them all, if no design
	// does.
	Relax []Relaxation
	// Reasons are the reasons why combinations could not be built, each once, if there is neither a
	// design nor a relaxation.
	Reasons []string
	// Unfit are the reasons why requested shapes are impossible, if Designs is empty.
	Unfit []string
}

// ratios are the oversubscriptions that are tried.
var ratios = []scenario.Ratio{{Num: 1, Den: 1}, {Num: 3, Den: 2}, {Num: 2, Den: 1}, {Num: 3, Den: 1}, {Num: 4, Den: 1}, {Num: 7, Den: 1}, {Num: 8, Den: 1}}

// Make searches the designs for a request, with a user's prices or, without any, the public ones.
func Make(ctx context.Context, r *Request, prices *Prices) (*Plan, error) {
	if prices == nil {
		prices = Public()
	}
	m, err := r.machine()
	if err != nil {
		return nil, err
	}
	p := &Plan{Request: r, Prices: prices}
	all := choices(r, m)
	rounds := byBreaks(r, all)
	found, reasons, err := build(ctx, r, prices, rounds[0])
	if err != nil {
		return nil, err
	}
	sure := false
	for _, d := range found {
		if len(d.Breaks) == 0 || d.MayBreak() {
			p.Designs = append(p.Designs, d)
			sure = sure || len(d.Breaks) == 0
		}
	}
	front(p.Designs)
	p.Designs = slices.DeleteFunc(p.Designs, (*Design).wasteful)
	order(p.Designs)
	if err := p.grow(); err != nil {
		return nil, err
	}
	if sure {
		return p, nil
	}
	// A choice that breaks n constraints by its parts breaks at least n once it is built. So
	// smaller breaches have been found already.
	for n := 1; n < len(rounds) && (p.fewest(found) == 0 || n <= p.fewest(found)); n++ {
		more, why, err := build(ctx, r, prices, rounds[n])
		if err != nil {
			return nil, err
		}
		found, reasons = append(found, more...), append(reasons, why...)
	}
	p.Unfit = slices.Concat(unfit(r, m, all), unfitNICs(r, m, all), unfitSwitches(r, all))
	if p.Relax = relax(found); len(p.Relax) == 0 {
		p.Reasons = inOrder(reasons)
	}
	return p, nil
}

// wasteful reports whether a design fills its units although smaller ones take fewer switches, and is oversubscribed: a planner takes
// uplinks that spines divide, and only at 1:1 do published designs fill their units whatever it costs.
func (d *Design) wasteful() bool { return d.choice.filled && d.choice.ratio.Num > d.choice.ratio.Den }

// grow finds the ways to the later network for the first design of each protocol.
func (p *Plan) grow() (err error) {
	for _, d := range p.firsts() {
		if d.Growth != nil && err == nil {
			d.Growth.Ways, err = d.ways(p.Request, p.Prices)
		}
	}
	return err
}

// firsts are the first designs of each protocol.
func (p *Plan) firsts() (out []*Design) {
	for i, d := range p.Designs {
		if i == 0 || p.Designs[i-1].Kind != d.Kind {
			out = append(out, d)
		}
	}
	return out
}

// fewest is the smallest number of constraints that any design breaks, 0 if relaxing gives no
// design.
func (p *Plan) fewest(found []*Design) int {
	n := 0
	for _, d := range found {
		if k := len(fields(d)); canRelax(d) && (n == 0 || k < n) {
			n = k
		}
	}
	return n
}

// build makes the designs of choices; the reasons are for choices that cannot be built.
func build(ctx context.Context, r *Request, prices *Prices, all []choice) (out []*Design, reasons []string, err error) {
	all, made, errs, err := designs(ctx, r, prices, all)
	if err != nil {
		return nil, nil, err
	}
	for i, d := range made {
		switch c := all[i]; {
		case d != nil:
			d.Breaks = breaches(r, d)
			out = append(out, d)
		case c.shape != scenario.SingleSwitch: // it has the shortest reach of all
			reasons = append(reasons, c.sw.entry.Name+" at "+c.preset.rate.String()+": "+shortReason(errs[i]))
		}
	}
	return out, reasons, nil
}

// byBreaks groups choices by the number of constraints that their parts break.
func byBreaks(r *Request, all []choice) [][]choice {
	rounds := make([][]choice, 1)
	for _, c := range all {
		n := len(fieldsOf(c.breaches(r)))
		for len(rounds) <= n {
			rounds = append(rounds, nil)
		}
		rounds[n] = append(rounds[n], c)
	}
	return rounds
}

// choices are all combinations of the catalog's parts, in its order.
func choices(r *Request, m machine) (out []choice) {
	for _, preset := range fabricPresets() {
		for _, s := range switches() {
			if !preset.takes(s) {
				continue
			}
			for _, n := range nicsFor(r, m, preset) {
				for _, shape := range shapes {
					if !shapeTakes(shape, n, m, preset, s) {
						continue
					}
					c := choice{preset: preset, sw: s, nic: n, own: n.entry.Name == m.nic, shape: shape, machine: m}
					if m.slot > 0 && c.nicRate() > m.slot {
						continue
					}
					out = append(out, c.variants(r)...)
				}
			}
		}
	}
	return out
}

// variants are a choice with each shape of its planes and each oversubscription.
func (c choice) variants(r *Request) (out []choice) {
	for _, c.plane = range planeShapes(c.shape) {
		for _, c.ratio = range r.ratiosOf(c.plane) {
			out = append(out, c.managers(r)...)
		}
	}
	return out
}

// managers are the choice with a place for InfiniBand's manager, and the choice without one, which
// breaks the constraint if a manager is requested.
func (c choice) managers(r *Request) []choice {
	if !r.Manager || !protocol.Of(c.preset.kind).SubnetManager {
		return []choice{c}
	}
	without := c
	without.unmanaged = true
	if c.shape != scenario.RailOptimised { // it has a place for the manager
		return []choice{without}
	}
	return []choice{c, without}
}

// nicsFor are the NICs that speak a fabric's protocol at its rate. If the request names none and
// allows the maker of the node's own NIC, or if it is on the node's boards, that NIC is kept.
func nicsFor(r *Request, m machine, preset fabricPreset) (out []nicModel) {
	for _, n := range nics() {
		link := protocol.Of(preset.kind).Link()
		rate, _ := n.port(link)
		if n.entry.Name == m.nic {
			rate = min(rate, m.rate)
		}
		if rate >= preset.rate && slices.Contains(n.protocols, link) {
			out = append(out, n)
		}
	}
	own := func(n nicModel) bool { return n.entry.Name == m.nic }
	if i := slices.IndexFunc(nics(), own); i >= 0 && (m.onBoard || len(r.NICs) == 0 && allowed(r.Vendors, nics()[i].vendor)) {
		return slices.DeleteFunc(out, func(n nicModel) bool { return !own(n) })
	}
	return out
}

// allowed reports whether a list of allowed names contains a name; an empty list allows all.
func allowed(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }

// order sorts by protocol, then those that surely keep the budgets first, then the front first, then as [Preferred] does.
func order(designs []*Design) {
	sorting.StableFunc(designs, func(a, b *Design) int {
		return cmp.Or(
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(boolInt(a.MayBreak()), boolInt(b.MayBreak())), cmp.Compare(boolInt(b.Front), boolInt(a.Front)), Preferred(a, b),
			cmp.Compare(boolInt(a.choice.divided()), boolInt(b.choice.divided())), cmp.Compare(a.Name, b.Name),
		)
	})
}

// Preferred orders designs of one protocol by a buyer's criteria. Those that surely keep the budgets come before those of which
// that is not known, those with known cables before those without, and NICs that are divided after two levels of NICs as they
// are sold: they are a way to save a level. Without a budget a figure that the catalog lacks prefers no device.
func Preferred(a, b *Design) int {
	uncommon := func(d *Design) int { return boolInt(d.choice.divided() || d.Levels > 2) }
	return cmp.Or(
		a.Oversubscription.Cmp(b.Oversubscription.Num, b.Oversubscription.Den), cmp.Compare(boolInt(a.MayBreak()), boolInt(b.MayBreak())), cmp.Compare(boolInt(a.Uncabled()), boolInt(b.Uncabled())),
		cmp.Compare(uncommon(a), uncommon(b)), cmp.Compare(a.Count.TotalSwitches(), b.Count.TotalSwitches()),
	)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func distinct[T cmp.Ordered](values ...T) []T {
	slices.Sort(values)
	return slices.Compact(values)
}

// inOrder is the texts without duplicates, in order of appearance.
func inOrder(texts []string) (out []string) {
	seen := map[string]bool{}
	for _, t := range texts {
		if !seen[t] {
			out = append(out, t)
		}
		seen[t] = true
	}
	return out
}
