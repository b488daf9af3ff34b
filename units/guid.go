package units

import "fmt"

// GUID is a 64-bit identifier that a maker gives to an InfiniBand node or port (EUI-64; IBA vol. 1,
// 4.1). 0 is unknown.
type GUID uint64

// String is the GUID as InfiniBand's tools print it: 0x and 16 digits.
func (g GUID) String() string { return fmt.Sprintf("0x%016x", uint64(g)) }

// MarshalText is String.
func (g GUID) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// Digits is the GUID as in node identifiers: 16 digits, no prefix.
func (g GUID) Digits() string { return fmt.Sprintf("%016x", uint64(g)) }
