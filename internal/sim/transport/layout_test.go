package transport

import (
	"reflect"
	"testing"
)

// The offsets are those in a QP that begins in the middle of a cache line, as one
// does in the fabric's record of a connection.
func TestAPacketTouchesFewLinesOfAQueuePair(t *testing.T) {
	const line, before = 64, 32
	for _, part := range []struct {
		name        string
		first, last string
		lines       uintptr
	}{
		{"every packet", "cfg", "posted", 1},
		{"the requester", "head", "expired", 2},
		{"the responder", "epsn", "nakAt", 1},
		{"congestion control", "alg", "chance", 1},
	} {
		first, _ := reflect.TypeFor[QP]().FieldByName(part.first)
		last, _ := reflect.TypeFor[QP]().FieldByName(part.last)
		end := last.Offset + last.Type.Size() + before
		if got := (end-1)/line - (first.Offset+before)/line + 1; got != part.lines {
			t.Errorf("%s touches %d lines, from %s to %s: want %d", part.name, got, part.first, part.last, part.lines)
		}
	}
}
