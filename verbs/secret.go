package verbs

import (
	"crypto/rand"
	"encoding/binary"
)

// secret is a random number that nobody can predict, even from earlier ones.
func secret() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails (crypto/rand)
	return binary.NativeEndian.Uint64(b[:])
}
