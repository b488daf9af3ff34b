package units

// Rate is a data rate in bits per second.
type Rate int64

// The units of Rate.
const (
	BitPerSecond Rate = 1
	Kbps              = 1000 * BitPerSecond
	Mbps              = 1000 * Kbps
	Gbps              = 1000 * Mbps
	Tbps              = 1000 * Gbps
)

var rateQuantity = quantity{
	noun:    "a rate",
	example: "400Gbps",
	base:    "bits per second",
	valid:   "bps, Kbps, Mbps, Gbps, Tbps, the same as b/s or M, G, T, or bytes as B/s, KB/s, MB/s, GB/s, TB/s",
	printed: []unit{
		{"Tb/s", int64(Tbps)},
		{"Gb/s", int64(Gbps)},
		{"Mb/s", int64(Mbps)},
		{"Kb/s", int64(Kbps)},
		{"b/s", 1},
	},
	exact: []unit{
		{"Tbps", int64(Tbps)},
		{"Gbps", int64(Gbps)},
		{"Mbps", int64(Mbps)},
		{"Kbps", int64(Kbps)},
		{"bps", 1},
	},
	parsed: rateSpellings(),
}

// rateSpellings is every prefix in every notation of a rate.
func rateSpellings() []unit {
	prefixes := []unit{
		{"", 1},
		{"k", int64(Kbps)},
		{"K", int64(Kbps)},
		{"M", int64(Mbps)},
		{"G", int64(Gbps)},
		{"T", int64(Tbps)},
	}
	all := []unit{{"M", int64(Mbps)}, {"G", int64(Gbps)}, {"T", int64(Tbps)}} // a port of 400G
	notations := []unit{{"bps", 1}, {"b/s", 1}, {"bit/s", 1}, {"B/s", 8}}
	for _, p := range prefixes {
		for _, n := range notations {
			all = append(all, unit{p.name + n.name, p.scale * n.scale})
		}
	}
	return all
}

// ParseRate reads a rate such as 400Gbps, 400G, 200Gb/s or 48.9GB/s, exactly.
// Prefixes are powers of 1000; a capital B is bytes.
func ParseRate(text string) (Rate, error) {
	v, err := rateQuantity.parse(text)
	return Rate(v), err
}

// String is r rounded to four digits: 392 Gb/s.
func (r Rate) String() string { return rateQuantity.text(int64(r)) }

// Exact is r as ParseRate reads it, without loss: 400Gbps.
func (r Rate) Exact() string { return rateQuantity.exactText(int64(r)) }

// MarshalText is Exact.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.Exact()), nil }

// UnmarshalText is ParseRate.
func (r *Rate) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRate(string(text))
	return err
}
