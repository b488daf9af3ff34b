package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/sim/catalog"
	"weft/scenario"
)

// Breach is a constraint that a design does not meet.
type Breach struct {
	Field   string   // of the request
	Allowed string   // its value in the request
	Needs   string   // the value that this design would need
	Unknown bool     // it is unknown whether the constraint is met
	amount  int64    // the need as a number, for comparing; 0 if it is not a number
	open    bool     // the need has no bound
	names   []string // that the request does not allow; nil for another constraint
}

// breaches are the constraints that a design does not meet.
func breaches(r *Request, d *Design) []Breach {
	out := d.choice.breaches(r)
	atMost := func(field string, most, has int) {
		if most > 0 && has > most {
			out = append(out, Breach{Field: field, Allowed: strconv.Itoa(most), Needs: strconv.Itoa(has), amount: int64(has)})
		}
	}
	atMost("max-levels", r.Levels, d.Levels)
	atMost("max-switches", r.MaxSwitches, d.Count.TotalSwitches())
	out = append(out, budgetBreaches(r, d)...)
	return append(out, growthBreaches(r, d)...)
}

// breaches are the constraints that a choice does not meet because of its parts.
func (c choice) breaches(r *Request) (out []Breach) {
	list := func(field string, names []string, has ...string) {
		has = slices.DeleteFunc(has, func(x string) bool { return allowed(names, x) })
		if len(has) > 0 {
			out = append(out, Breach{Field: field, Allowed: strings.Join(names, ", "), Needs: "also " + strings.Join(distinct(slices.Clone(has)...), " and "), amount: int64(len(has)), names: distinct(has...)})
		}
	}
	list("fabrics", texts(r.Fabrics), string(c.preset.kind))
	list("shapes", texts(r.Shapes), string(c.shape))
	list("switches", r.Switches, c.sw.entry.Name)
	list("nics", r.NICs, c.nic.entry.Name)
	makers := []string{c.sw.vendor}
	if !c.machine.onBoard { // or else the NIC is a part of the machine
		makers = append(makers, c.nic.vendor)
	}
	list("vendors", r.Vendors, makers...)
	out = append(out, c.otherBreaches(r)...)
	if c.unmanaged {
		out = append(out, Breach{Field: "manager", Allowed: "true", Needs: "false"})
	}
	if least := r.leastRate(c.machine); least > c.nicRate() {
		out = append(out, Breach{Field: "rate", Allowed: least.String(), Needs: c.nicRate().String(), amount: int64(least - c.nicRate())})
	}
	if c.ratio.Cmp(r.Oversubscription.Num, r.Oversubscription.Den) > 0 {
		out = append(out, Breach{Field: "max-oversubscription", Allowed: ratioText(r.Oversubscription), Needs: ratioText(c.ratio), amount: c.ratio.Num * 1000 / c.ratio.Den})
	}
	return out
}

// budgetBreaches are the breaches of power and money.
func budgetBreaches(r *Request, d *Design) (out []Breach) {
	if r.Power > 0 && !d.Power.within(int64(r.Power)) {
		out = append(out, Breach{
			Field: "max-power", Allowed: r.Power.String(), Needs: d.Power.enough(1, PowerText), amount: d.Power.Most(),
			Unknown: d.Power.Known <= int64(r.Power), open: !d.Power.Bounded(),
		})
	}
	if r.Cost > 0 {
		total := d.Cost.Total()
		if most := int64(r.Cost) * PerUnit; !total.within(most) {
			out = append(out, Breach{
				Field: "max-cost", Allowed: d.Cost.Text(most), Needs: total.enough(PerUnit, d.Cost.Text), amount: total.Most(),
				Unknown: total.Known <= most, open: !total.Bounded(),
			})
		}
	}
	return out
}

func growthBreaches(r *Request, d *Design) (out []Breach) {
	g := d.Growth
	switch {
	case g == nil:
	case g.Problem != "" && g.Most == 0:
		out = append(out, Breach{Field: "gpus-later", Allowed: strconv.Itoa(r.Later), Needs: "fewer: " + g.Problem})
	case g.Problem != "":
		out = append(out, Breach{Field: "gpus-later", Allowed: strconv.Itoa(r.Later), Needs: strconv.Itoa(g.Most), amount: int64(r.Later - g.Most)})
	case g.Levels > r.Levels:
		out = append(out, Breach{Field: "max-levels", Allowed: strconv.Itoa(r.Levels), Needs: fmt.Sprintf("%d at %d GPUs", g.Levels, g.GPUs), amount: int64(g.Levels)})
	}
	return out
}

