package doc

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"weft/units"
)

// Cell is a text, or a quantity: a value with its unit. Only the constructors below make a
// quantity, in one format for each unit.
type Cell struct {
	Text  string
	Tone  Tone
	Bar   float64 // length of a bar on the page, as a share of the column; 0 is none
	Level int     // of a row's name: 0 to maxLevel; a row is a part of the row above it with a lower level

	value   float64
	unit    string // of the value; empty for a text
	instead bool   // a text in the place of a quantity
}

const maxLevel = 2

// Text is a cell of plain text.
func Text(s string) Cell { return Cell{Text: s} }

// Instead is a text in the place of a quantity, aligned like one: failed, unknown, a range.
func Instead(s string) Cell { return Cell{Text: s, instead: true} }

// None is the cell for a quantity that does not exist.
var None = Instead("–")

// quantity is a value with its unit; text is how people read it.
func quantity(value float64, unit, text string) Cell {
	if unit == "" {
		panic("doc: a quantity without a unit: " + text)
	}
	return Cell{Text: text, value: value, unit: unit}
}

// As is the quantity with another text, such as a mark or a bound before it.
func (c Cell) As(text string) Cell {
	c.Text = text
	return c
}

// In is the cell in a tone.
func (c Cell) In(tone Tone) Cell {
	c.Tone = tone
	return c
}

// Time is a time to four digits, with trailing zeros.
func Time(t units.Time) Cell { return quantity(float64(t), "ps", TimeText(t, 4)) }

// Bytes is an amount of data to four digits: 1.5 MiB.
func Bytes(b units.Bytes) Cell { return quantity(float64(b), "B", b.String()) }

// ExactBytes is an amount of data as its number of bytes; the heading names the unit.
func ExactBytes(n int64) Cell { return quantity(float64(n), "B", Integer(n)) }

// Length is the length of a cable.
func Length(l units.Length) Cell { return quantity(float64(l), "mm", l.String()) }

// Power is an electric power; 0 is 0 W.
func Power(p units.Power) Cell {
	if p == 0 {
		return quantity(0, "mW", "0 W")
	}
	return quantity(float64(p), "mW", p.String())
}

// Frequency is in Hz, shown in GHz.
func Frequency(hz int64) Cell {
	return quantity(float64(hz), "Hz", strconv.FormatFloat(float64(hz)/1e9, 'f', -1, 64)+" GHz")
}

// Money is an amount in a currency, to its whole unit.
func Money(amount float64, currency string) Cell {
	return quantity(amount, cmp.Or(currency, "money"), Integer(int64(amount+0.5))+" "+currency)
}

// Number is a number of things, to four digits; the heading names the things.
func Number(x float64, things string) Cell {
	return quantity(x, things, strconv.FormatFloat(x, 'g', 4, 64))
}

// Ratio is how many times one quantity is as large as another, to a number of decimals.
func Ratio(x float64, decimals int) Cell {
	return quantity(x, "ratio", strconv.FormatFloat(x, 'f', decimals, 64))
}

// Share is a fraction of 1 as a percentage, to one decimal below 10 % and where it would be rounded to 100 %.
func Share(x float64) Cell {
	text := strconv.FormatFloat(100*x, 'f', 0, 64)
	switch {
	case x > 0 && x < 0.0005:
		text = "<0.1"
	case x >= 0.9995 && x < 1:
		text = ">99.9"
	case x != 0 && x < 0.0995, x >= 0.995 && x < 1:
		text = strconv.FormatFloat(100*x, 'f', 1, 64)
	}
	return quantity(100*x, "%", text+" %")
}

// Tenths is a fraction of 1 as a percentage to one decimal. It may be negative.
func Tenths(x float64) Cell { return quantity(100*x, "%", fmt.Sprintf("%.1f %%", 100*x)) }

// Bandwidth is GB/s to about three digits, never as an exponent; the heading names the unit.
func Bandwidth(gbytes float64) Cell {
	decimals := 0
	for i, least := range []float64{999.5, 9.995, 0.995, 0.0995} {
		if gbytes < least && gbytes != 0 {
			decimals = i + 1
		}
	}
	return quantity(gbytes, "GB/s", strconv.FormatFloat(gbytes, 'f', decimals, 64))
}

// Count is an integer with thousands separated, and with its magnitude from ten million on.
func Count[T int | int64](n T) Cell { return counted(int64(n), "count") }

// TokensPerSecond is the speed of a training job, as a count.
func TokensPerSecond(x float64) Cell { return counted(int64(x), "tokens/s") }

func counted(n int64, unit string) Cell {
	text := Integer(n)
	for i, size := range []float64{1e6, 1e9, 1e12} {
		if v := float64(n) / size; v >= 1 && n >= 10_000_000 {
			text = strconv.FormatFloat(v, 'g', 4, 64) + " " + "MGT"[i:i+1]
		}
	}
	return quantity(float64(n), unit, text)
}

// Integer is n with thousands separated: 12,345.
func Integer(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// TimeText is a time to n digits in its usual unit.
func TimeText(t units.Time, n int) string {
	switch {
	case t == 0:
		return "0"
	case t < 0:
		return "-" + TimeText(-t, n)
	}
	size, unit := units.Picosecond, 0
	for unit < 4 && t >= 1000*size {
		size, unit = 1000*size, unit+1
	}
	v, decimals := float64(t)/float64(size), 0
	if unit > 0 { // nothing is smaller than a picosecond
		decimals = max(0, n-len(strconv.FormatInt(int64(v), 10)))
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > 0 && len(text) > n+1 { // 9.9996 is 10.00
		text = strings.TrimSuffix(text[:len(text)-1], ".")
	}
	return text + " " + []string{"ps", "ns", "us", "ms", "s"}[unit]
}
