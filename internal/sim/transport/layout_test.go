package transport

import (
	"reflect"
	"testing"
)

// offset is the offset of a field in a QP; path names the parts on the way to it.
func offset(t *testing.T, path ...string) (at uintptr) {
	t.Helper()
	of := reflect.TypeFor[QP]()
	for _, name := range path {
		f, ok := of.FieldByName(name)
		if !ok {
			t.Fatalf("%v has no field %s", of, name)
		}
		at, of = at+f.Offset, f.Type
	}
	return at
}

// TestAPacketTouchesFewLinesOfAQueuePair has a QP that begins in the middle of a cache
// line, as in the fabric's record of a connection.
func TestAPacketTouchesFewLinesOfAQueuePair(t *testing.T) {
	const line, before = 64, 32
	for _, part := range []struct {
		name       string
		first, end uintptr
		lines      uintptr
	}{
		{"every packet", 0, offset(t, "req", "congestion"), 1},
		{"congestion control", offset(t, "req", "congestion"), offset(t, "req", "congestion", "paceAt"), 1},
		{"the requester", offset(t, "req", "congestion", "paceAt"), offset(t, "req", "sendQueue", "ring"), 2},
		{"the responder", offset(t, "resp", "acks"), offset(t, "resp", "recvQueue", "rq"), 1},
	} {
		if got := (part.end+before-1)/line - (part.first+before)/line + 1; got != part.lines {
			t.Errorf("%s: bytes %d to %d touch %d lines, want %d", part.name, part.first, part.end, got, part.lines)
		}
	}
	const most = 376 // then a connection of the fabric has seven lines
	if got := reflect.TypeFor[QP]().Size(); got > most {
		t.Errorf("a queue pair has %d bytes, want %d at most", got, most)
	}
}
