package host

import (
	"fmt"

	"weft/internal/sim/catalog"
	"weft/units"
)

// Source is the source of a number.
type Source struct {
	Field string `json:"field"` // nic connectx-7 tx-pipeline
	Value string `json:"value"`
	Tag   string `json:"trust"` // of the catalog, or "scenario"
	Text  string `json:"source"`
}

// SourceOf is the source of the value of an entry's field: the catalog, if the catalog has this
// value, or the scenario.
func SourceOf(kind catalog.Kind, entry, field, value string) Source {
	return Fact{kind, entry, field, value}.Source()
}

// Source finds the fact in the catalog, unless the scenario has another value.
func (h Fact) Source() Source {
	s := Source{Field: fmt.Sprintf("%s %s %s", h.kind, h.entry, h.field), Value: h.value, Tag: "scenario", Text: "the scenario says so"}
	if h.kind == catalog.Defaults {
		s.Field = h.field
	}
	entry, err := catalog.Lookup(h.kind, h.entry)
	if err != nil {
		return s
	}
	if f, ok := entry.Get(h.field); ok && sameValue(f.Value, h.value) {
		s.Tag, s.Text = string(f.Tag), f.Source
	}
	return s
}

// sameValue reports whether two texts are the same quantity.
func sameValue(a, b string) bool {
	if x, err := units.ParseTime(a); err == nil {
		y, err := units.ParseTime(b)
		return err == nil && x == y
	}
	if x, err := units.ParseRate(a); err == nil {
		y, err := units.ParseRate(b)
		return err == nil && x == y
	}
	if x, err := units.ParseLength(a); err == nil {
		y, err := units.ParseLength(b)
		return err == nil && x == y
	}
	return a == b
}

// Nanoseconds is a time in nanoseconds, to the picosecond: 1.234 ns.
func Nanoseconds(t units.Time) string {
	return fmt.Sprintf("%d.%03d ns", t/units.Nanosecond, t%units.Nanosecond)
}

// Fact is the scenario's field for a number.
type Fact struct {
	kind  catalog.Kind
	entry string // the catalog's entry that the scenario starts from
	field string
	value string // in the scenario
}
