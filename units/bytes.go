package units

// Bytes is an amount of data in bytes.
type Bytes int64

// The units of Bytes.
const (
	KB  Bytes = 1000
	MB        = 1000 * KB
	GB        = 1000 * MB
	KiB Bytes = 1024
	MiB       = 1024 * KiB
	GiB       = 1024 * MiB
)

var byteUnits = []unit{
	{"TiB", int64(1024 * GiB)},
	{"TB", int64(1000 * GB)},
	{"GiB", int64(GiB)},
	{"GB", int64(GB)},
	{"MiB", int64(MiB)},
	{"MB", int64(MB)},
	{"KiB", int64(KiB)},
	{"KB", int64(KB)},
	{"B", 1},
}

var bytesQuantity = quantity{
	noun:    "an amount of data",
	example: "4KiB",
	base:    "bytes",
	valid:   "bytes, KiB, MiB, GiB, TiB or K, M, G, T (powers of 1024), or KB, MB, GB, TB (powers of 1000)",
	printed: []unit{
		{"TiB", int64(1024 * GiB)},
		{"GiB", int64(GiB)},
		{"MiB", int64(MiB)},
		{"KiB", int64(KiB)},
		{"B", 1},
	},
	exact:  byteUnits,
	parsed: append(append([]unit{{"kB", int64(KB)}}, byteUnits...), sizeUnits...),
}

// sizeUnits are the notation of nccl-tests and perftest: bytes without a unit, and
// powers of 1024 under a letter.
var sizeUnits = []unit{
	{"", 1},
	{"K", int64(KiB)},
	{"k", int64(KiB)},
	{"M", int64(MiB)},
	{"m", int64(MiB)},
	{"G", int64(GiB)},
	{"g", int64(GiB)},
	{"T", int64(1024 * GiB)},
	{"t", int64(1024 * GiB)},
}

// ParseBytes reads an amount of data, exactly: 4KiB and 1MB, as in files; 8, 64K and 1G, as in
// nccl-tests and perftest; 1.5 MiB, as String prints it.
func ParseBytes(text string) (Bytes, error) {
	v, err := bytesQuantity.parse(text)
	return Bytes(v), err
}

// String is b rounded to four digits: 4 KiB, 1.5 MiB.
func (b Bytes) String() string { return bytesQuantity.text(int64(b)) }

// Exact is b as ParseBytes reads it, without loss: 4KiB, 1MB.
func (b Bytes) Exact() string { return bytesQuantity.exactText(int64(b)) }

// MarshalText is Exact.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.Exact()), nil }

// UnmarshalText is ParseBytes.
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBytes(string(text))
	return err
}
