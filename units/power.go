package units

// Power is electrical power in milliwatts.
type Power int64

// The units of Power.
const (
	Milliwatt Power = 1
	Watt            = 1000 * Milliwatt
	Kilowatt        = 1000 * Watt
	Megawatt        = 1000 * Kilowatt
)

var powerUnits = []unit{
	{"MW", int64(Megawatt)},
	{"kW", int64(Kilowatt)},
	{"W", int64(Watt)},
	{"mW", int64(Milliwatt)},
}

var powerQuantity = quantity{
	noun:    "a power",
	example: "24.9W",
	base:    "milliwatts",
	valid:   "mW, W, kW or MW",
	printed: powerUnits,
	exact:   powerUnits,
	parsed:  powerUnits,
}

// ParsePower reads a power such as 24.9W or 120kW, exactly.
func ParsePower(text string) (Power, error) {
	v, err := powerQuantity.parse(text)
	return Power(v), err
}

// String is p rounded to four digits: 24.9 W.
func (p Power) String() string { return powerQuantity.text(int64(p)) }

// Exact is p as ParsePower reads it, without loss: 24.9W.
func (p Power) Exact() string { return powerQuantity.exactText(int64(p)) }
