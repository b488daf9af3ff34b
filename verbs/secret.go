package verbs

import (
	"crypto/rand"
	"encoding/binary"
)

// secret is a number that nobody can foretell, whatever he has seen of those before.
func secret() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails (crypto/rand)
	return binary.NativeEndian.Uint64(b[:])
}