// enough is the least budget that surely holds a sum, in whole units and four digits; of a sum without a bound what is known.
func (s Sum) enough(unit int64, write func(int64) string) string {
	if !s.Bounded() {
		return s.Text(write) + " (" + s.MissingText() + ")"
	}
	step := unit
	for s.Most()/step >= 10_000 {
		step *= 10
	}
	text := write((s.Most() + step - 1) / step * step)
	if m := s.MissingText(); m != "" {
		text += " (a bound; " + m + ")"
	}
	return text
}

// Uncabled reports whether the catalog has no cable for some of the design's links.
func (d *Design) Uncabled() bool {
	return slices.ContainsFunc(d.Bill, func(l Line) bool { return l.Item == catalog.Unknown })
}

// MayBreak reports whether it is unknown if the design keeps a budget; all else it keeps.
func (d *Design) MayBreak() bool {
	return len(d.Breaks) > 0 && !slices.ContainsFunc(d.Breaks, func(b Breach) bool { return !b.Unknown })
}

// Relaxation is one way to get a design: the constraints to relax, and how far.
type Relaxation struct {
	Breaches []Breach
	Design   *Design // the resulting design
}

// maxRelaxations is the maximum number of proposals.
const maxRelaxations = 5

// relax finds the fewest constraints to relax, and for the same constraints the smallest
// relaxation.
func relax(designs []*Design) []Relaxation {
	best := map[string]*Design{}
	fewest := 0
	for _, d := range designs {
		if !canRelax(d) {
			continue
		}
		n := len(fields(d))
		if fewest == 0 || n < fewest {
			fewest = n
		}
		key := strings.Join(fields(d), "+")
		if kept := best[key]; kept == nil || cheaper(d, kept) {
			best[key] = d
		}
	}
	var out []Relaxation
	for _, d := range best {
		if len(fields(d)) == fewest {
			out = append(out, Relaxation{alternatives(d, designs), d})
		}
	}
	sorting.Func(out, func(a, b Relaxation) int {
		return strings.Compare(strings.Join(fields(a.Design), "+"), strings.Join(fields(b.Design), "+"))
	})
	return out[:min(len(out), maxRelaxations)]
}

// alternatives are the breaches of a design, with every name that would do as well: no maker, switch or NIC is preferred to
// another.
func alternatives(d *Design, all []*Design) []Breach {
	out := slices.Clone(d.Breaks)
	if len(out) != 1 || out[0].names == nil || len(out[0].names) > 1 {
		return out // names that are needed together, or beside something else
	}
	var names []string
	for _, x := range all {
		if len(x.Breaks) == 1 && x.Breaks[0].Field == out[0].Field && len(x.Breaks[0].names) == 1 {
			names = append(names, x.Breaks[0].names[0])
		}
	}
	names = distinct(names...)
	if n := len(names) - 1; n > 0 {
		out[0].Needs = "also " + strings.Join(names[:n], ", ") + " or " + names[n]
	}
	return out
}

// canRelax reports whether relaxing by a known amount allows a design. The amount is unknown for a
// budget of a sum without a bound that may be met, and for the growth of a design that breaks more.
func canRelax(d *Design) bool {
	unknown := slices.ContainsFunc(d.Breaks, func(b Breach) bool { return b.Unknown && b.open })
	return len(d.Breaks) > 0 && !unknown && (d.Growth == nil || d.Growth.Problem == "" || d.Growth.Most > 0)
}

// fields are the broken constraints of a design, each once.
func fields(d *Design) []string { return fieldsOf(d.Breaks) }

func fieldsOf(breaks []Breach) (out []string) {
	for _, b := range breaks {
		out = append(out, b.Field)
	}
	return distinct(out...)
}

// cheaper reports whether a needs less than b, which breaks the same constraints. A design whose cables are known comes before
// one whose are not, a bounded need before one without a bound, and the node's own NIC before another.
func cheaper(a, b *Design) bool {
	if x, y := a.Uncabled(), b.Uncabled(); x != y {
		return y
	}
	for i := range min(len(a.Breaks), len(b.Breaks)) {
		x, y := a.Breaks[i], b.Breaks[i]
		if c := cmp.Or(cmp.Compare(boolInt(x.open), boolInt(y.open)), cmp.Compare(x.amount, y.amount)); c != 0 {
			return c < 0
		}
	}
	return cmp.Or(cmp.Compare(boolInt(b.choice.own), boolInt(a.choice.own)), cmp.Compare(a.Count.TotalSwitches(), b.Count.TotalSwitches())) < 0
}

func texts[T scenario.FabricKind | scenario.Shape](xs []T) (out []string) {
	for _, x := range xs {
		out = append(out, string(x))
	}
	return out
}
