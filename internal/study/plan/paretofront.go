package plan

import "math"

// objective is a figure of a design; less is better.
type objective struct {
	name string
	of   func(*Design) (value int64, known bool)
}

// objectives are the objectives of the Pareto front. A design of another protocol never dominates:
// the choice of a protocol has more criteria.
var objectives = []objective{
	{"oversubscription", func(d *Design) (int64, bool) {
		return d.Oversubscription.Num * 1_000_000 / max(1, d.Oversubscription.Den), true
	}},
	{"switches on the longest way", func(d *Design) (int64, bool) { return int64(d.Hops), true }},
	{"switches between NICs of a rail", func(d *Design) (int64, bool) { return int64(math.Round(d.Merits.RailHops * 10)), true }}, // as tables show it
	{"planes", func(d *Design) (int64, bool) { return -int64(d.Merits.Planes), true }},
	{"failures survived", func(d *Design) (int64, bool) { return -int64(d.Merits.Survives), true }},
	{"free ports of leaves", func(d *Design) (int64, bool) { return -int64(d.Merits.Places), true }},
	{"switches", func(d *Design) (int64, bool) { return int64(d.Count.TotalSwitches()), true }},
	{"cables", func(d *Design) (int64, bool) { return int64(d.Count.TotalCables()), true }},
	{"power", func(d *Design) (int64, bool) { return d.Power.Known, d.Power.Complete() }},
	{"cost", func(d *Design) (int64, bool) {
		return d.Cost.Total().Known, d.Cost.Total().Complete()
	}},
}

// Objectives are the names of the objectives of the Pareto front.
func Objectives() (names []string) {
	for _, o := range objectives {
		names = append(names, o.name)
	}
	return names
}

// front marks the designs that no other dominates.
func front(designs []*Design) {
	for i, d := range designs {
		d.Front = true
		for j, other := range designs {
			if i != j && dominates(other, d) && (j < i || !dominates(d, other)) {
				d.Front = false
				break
			}
		}
	}
}

// dominates reports whether a is at least as good as b in every objective. Of equal designs the
// first stays. If a figure of one design is unknown, the two do not compare, unless it is unknown
// for both: then their ranges do if they are of the same devices. A design that may exceed a budget dominates none that
// surely keeps it.
func dominates(a, b *Design) bool {
	if a.Kind != b.Kind || a.MayBreak() && !b.MayBreak() {
		return false
	}
	if a.Switch == b.Switch && a.NIC == b.NIC && !(a.Power.noMore(b.Power) && a.Cost.Total().noMore(b.Cost.Total())) {
		return false
	}
	for _, o := range objectives {
		x, knownX := o.of(a)
		y, knownY := o.of(b)
		if knownX != knownY || knownX && x > y {
			return false
		}
	}
	return true
}
