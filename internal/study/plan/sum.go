package plan

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/units"
)

// Sum is a total; if parts are unknown, it is a lower bound.
type Sum struct {
	Known   int64       // in the unit of what is summed
	Missing []string    // unknown parts, each once: "the power of switch sn3700"
	Softest catalog.Tag // weakest source among the known parts; "" if there are none

	bounds int64 // of the unknown parts that have one
	open   bool  // an unknown part has none
}

// add adds quantity times a part.
func (s *Sum) add(quantity int, each Part) {
	if !each.Known && each.Least > 0 { // a range
		s.Known += int64(quantity) * each.Least
		s.bounds += int64(quantity) * (each.Most - each.Least)
		s.soften(each.Tag)
		return
	}
	if !each.Known {
		if !slices.Contains(s.Missing, each.What) {
			s.Missing = append(s.Missing, each.What)
		}
		s.bounds += int64(quantity) * each.Most
		s.open = s.open || each.Most == 0
		return
	}
	s.Known += int64(quantity) * each.Value
	s.soften(each.Tag)
}

// soften takes the tag of a known part.
func (s *Sum) soften(tag catalog.Tag) {
	if s.Softest == "" {
		s.Softest = tag
	}
	s.Softest = catalog.Softer(s.Softest, tag)
}

// Complete reports whether all parts are known exactly.
func (s Sum) Complete() bool { return len(s.Missing) == 0 && s.bounds == 0 }

// noMore reports whether neither end of the sum's range is above that of another.
func (s Sum) noMore(other Sum) bool {
	return s.Known <= other.Known && (!other.Bounded() || s.Bounded() && s.Most() <= other.Most())
}

// Part is a figure of one piece, if it is known.
type Part struct {
	Value int64
	Known bool
	Least int64 // if it is not known: the low end of a range whose high end is Most; 0 without one
	Most  int64 // if it is not known: a bound; 0 without one
	Tag   catalog.Tag
	What  string // its name, for Missing
}

// Text is the sum as power or money: as a range if parts are ranges, with "at least" if parts are unknown, and "at most" if they have
// bounds; "unknown" if all are unknown without a bound.
func (s Sum) Text(write func(int64) string) string {
	switch {
	case s.Complete():
		return write(s.Known)
	case len(s.Missing) == 0:
		return write(s.Known) + " to " + write(s.Most())
	case s.Bounded() && s.bounds > 0 && s.Known == 0:
		return "≤ " + write(s.Most())
	case s.Bounded() && s.bounds > 0:
		return "≥ " + write(s.Known) + ", ≤ " + write(s.Most())
	case s.Known == 0:
		return "unknown"
	}
	return "≥ " + write(s.Known)
}

// PowerText prints a sum of milliwatts.
func PowerText(v int64) string {
	if v == 0 {
		return "0 W"
	}
	return units.Power(v).String()
}

// MissingText names the missing parts of a sum, or is empty.
func (s Sum) MissingText() string {
	if len(s.Missing) == 0 {
		return ""
	}
	return fmt.Sprintf("not known: %s", strings.Join(s.Missing, "; "))
}

// powerOf is a power of an entry of the catalog.
func powerOf(e catalog.Entry, field, what string) Part {
	p := Part{What: "the power of " + what}
	f, ok := e.Known(field)
	if !ok {
		return p
	}
	v, err := units.ParsePower(f.Value)
	if err != nil {
		return p
	}
	p.Value, p.Known, p.Tag = int64(v), true, f.Tag
	return p
}

// latencyOf is the latency of a switch. Values that the catalog only assumes for simulations count
// as unknown.
func latencyOf(e catalog.Entry) Part {
	p := Part{What: "the latency of switch " + e.Name}
	f, ok := e.Known("latency")
	if !ok || f.Tag == catalog.Assumption {
		return p
	}
	v, err := units.ParseTime(f.Value)
	if err != nil {
		return p
	}
	p.Value, p.Known, p.Tag = int64(v), true, f.Tag
	return p
}

// LatencyText prints a sum of picoseconds.
func LatencyText(v int64) string { return units.Time(v).String() }
