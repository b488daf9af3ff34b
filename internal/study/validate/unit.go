package validate

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Unit is the unit of a value, and its form in print.
type Unit uint8

// The units. Times are picoseconds in a Row, whatever they are shown in.
const (
	Plain        Unit = iota // a number
	Nanoseconds              // exact to the picosecond
	Microseconds             // to the nanosecond
	Bytes
	Gigabits  // bits per second
	Gigabytes // bytes per second
	Percent   // a part of 1
)

// text is a value for people.
func (u Unit) text(v float64) string {
	switch u {
	case Nanoseconds:
		return fixed(v/1e3, 3) + " ns"
	case Microseconds:
		return fixed(v/1e6, 3) + " us"
	case Bytes:
		return strconv.FormatFloat(v, 'f', -1, 64) + " B"
	case Gigabits:
		return fixed(v/1e9, 3) + " Gb/s"
	case Gigabytes:
		return fixed(v/1e9, 2) + " GB/s"
	case Percent:
		return fixed(v*100, 2) + " %"
	}
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}

// series is the values of a row: the only one, or the first and the last.
func (u Unit) series(v []float64) string {
	switch len(v) {
	case 0:
		return "-"
	case 1:
		return u.text(v[0])
	}
	return u.text(v[0]) + " … " + u.text(v[len(v)-1])
}

func fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

// percent is a part of 1 as a percentage with as many digits as it takes.
func percent(v float64) string { return strconv.FormatFloat(v*100, 'g', 4, 64) + " %" }

// errorText is the largest error of a row.
func (r *Row) errorText() string {
	if len(r.Weft) == 0 || len(r.Reference) == 0 {
		return "-"
	}
	i := r.Worst()
	want, got := r.Reference[i], r.Weft[i]
	if want == got {
		return "0"
	}
	if r.Tolerance.Kind == ToleranceExact {
		text := r.Unit.text(got - want)
		if !strings.HasPrefix(text, "-") {
			text = "+" + text
		}
		return text
	}
	if want == 0 {
		return fmt.Sprintf("%+g", got)
	}
	return fmt.Sprintf("%+.3f %%", 100*relative(want, got))
}
