package units

// FLOPS is a rate of floating-point operations, in operations per second.
type FLOPS int64

// The units of FLOPS.
const (
	FLOP   FLOPS = 1
	GFLOPS       = 1_000_000_000 * FLOP
	TFLOPS       = 1000 * GFLOPS
	PFLOPS       = 1000 * TFLOPS
)

var flopsUnits = []unit{
	{"PFLOPS", int64(PFLOPS)},
	{"TFLOPS", int64(TFLOPS)},
	{"GFLOPS", int64(GFLOPS)},
	{"FLOPS", 1},
}

var flopsQuantity = quantity{
	noun:    "a rate of operations",
	example: "989TFLOPS",
	base:    "operations per second",
	valid:   "GFLOPS, TFLOPS or PFLOPS",
	printed: flopsUnits,
	exact:   flopsUnits,
	parsed:  flopsUnits,
}

// ParseFLOPS reads a rate of operations such as 989TFLOPS, exactly.
func ParseFLOPS(text string) (FLOPS, error) {
	v, err := flopsQuantity.parse(text)
	return FLOPS(v), err
}

// String is f rounded to four digits: 989 TFLOPS.
func (f FLOPS) String() string { return flopsQuantity.text(int64(f)) }

// Exact is f as ParseFLOPS reads it, without loss: 989.4TFLOPS.
func (f FLOPS) Exact() string { return flopsQuantity.exactText(int64(f)) }

// MarshalText is Exact.
func (f FLOPS) MarshalText() ([]byte, error) { return []byte(f.Exact()), nil }

// UnmarshalText is ParseFLOPS.
func (f *FLOPS) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFLOPS(string(text))
	return err
}
