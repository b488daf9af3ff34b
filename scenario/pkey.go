package scenario

import (
	"fmt"
	"strconv"
)

// PKey is the key of a P_Key partition without the membership bit: 15 bits, from 0x0001 to 0x7fff.
// It is written in hexadecimal or decimal.
type PKey int

// DefaultPKey is the key of the default partition.
const DefaultPKey PKey = 0x7fff

// Exact is the key in a form that reads as the same key.
func (k PKey) Exact() string { return fmt.Sprintf("0x%04x", int(k)) }

// parsePKey reads a key. The membership bit is not part of it: full members are listed by name.
func parsePKey(text string) (PKey, error) {
	n, err := strconv.ParseUint(text, 0, 16)
	if err != nil || n > uint64(DefaultPKey) {
		return 0, fmt.Errorf("%q is no P_Key: want 0x0001 to 0x7fff, without the bit of membership", abridged(text))
	}
	return PKey(n), nil
}
