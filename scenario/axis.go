package scenario

import (
	"math"
	"reflect"
	"strconv"
)

// Axis is the values of a parameter, mapped to the numbers from 0 to 1.
type Axis struct {
	Path   string
	Name   string   // in a sweep
	Points int      // of a range in a sweep's grid
	Values []string // values of an enumeration, in the order of the scenario; nil for a range

	typ    reflect.Type
	lo, hi float64
	step   float64 // 0: three significant digits
	log    bool
}

// Count is the number of values of the axis in a grid.
func (a *Axis) Count() int {
	if a.Numeric() {
		return a.Points
	}
	return len(a.Values)
}

// Value is a value of the axis in a grid.
func (a *Axis) Value(i int) string {
	if a.Numeric() {
		return a.At(float64(i) / float64(max(1, a.Points-1)))
	}
	return a.Values[i]
}

// Axes are the axes of the tuning's parameters, in their order.
func Axes(r *Resolved) []Axis {
	var out []Axis
	for i := range r.Tune.Parameters {
		out = append(out, r.axis(&r.Tune.Parameters[i]))
	}
	return out
}

// axis is the axis of a checked parameter.
func (r *Resolved) axis(p *Parameter) Axis {
	a := Axis{Path: p.Path}
	for _, v := range p.Values {
		a.Values = append(a.Values, string(v))
	}
	if a.Values != nil {
		return a
	}
	a.typ, _ = fieldType(p.Path)
	a.lo, _ = number(a.typ, string(p.From))
	a.hi, _ = number(a.typ, string(p.To))
	if p.Step != "" {
		a.step, _ = number(a.typ, string(p.Step))
	}
	a.log = p.Scale == Log || p.Scale == "" && a.lo > 0 && a.hi >= logFrom*a.lo
	return a
}

// Numeric reports whether the axis is a range of numbers.
func (a *Axis) Numeric() bool { return a.Values == nil }

// At is the value at a position from 0 to 1, rounded to a whole step, or to three significant
// digits: more digits are within the noise of any measurement.
func (a *Axis) At(place float64) string {
	place = min(1, max(0, place))
	if !a.Numeric() {
		return a.Values[min(len(a.Values)-1, int(place*float64(len(a.Values))))]
	}
	x := a.lo + place*(a.hi-a.lo)
	if a.log {
		x = a.lo * math.Pow(a.hi/a.lo, place)
	}
	if place > 0 && place < 1 {
		x = min(a.hi, max(a.lo, a.rounded(x)))
	}
	return written(a.typ, x)
}

func (a *Axis) rounded(x float64) float64 {
	if a.step > 0 {
		return math.Round(x/a.step) * a.step
	}
	return threeDigits(x)
}

// Place is the position of a value from 0 to 1; a value beyond the ends is at the nearer end. ok is
// false if the value is not on the axis.
func (a *Axis) Place(value string) (place float64, ok bool) {
	for i, v := range a.Values {
		if v == value {
			return (float64(i) + 0.5) / float64(len(a.Values)), true
		}
	}
	if !a.Numeric() {
		return 0, false
	}
	x, err := number(a.typ, value)
	if err != nil {
		return 0, false
	}
	place = (x - a.lo) / (a.hi - a.lo)
	if a.log {
		place = math.Log(max(x, a.lo)/a.lo) / math.Log(a.hi/a.lo)
	}
	return min(1, max(0, place)), true
}

// threeDigits rounds to three significant digits.
func threeDigits(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return x // infinity, which no range has
	}
	return rounded
}

// ratioUnit is the denominator of ratios on an axis: four digits of the smallest ratios in use,
// probabilities of marking and 1/256.
const ratioUnit = 1_000_000

// number is a value of a type as a number in the type's unit: picoseconds, bytes, bit/s,
// millimetres, or a count.
func number(t reflect.Type, text string) (float64, error) {
	v := reflect.New(t).Elem()
	if err := readScalar(text, v); err != nil {
		return 0, err
	}
	switch x := v.Interface().(type) {
	case Ratio:
		return float64(x.Num) / float64(max(1, x.Den)), nil
	default:
		if v.CanUint() {
			return float64(v.Uint()), nil
		}
		return float64(v.Int()), nil
	}
}

// written is a number as a value of the type, rounded to its unit.
func written(t reflect.Type, x float64) string {
	v := reflect.New(t).Elem()
	switch {
	case t == ratioType:
		v.Set(reflect.ValueOf(Ratio{Num: int64(math.Round(x * ratioUnit)), Den: ratioUnit}.Reduced()))
	case v.CanUint():
		v.SetUint(uint64(math.Round(x)))
	default:
		v.SetInt(int64(math.Round(x)))
	}
	return writeScalar(v)
}
