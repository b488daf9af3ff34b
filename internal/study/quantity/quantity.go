package quantity

import (
	"weft/results"
	"weft/scenario"
)

// Unit is the unit of a quantity's values.
type Unit string

// The units.
const (
	Number            Unit = "" // nothing is known of it
	Picoseconds       Unit = "ps"
	Bytes             Unit = "bytes"
	BitsPerSecond     Unit = "bps"
	GBytesPerSecond   Unit = "gbytes_per_s" // 10⁹ bytes a second
	TokensPerSecond   Unit = "tokens_per_s"
	RequestsPerSecond Unit = "requests_per_s"
	Share             Unit = "share"  // 0 to 1, for people to a percent
	Tenths            Unit = "tenths" // a share, for people to a tenth of a percent
	Count             Unit = "count"
)

// Whole reports whether the values are whole numbers.
func (u Unit) Whole() bool { return u == Picoseconds || u == Count }

// InName is the unit as names of columns end with it; empty if they do not.
func (u Unit) InName() string {
	switch u {
	case Picoseconds, Bytes, BitsPerSecond, GBytesPerSecond:
		return string(u)
	}
	return ""
}

// Measure is what a quantity is, whatever it is measured of.
type Measure struct {
	Name    scenario.SweepQuantity // in files and in sweep.keep
	Heading string                 // in tables for people, whose cells have the unit
	Unit    Unit
	Meaning string
}

// Quantity is something measured of a result R.
type Quantity[R any] struct {
	Measure
	Of func(*R) float64
}

// filed is the value for a file, rounded as results.json is.
func (q *Quantity[R]) filed(r *R) float64 {
	switch x := q.Of(r); q.Unit {
	case GBytesPerSecond, TokensPerSecond, RequestsPerSecond:
		return results.RoundedBandwidth(x)
	case Share, Tenths:
		return results.RoundedShare(x)
	default:
		return x
	}
}

// List is the quantities of one kind of result, in the order of a table.
type List[R any] []Quantity[R]

// Measures are the quantities without their values.
func (l List[R]) Measures() []Measure {
	out := make([]Measure, len(l))
	for i := range l {
		out[i] = l[i].Measure
	}
	return out
}

// Filed are the values for a file.
func (l List[R]) Filed(r *R) []float64 {
	out := make([]float64, len(l))
	for i := range l {
		out[i] = l[i].filed(r)
	}
	return out
}

// Only are some of the quantities, by name. A name that no quantity has is a defect of the caller.
func (l List[R]) Only(names ...scenario.SweepQuantity) List[R] {
	out := make(List[R], 0, len(names))
	for _, name := range names {
		for i := range l {
			if l[i].Name == name {
				out = append(out, l[i])
			}
		}
	}
	if len(out) != len(names) {
		panic("quantity: a name that no quantity has")
	}
	return out
}
