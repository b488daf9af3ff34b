package transport

import (
	"testing"
	"unsafe"
)

// TestAPacketTouchesFewLinesOfAQueuePair has a QP that begins in the middle of a cache
// line, as in the fabric's record of a connection.
func TestAPacketTouchesFewLinesOfAQueuePair(t *testing.T) {
	const line, before = 64, 32
	var q QP
	at := func(field unsafe.Pointer) uintptr { return uintptr(field) - uintptr(unsafe.Pointer(&q)) + before }
	r, s := &q.req, &q.resp
	for _, part := range []struct {
		name       string
		first, end uintptr
		lines      uintptr
	}{
		{"every packet", at(unsafe.Pointer(&r.cfg)), at(unsafe.Pointer(&r.posted)) + 1, 1},
		{"congestion control", at(unsafe.Pointer(&r.alg)), at(unsafe.Pointer(&r.paceAt)), 1},
		{"the requester", at(unsafe.Pointer(&r.paceAt)), at(unsafe.Pointer(&r.ring)), 2},
		{"the responder", at(unsafe.Pointer(&s.epsn)), at(unsafe.Pointer(&s.rq)), 1},
	} {
		if got := (part.end-1)/line - part.first/line + 1; got != part.lines {
			t.Errorf("%s: %d bytes touch %d lines, want %d", part.name, part.end-part.first, got, part.lines)
		}
	}
	const most = 376 // with it, seven lines hold a connection of the fabric
	if got := unsafe.Sizeof(q); got > most {
		t.Errorf("a queue pair has %d bytes, want %d at most", got, most)
	}
}
