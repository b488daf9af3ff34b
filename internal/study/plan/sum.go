package plan

import (
	"cmp"
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
	least, most := each.Range()
	s.Known += int64(quantity) * least
	s.bounds += int64(quantity) * (most - least)
	if each.Known || each.What == "" {
		s.Softest = catalog.Softer(cmp.Or(s.Softest, each.Tag), each.Tag)
		return
	}
	s.open = s.open || each.Most == 0
	if !slices.Contains(s.Missing, each.What) {
		s.Missing = append(s.Missing, each.What)
	}
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
	Least int64 // if it is not known: it is no less; 0 without such a bound
	Most  int64 // if it is not known: it is no more; 0 without such a bound
	Tag   catalog.Tag
	What  string // its name, for Missing; empty for a range that a source states
}

// Range is the least and the most that a part can be; the most is the least of a part without a bound.
func (p Part) Range() (least, most int64) {
	if p.Known {
		return p.Value, p.Value
	}
	return p.Least, max(p.Least, p.Most)
}

// Text is a number of pieces as [Sum.Text] prints them.
func (p Part) Text(pieces int, write func(int64) string) string {
	var s Sum
	s.add(pieces, p)
	return s.Text(write)
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
