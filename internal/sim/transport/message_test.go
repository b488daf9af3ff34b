package transport

import (
	"testing"

	"weft/units"
	"weft/wire"
)

func TestAMessageTakesItsPacketsInOrderAndToItsLength(t *testing.T) {
	const bad = wire.NAKInvalidRequest
	for _, c := range []struct {
		name    string
		room    uint32
		packets []Packet
		want    wire.Syndrome // of the last packet; the others are accepted
	}{
		{"a WRITE", 0, []Packet{{Op: wire.RCWriteFirst, Length: 16, DMALen: 40}, {Op: wire.RCWriteMiddle, Length: 16}, {Op: wire.RCWriteLast, Length: 8}}, 0},
		{"an empty WRITE", 0, []Packet{{Op: wire.RCWriteOnly}}, 0},
		{"a WRITE that ends early", 0, []Packet{{Op: wire.RCWriteFirst, Length: 16, DMALen: 40}, {Op: wire.RCWriteLast, Length: 8}}, bad},
		{"a WRITE that goes on", 0, []Packet{{Op: wire.RCWriteFirst, Length: 16, DMALen: 24}, {Op: wire.RCWriteMiddle, Length: 16}}, bad},
		{"a SEND that fits", 24, []Packet{{Op: wire.RCSendFirst, Length: 16}, {Op: wire.RCSendLast, Length: 8}}, 0},
		{"a SEND that is too long", 24, []Packet{{Op: wire.RCSendFirst, Length: 16}, {Op: wire.RCSendLast, Length: 9}}, bad},
		{"a middle first", 24, []Packet{{Op: wire.RCSendMiddle, Length: 16}}, bad},
		{"a SEND in a WRITE", 24, []Packet{{Op: wire.RCWriteFirst, Length: 16, DMALen: 40}, {Op: wire.RCSendLast, Length: 8}}, bad},
		{"a short middle", 64, []Packet{{Op: wire.RCSendFirst, Length: 16}, {Op: wire.RCSendMiddle, Length: 15}}, bad},
		{"more than the path MTU", 64, []Packet{{Op: wire.RCSendOnly, Length: 17}}, bad},
	} {
		e := &endpoint{cfg: &Config{PathMTU: 16}}
		var m message
		for i := range c.packets {
			want := wire.Syndrome(0)
			if i == len(c.packets)-1 {
				want = c.want
			}
			if got := m.assemble(e, &c.packets[i], &ops[c.packets[i].Op], c.room); got != want {
				t.Errorf("%s: packet %d draws %#x, want %#x", c.name, i, got, want)
			}
		}
	}
}

// The owner of the memory is asked about the whole WRITE at each of its packets.
func TestMemoryThatIsWithdrawnEndsAWrite(t *testing.T) {
	open := true
	var asked int
	e := &endpoint{cfg: &Config{PathMTU: 16, Access: func(_ units.QPN, a Access, rkey uint32, va uint64, length uint32) bool {
		if asked++; a != AccessRemoteWrite || rkey != 5 || va != 1000 || length != 40 {
			t.Errorf("asked for access %v with key %d to %d bytes at %d, want a WRITE with 5 to 40 at 1000", a, rkey, length, va)
		}
		return open
	}}}
	var m message
	first := Packet{Op: wire.RCWriteFirst, Length: 16, DMALen: 40, VA: 1000, RKey: 5}
	if got := m.assemble(e, &first, &ops[first.Op], 0); got != 0 {
		t.Errorf("the first packet draws %#x, want none", got)
	}
	open = false
	middle := Packet{Op: wire.RCWriteMiddle, Length: 16}
	if got := m.assemble(e, &middle, &ops[middle.Op], 0); got != wire.NAKRemoteAccess || asked != 2 {
		t.Errorf("the second draws %#x after %d questions, want %#x after 2", got, asked, wire.NAKRemoteAccess)
	}
}
