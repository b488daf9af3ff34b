package report

import (
	"fmt"

	"weft/internal/sim/catalog"
	"weft/internal/sim/scenario"
	"weft/units"
)

// fixed are the fixed times of a message on its path, independent of its size.
var fixed = []struct {
	where string
	of    func(*scenario.Fabric) units.Time
	kind  catalog.Kind
	entry func(*scenario.Fabric) string
	field string
}{
	{
		"at each switch", func(f *scenario.Fabric) units.Time { return f.Switch.Latency },
		catalog.Switch, func(f *scenario.Fabric) string { return f.Switch.Model }, "latency",
	},
	{
		"of FEC on each link", func(f *scenario.Fabric) units.Time { return f.Link.FECLatency },
		catalog.Link, func(f *scenario.Fabric) string { return f.Link.Generation }, "fec-latency",
	},
}

// hops names the fabrics with larger fixed times than the winner, up to a size; fabrics with equal
// times share a sentence.
func (v *judgement) hops(w, end int) []string {
	var costs []string
	payers := make(map[string][]string)
	for _, f := range v.order(end) {
		if f == w || !v.behind(f, w, 0, end) {
			continue
		}
		cost := v.hop(f, w)
		switch {
		case cost == "":
			continue
		case payers[cost] == nil:
			costs = append(costs, cost)
		}
		payers[cost] = append(payers[cost], quoted(v.result(f).Name))
	}
	var out []string
	for _, cost := range costs {
		verb := " pay "
		if len(payers[cost]) == 1 {
			verb = " pays "
		}
		out = append(out, list(payers[cost])+verb+cost+".")
	}
	return out
}

// hop names the fixed times that are longer than the winner's, and the catalog's assumptions among
// them: an assumption alone may determine the winner. It is empty if the paths through the hosts
// differ, or if a queue delayed packets at the smallest size.
func (v *judgement) hop(f, w int) string {
	own, other := v.spec(f), v.spec(w)
	if own == nil || other == nil || len(v.path(f, w)) > 0 || !quiet(v.points[f][0].Counts) {
		return ""
	}
	if h, known := hottest(v.points[f][0]); known && h.Busy >= crowdedBusy {
		return ""
	}
	var pays, theirs []string
	for _, x := range fixed {
		a, b := x.of(own), x.of(other)
		if a <= b {
			continue
		}
		note := ""
		if assumed(x.kind, x.entry(own), x.field, a) {
			note = " (an assumption)"
		}
		pays = append(pays, fmt.Sprintf("%s%s %s", a, note, x.where))
		if b == 0 {
			theirs = append(theirs, "none")
		} else {
			theirs = append(theirs, b.String())
		}
	}
	if len(pays) == 0 {
		return ""
	}
	return fmt.Sprintf("%s, while %s pays %s", list(pays), quoted(v.result(w).Name), list(theirs))
}

// assumed reports whether a time of a fabric is the catalog's, and an assumption there.
func assumed(kind catalog.Kind, entry, field string, value units.Time) bool {
	e, err := catalog.Lookup(kind, entry)
	if err != nil {
		return false
	}
	fact, ok := e.Get(field)
	t, err := units.ParseTime(fact.Value)
	return ok && err == nil && t == value && fact.Tag == catalog.Assumption
}
