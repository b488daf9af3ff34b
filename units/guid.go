package units

import (
	"fmt"
	"strconv"
	"strings"
)

// GUID is a 64-bit identifier that a maker gives to an InfiniBand node or port (EUI-64; IBA vol. 1,
// 4.1). 0 is unknown.
type GUID uint64

// String is the GUID as InfiniBand's tools print it: 0x and 16 digits.
func (g GUID) String() string { return fmt.Sprintf("0x%016x", uint64(g)) }

// Exact is String, as other quantities have it.
func (g GUID) Exact() string { return g.String() }

// ParseGUID reads a GUID: 1 to 16 hexadecimal digits, with or without 0x.
func ParseGUID(text string) (GUID, error) {
	digits := strings.TrimPrefix(strings.ToLower(text), "0x")
	x, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || digits == "" {
		return 0, fmt.Errorf("%q is no GUID: want 1 to 16 hexadecimal digits, such as 0x0002c90300a1b2c3", text)
	}
	return GUID(x), nil
}

// MarshalText is String.
func (g GUID) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// Digits is the GUID as in node identifiers: 16 digits, no prefix.
func (g GUID) Digits() string { return fmt.Sprintf("%016x", uint64(g)) }
