package transport

import (
	"testing"

	"weft/units"
	"weft/wire"
)

// A responder alone answers requests. An error ends the endpoint, and leaves the posted
// receives to the code that flushes the work of both halves.
func TestAResponderAloneAnswersAndRefuses(t *testing.T) {
	e := &endpoint{cfg: &Config{PathMTU: 16, AckEvery: 1}, remote: 7, qpn: 9, state: StateRTR, wake: 5}
	s := responder{acks: acks{epsn: 100}}
	if err := s.post(e, 0, RecvRequest{ID: 33, Length: 8}); err != nil {
		t.Fatal(err)
	}
	var b Batch
	take := func(p Packet) Verdict { return s.receive(e, 0, &p, &ops[p.Op], &b) }
	if v := take(Packet{Op: wire.RCWriteOnly, PSN: 100, Length: 4, DMALen: 4, VA: 64}); v != PlaceWrite {
		t.Errorf("a WRITE: %v, want PlaceWrite", v)
	}
	if v := take(Packet{Op: wire.RCReadRequest, PSN: 101, DMALen: 20}); v != Taken {
		t.Errorf("a READ: %v, want Taken", v)
	}
	if len(b.Packets) != 1 || b.Packets[0].PSN != 100 || b.Packets[0].DestQP != 7 || b.Packets[0].SrcQP != 9 {
		t.Errorf("answers %+v, want the acknowledgement of 100, from 9 to 7", b.Packets)
	}
	var p Packet
	for _, want := range []units.PSN{101, 102} {
		if !s.nextResponse(e, &p) || p.PSN != want {
			t.Errorf("the response has PSN %d, want %d", p.PSN, want)
		}
	}
	if e.owed != 0 {
		t.Errorf("with all responses gone it owes %b", e.owed)
	}
	if v := take(Packet{Op: wire.RCSendOnly, PSN: 103, Length: 9}); v != Dropped {
		t.Errorf("a SEND that is longer than the receive: %v, want Dropped", v)
	}
	if last := b.Packets[len(b.Packets)-1]; last.Syndrome != wire.NAKInvalidRequest || e.state != StateErr || e.wake != units.Forever {
		t.Errorf("it draws %v, the state is %v, the next deadline %v; want NAK 0x61, ERR and none", last.Syndrome, e.state, e.wake)
	}
	if c := b.Completions; len(c) != 1 || c[0].ID != 33 || c[0].Status != LocLenErr {
		t.Errorf("completions %+v, want LOC_LEN_ERR of the receive", c)
	}
}
