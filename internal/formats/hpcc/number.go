package hpcc

import (
	"math/big"
	"strconv"
	"strings"

	"weft/units"
)

// A Ratio is an exact fraction in lowest terms; the zero Ratio is 0.
type Ratio struct{ Num, Den int64 }

// Float is the nearest float, for reports only.
func (r Ratio) Float() float64 {
	if r.Den == 0 {
		return 0
	}
	return float64(r.Num) / float64(r.Den)
}

// decimal reads a decimal number as C++ streams do: 2, 2.0, .5, 2e-6. It is exact. It is false for
// anything else, including negative numbers.
func decimal(text string) (*big.Rat, bool) {
	mantissa, exponent := strings.TrimPrefix(text, "+"), 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		e, err := strconv.Atoi(mantissa[i+1:])
		if err != nil || e < -60 || e > 60 {
			return nil, false
		}
		mantissa, exponent = mantissa[:i], e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || len(digits) > 60 || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	n, _ := new(big.Int).SetString(digits, 10)
	r := new(big.Rat).SetInt(n)
	exponent -= len(fraction)
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil))
	if exponent < 0 {
		return r.Quo(r, scale), true
	}
	return r.Mul(r, scale), true
}

// nearest is the integer nearest to r, halves up, if it is at most limit.
func nearest(r *big.Rat, limit int64) (int64, bool) {
	twice := new(big.Int).Lsh(r.Num(), 1)
	q := twice.Add(twice, r.Denom())
	q.Quo(q, new(big.Int).Lsh(r.Denom(), 1))
	if !q.IsInt64() || q.Int64() > limit {
		return 0, false
	}
	return q.Int64(), true
}

// floor is r without its fraction, if it is at most limit.
func floor(r *big.Rat, limit int64) (int64, bool) {
	q := new(big.Int).Quo(r.Num(), r.Denom())
	if !q.IsInt64() || q.Int64() > limit {
		return 0, false
	}
	return q.Int64(), true
}

// parseInt reads a whole number from low to high.
func parseInt(text string, low, high int64) (int64, bool) {
	v, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64)
	return v, err == nil && v >= low && v <= high
}

// parseRatio reads a decimal number up to limit.
func parseRatio(text string, limit int64) (Ratio, bool) {
	r, ok := decimal(text)
	if !ok || r.Cmp(new(big.Rat).SetInt64(limit)) > 0 || !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return Ratio{}, false
	}
	return Ratio{r.Num().Int64(), r.Denom().Int64()}, true
}

// parseTime reads a decimal number of the given unit, to the nearest picosecond, up to this many
// seconds.
func parseTime(text string, unit units.Time, seconds int64) (units.Time, bool) {
	r, ok := decimal(text)
	if !ok {
		return 0, false
	}
	ps, ok := nearest(r.Mul(r, new(big.Rat).SetInt64(int64(unit))), seconds*int64(units.Second))
	return units.Time(ps), ok
}

// splitUnit cuts a quantity before its unit.
func splitUnit(text string) (number, unit string) {
	i := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.", r) })
	if i < 0 {
		return text, ""
	}
	return text[:i], text[i:]
}

// delayUnits are the units of a time in ns-3 (class Time); a number without a unit is in seconds.
var delayUnits = map[string]units.Time{
	"": units.Second, "s": units.Second, "ms": units.Millisecond,
	"us": units.Microsecond, "ns": units.Nanosecond, "ps": units.Picosecond,
}

// parseDelay reads the delay of a link, such as 0.001ms.
func parseDelay(text string) (units.Time, bool) {
	number, name := splitUnit(text)
	unit, ok := delayUnits[name]
	if !ok {
		return 0, false
	}
	return parseTime(number, unit, maxDelaySeconds)
}

// ratePrefixes and rateSuffixes spell the units of a rate in ns-3 (class DataRate); a number
// without a unit is in bits per second. A fraction of a bit per second is dropped.
var (
	ratePrefixes = map[string]int64{
		"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9,
		"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30,
	}
	rateSuffixes = []struct {
		name string
		bits int64
	}{{"bps", 1}, {"b/s", 1}, {"Bps", 8}, {"B/s", 8}}
)

// parseRate reads a rate such as 100Gbps or 20Mb/s.
func parseRate(text string) (units.Rate, bool) {
	number, name := splitUnit(text)
	scale, ok := int64(1), name == ""
	for _, suffix := range rateSuffixes {
		if prefix, found := strings.CutSuffix(name, suffix.name); found {
			scale, ok = ratePrefixes[prefix]
			scale *= suffix.bits
			break
		}
	}
	r, valid := decimal(number)
	if !ok || !valid {
		return 0, false
	}
	bps, ok := floor(r.Mul(r, new(big.Rat).SetInt64(scale)), maxRate)
	return units.Rate(bps), ok
}
