package units

import (
	"math/big"
	"strconv"
	"strings"
)

// significant is the number of digits that String shows: enough to tell two results apart, and easy
// to read.
const significant = 4

// text is value for display: rounded to four significant digits, with a space before the unit.
func (q *quantity) text(value int64) string {
	sign, magnitude := split(value)
	last := len(q.printed) - 1
	for i, u := range q.printed {
		if magnitude < uint64(u.scale) && i < last {
			continue
		}
		number := rounded(magnitude, uint64(u.scale))
		if i > 0 && number == strconv.FormatInt(q.printed[i-1].scale/u.scale, 10) {
			number, u = "1", q.printed[i-1] // 999.96 ns is 1 us
		}
		return sign + number + " " + u.name
	}
	panic("units: a quantity without printed units")
}

// rounded is magnitude/scale to four significant digits, halves away from
// zero, without trailing zeros.
func rounded(magnitude, scale uint64) string {
	whole, rest := magnitude/scale, magnitude%scale
	digits := len(strconv.FormatUint(whole, 10))
	power := uint64(1)
	for ; digits < significant; digits++ {
		power *= 10
	}
	// rest < scale <= 2^40 and power <= 1000: no overflow.
	fraction := (rest*power*2 + scale) / (scale * 2)
	whole += fraction / power
	fraction %= power
	if fraction == 0 {
		return strconv.FormatUint(whole, 10)
	}
	decimals := strconv.FormatUint(power+fraction, 10)[1:]
	return strconv.FormatUint(whole, 10) + "." + strings.TrimRight(decimals, "0")
}

// exactText is value without any loss, as parse reads it: in the unit that
// makes the shortest number, or the larger unit if two are equally short.
func (q *quantity) exactText(value int64) string {
	sign, magnitude := split(value)
	best, name := "", ""
	for i, u := range q.exact {
		if magnitude < uint64(u.scale) && i < len(q.exact)-1 {
			continue
		}
		number := decimal(magnitude, uint64(u.scale))
		if best == "" || len(number) < len(best) {
			best, name = number, u.name
		}
	}
	return sign + best + name
}

// decimal is magnitude/scale in full. Scales are products of twos and fives,
// so the digits end.
func decimal(magnitude, scale uint64) string {
	ratio := new(big.Rat).SetFrac(new(big.Int).SetUint64(magnitude), new(big.Int).SetUint64(scale))
	digits, _ := ratio.FloatPrec()
	return ratio.FloatString(digits)
}

// split separates the sign, also for the smallest integer.
func split(value int64) (sign string, magnitude uint64) {
	if value < 0 {
		return "-", -uint64(value)
	}
	return "", uint64(value)
}
