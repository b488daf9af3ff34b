package transport

import (
	"fmt"
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

// acknowledge delivers packets to b and b's answers to a, and takes what a sends then.
func acknowledge(a, b *QP, sent ...Packet) []Packet {
	var out, got Batch
	for i := range sent {
		b.Receive(0, &sent[i], &out)
	}
	for i := range out.Packets {
		a.Receive(0, &out.Packets[i], &got)
	}
	return drain(a)
}

// TestOnlyWhatMustArriveInOrderIsOrdered has each operation of a queue pair whose WRITEs may come in
// any order.
func TestOnlyWhatMustArriveInOrderIsOrdered(t *testing.T) {
	for _, c := range []struct {
		name    string
		work    WorkRequest
		ordered bool
		first   wire.Opcode
	}{
		{"WRITE", WorkRequest{Op: OpWrite, Length: 2048}, false, wire.RCWriteOnly},
		{"WRITE that its receiver sees", WorkRequest{Op: OpWriteImm, Length: 2048}, false, wire.RCWriteOnly},
		{"WRITE with immediate data", WorkRequest{Op: OpWriteImm, Length: 2048, Ordered: true}, true, wire.RCWriteFirst},
		{"SEND", WorkRequest{Op: OpSend, Length: 2048}, true, wire.RCSendFirst},
		{"READ", WorkRequest{Op: OpRead, Length: 2048}, true, wire.RCReadRequest},
	} {
		_, _, sent := posted(t, &Config{Delivery: WriteOnly}, c.work)
		for i := range sent {
			if ordered := sent[i].Flags&FlagOrdered != 0; ordered != c.ordered {
				t.Errorf("%s: packet %d is ordered: %v, want %v", c.name, i, ordered, c.ordered)
			}
		}
		if sent[0].Op != c.first {
			t.Errorf("%s begins with %v, want %v", c.name, sent[0].Op, c.first)
		}
		_, _, sent = posted(t, &Config{}, c.work)
		if sent[0].Flags&FlagOrdered != 0 {
			t.Errorf("%s: a packet is marked although no packet is out of order", c.name)
		}
	}
}

// TestTheFenceHoldsWhatItsNameSays posts three messages as NCCL does, a WRITE and immediate data each. With the
// fence of the queue only the first WRITE goes before an acknowledgement; with that of the message all three
// WRITEs go, and each immediate data waits for its own WRITE alone; without a fence all goes.
func TestTheFenceHoldsWhatItsNameSays(t *testing.T) {
	var work []WorkRequest
	for i := range uint32(3) {
		work = append(work, WorkRequest{Op: OpWrite, Length: 2048, RemoteVA: uint64(i)}, WorkRequest{Op: OpWriteImm, Imm: i, Ordered: true})
	}
	text := func(sent []Packet) (s string) {
		for i := range sent {
			switch p := &sent[i]; p.Op {
			case wire.RCWriteOnlyImm:
				s += fmt.Sprintf("i%d", p.Imm)
			case wire.RCWriteOnly:
				s += fmt.Sprintf("w%d", p.VA)
			}
		}
		return s
	}
	for _, c := range []struct {
		fence       Fence
		first, then string // before the acknowledgement of the first WRITE, and after
	}{
		{FenceQueue, "w0w0", "i0w1w1"},
		{FenceMessage, "w0w0w1w1w2w2", "i0"},
		{FenceNone, "w0w0i0w1w1i1w2w2i2", ""},
	} {
		a, b, sent := posted(t, &Config{Delivery: WriteOnly, AckEvery: 1, Fence: c.fence}, work...)
		if got := text(sent); got != c.first {
			t.Errorf("fence %d: first go %s, want %s", c.fence, got, c.first)
		}
		for i := range sent {
			if sent[i].PSN != sent[0].PSN.Add(int32(i)) {
				t.Errorf("fence %d: packet %d has PSN %v, want the order of sending", c.fence, i, sent[i].PSN)
			}
		}
		if then := acknowledge(a, b, sent[:2]...); text(then) != c.then {
			t.Errorf("fence %d: then go %s, want %s", c.fence, text(then), c.then)
		}
	}
}

// TestImmediateDataThatWasPassedStillArrives delivers everything with the fence of the message; WRITEs come in
// reverse order, and the receiver learns of the messages in their order.
func TestImmediateDataThatWasPassedStillArrives(t *testing.T) {
	var work []WorkRequest
	for i := range uint32(8) {
		work = append(work, WorkRequest{Op: OpWrite, Length: 3000, Unsignaled: true}, WorkRequest{Op: OpWriteImm, Imm: i, Ordered: true})
	}
	a, b, sent := posted(t, &Config{Delivery: WriteOnly, Fence: FenceMessage}, work...)
	var got Batch
	for round := 0; len(sent) > 0; round++ {
		if round > 20 {
			t.Fatal("no end")
		}
		var out Batch
		for i := len(sent) - 1; i >= 0; i-- {
			b.Receive(0, &sent[i], &out)
		}
		got.Completions = append(got.Completions, out.Completions...)
		for i := range out.Packets {
			a.Receive(0, &out.Packets[i], &Batch{})
		}
		sent = drain(a)
	}
	if len(got.Completions) != 8 || a.Pending() != 0 {
		t.Fatalf("%d messages arrived and %d work requests are left, want 8 and 0", len(got.Completions), a.Pending())
	}
	for i, c := range got.Completions {
		if c.Imm != uint32(i) {
			t.Errorf("message %d arrives in place %d", c.Imm, i)
		}
	}
}
