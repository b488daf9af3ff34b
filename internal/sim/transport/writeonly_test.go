package transport

import (
	"testing"

	"weft/units"
	"weft/wire"
)

// posted makes a pair that delivers out of order, posts the work requests, and takes
// packets until none may go.
func posted(t *testing.T, cfg *Config, work ...WorkRequest) (a, b *QP, sent []Packet) {
	t.Helper()
	cfg.PathMTU, cfg.RetryTimeout, cfg.RetryCount, cfg.ImplicitRecv = 1024, units.Second, 7, true
	a, b = pair(t, cfg, RC)
	for i, w := range work {
		w.ID = uint64(i)
		if err := a.PostSend(0, w); err != nil {
			t.Fatal(err)
		}
	}
	return a, b, drain(a)
}

func drain(q *QP) (sent []Packet) {
	var p Packet
	for q.Next(0, &p) {
		sent = append(sent, p)
	}
	return sent
}

func TestEachPacketOfAWriteIsAMessageOfItsOwn(t *testing.T) {
	for _, delivery := range []Delivery{OutOfOrder, WriteOnly} {
		writeOnly := delivery == WriteOnly
		_, _, sent := posted(t, &Config{Delivery: delivery, AckEvery: 1 << 20},
			WorkRequest{Op: OpWrite, Length: 3000}, WorkRequest{Op: OpRead, Length: 100}, WorkRequest{Op: OpWriteImm, Length: 2000})
		want := []wire.Opcode{wire.RCWriteFirst, wire.RCWriteMiddle, wire.RCWriteLast, wire.RCReadRequest}
		if writeOnly {
			want = []wire.Opcode{wire.RCWriteOnly, wire.RCWriteOnly, wire.RCWriteOnly, wire.RCReadRequest}
		} else {
			want = append(want, wire.RCWriteFirst, wire.RCWriteLastImm)
		}
		if len(sent) != len(want) {
			t.Fatalf("write-only %v: %d packets went, want %d", writeOnly, len(sent), len(want))
		}
		for i := range sent {
			if sent[i].Op != want[i] {
				t.Errorf("write-only %v: packet %d is %v, want %v", writeOnly, i, sent[i].Op, want[i])
			}
		}
		if !writeOnly {
			continue
		}
		for i := range 3 { // a WRITE draws as many acknowledgements as with packets of one message
			if asks := sent[i].Flags&FlagAckReq != 0; asks != (i == 2) {
				t.Errorf("packet %d asks for an acknowledgement: %v", i, asks)
			}
		}
	}
}

// The immediate data of a WRITE waits until the WRITE is acknowledged, and work posted
// behind waits with it. Immediate data further behind does not wait for the first.
func TestImmediateDataWaitsForTheWritesBeforeIt(t *testing.T) {
	a, b, sent := posted(t, &Config{Delivery: WriteOnly, AckEvery: 1 << 20},
		WorkRequest{Op: OpWrite, Length: 2048}, WorkRequest{Op: OpWriteImm, Imm: 7}, WorkRequest{Op: OpSend, Length: 8}, WorkRequest{Op: OpWrite, Length: 1024})
	if len(sent) != 2 {
		t.Fatalf("%d packets went before an acknowledgement, want the 2 of the WRITE", len(sent))
	}
	var out, got Batch
	for _, i := range []int{1, 0} { // the network changes their order
		b.Receive(0, &sent[i], &out)
		if len(out.Completions) != 0 {
			t.Fatalf("a completion of a plain WRITE at its receiver: %+v", out.Completions)
		}
	}
	for i := range out.Packets {
		a.Receive(0, &out.Packets[i], &got)
	}
	sent = drain(a)
	if len(sent) != 3 || sent[0].Op != wire.RCWriteOnlyImm || sent[0].Length != 0 || sent[1].Op != wire.RCSendOnly || sent[2].Op != wire.RCWriteOnly {
		t.Fatalf("after the acknowledgement go %+v, want the immediate data, the SEND and the WRITE", sent)
	}
	out.Reset()
	for _, i := range []int{2, 1, 0} {
		b.Receive(0, &sent[i], &out)
	}
	if len(out.Completions) != 2 || out.Completions[0].Imm != 7 || out.Completions[0].Op != OpWriteImm || out.Completions[1].Op != OpSend {
		t.Errorf("the receiver's completions are %+v, want the immediate data, then the SEND", out.Completions)
	}
}
