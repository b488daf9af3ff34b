package scenario

import (
	"fmt"
	"strconv"
)

// PKey is the key of a partition without the bit of membership: 15 bits, from
// 0x0001 to 0x7fff. It is written in hexadecimal or decimal.
type PKey int

// DefaultPKey is the default partition's.
const DefaultPKey PKey = 0x7fff

// Exact writes the key so that it reads as the same.
func (k PKey) Exact() string { return fmt.Sprintf("0x%04x", int(k)) }

// parsePKey reads a key. The bit of membership is no part of it: who is a full
// member is said by name.
func parsePKey(text string) (PKey, error) {
	n, err := strconv.ParseUint(text, 0, 16)
	if err != nil || n > uint64(DefaultPKey) {
		return 0, fmt.Errorf("%q is no P_Key: want 0x0001 to 0x7fff, without the bit of membership", abridged(text))
	}
	return PKey(n), nil
}
