package units

import "math"

// Time is a point on, or a span of, the simulated clock in integer
// picoseconds. The range of ±106 days is far beyond any run.
type Time int64

// The units of Time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// Forever is later than every event: "no deadline".
const Forever Time = math.MaxInt64

var timeUnits = []unit{
	{"s", int64(Second)},
	{"ms", int64(Millisecond)},
	{"us", int64(Microsecond)},
	{"ns", int64(Nanosecond)},
	{"ps", int64(Picosecond)},
}

var timeQuantity = quantity{
	noun:    "a time",
	example: "1.2us",
	base:    "picoseconds",
	valid:   "ps, ns, us, ms or s",
	printed: timeUnits,
	exact:   timeUnits,
	parsed: append([]unit{
		{"µs", int64(Microsecond)}, // U+00B5, the micro sign
		{"μs", int64(Microsecond)}, // U+03BC, the Greek letter
	}, timeUnits...),
}

// ParseTime reads a time such as 1.2us or 350ns, exactly: a fraction of a picosecond is an error
// and is not rounded.
func ParseTime(text string) (Time, error) {
	v, err := timeQuantity.parse(text)
	return Time(v), err
}

// Seconds is t as a floating-point number of seconds, for reports only.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// String is t rounded to four digits: 1.23 ms, 830 ns.
func (t Time) String() string {
	if t == Forever {
		return "forever"
	}
	return timeQuantity.text(int64(t))
}

// Exact is t as ParseTime reads it, without loss: 1.2us.
func (t Time) Exact() string { return timeQuantity.exactText(int64(t)) }

// MarshalText is Exact.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.Exact()), nil }

// UnmarshalText is ParseTime.
func (t *Time) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTime(string(text))
	return err
}
