package units

// Length is the length of a cable in millimetres.
type Length int64

// The units of Length.
const (
	Millimetre Length = 1
	Metre             = 1000 * Millimetre
)

var lengthUnits = []unit{
	{"km", int64(1000 * Metre)},
	{"m", int64(Metre)},
	{"mm", int64(Millimetre)},
}

var lengthQuantity = quantity{
	noun:    "a length",
	example: "30m",
	base:    "millimetres",
	valid:   "mm, cm, m or km",
	printed: lengthUnits,
	exact:   lengthUnits,
	parsed:  append([]unit{{"cm", int64(10 * Millimetre)}}, lengthUnits...),
}

// ParseLength reads a length such as 30m or 150cm, exactly.
func ParseLength(text string) (Length, error) {
	v, err := lengthQuantity.parse(text)
	return Length(v), err
}

// String is l rounded to four digits: 30 m.
func (l Length) String() string { return lengthQuantity.text(int64(l)) }

// Exact is l as ParseLength reads it, without loss: 1.5m.
func (l Length) Exact() string { return lengthQuantity.exactText(int64(l)) }

// MarshalText is Exact.
func (l Length) MarshalText() ([]byte, error) { return []byte(l.Exact()), nil }

// UnmarshalText is ParseLength.
func (l *Length) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLength(string(text))
	return err
}
