package verbs

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"weft/units"
	"weft/wire"
)

// datagramTarget is a target with a queue pair of RD, and a connected context.
func datagramTarget(t testing.TB, rights Access) (*target, *QP, *EEC) {
	t.Helper()
	x := newTarget(t, rights)
	rdd := x.dev.AllocRDD()
	q, err := x.mr.pd.CreateQP(QPInitAttr{Type: RD, RDD: rdd, SendCQ: x.qp.attr.SendCQ, RecvCQ: x.qp.attr.RecvCQ, MaxRecvWR: 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.ConnectWith(&QPAttr{QKey: rdQKey, Access: allAccess}); err != nil {
		t.Fatal(err)
	}
	e, err := rdd.CreateEEC()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Connect(Remote{Addr: x.from, QPN: 78}, 0); err != nil {
		t.Fatal(err)
	}
	return x, q, e
}

// datagram is a packet of RD, except for the given fields.
func datagram(op wire.Opcode, eec, dest QPN, qkey uint32, va uint64, rkey, length uint32, payload []byte) []byte {
	p := wire.Packet{
		BTH: wire.BTH{Opcode: op, PKey: 0xffff, DestQP: dest, AckReq: true}, EEContext: uint32(eec),
		DETH: wire.DETHeader{QKey: qkey, SrcQP: 99}, RETH: wire.RETHeader{VA: va, RKey: wire.RKey(rkey), Length: length},
		Atomic: wire.AtomicETHeader{VA: va, RKey: wire.RKey(rkey), SwapAdd: ^uint64(0)}, Payload: payload,
	}
	b, err := p.AppendTo(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// FuzzReliableDatagrams is FuzzPackets for end-to-end contexts, with up to three packets in a row.
func FuzzReliableDatagrams(f *testing.F) {
	x, q, e := datagramTarget(f, AccessLocalWrite)
	for _, op := range []wire.Opcode{wire.RDWriteOnly, wire.RDWriteFirst, wire.RDWriteOnlyImm, wire.RDSendOnly, wire.RDSendFirst} {
		f.Add(datagram(op, e.Number(), q.QPN(), rdQKey, x.mr.Addr(), x.mr.RKey(), 8, make([]byte, 8)), byte(1))
	}
	for _, op := range []wire.Opcode{wire.RDReadRequest, wire.RDFetchAdd, wire.RDCompareSwap, wire.RDResync, wire.RDAcknowledge} {
		f.Add(datagram(op, e.Number(), q.QPN(), rdQKey, x.mr.Addr(), x.mr.RKey(), 8, nil), byte(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, times byte) {
		if len(b) < wire.BTHBytes+wire.RDETHBytes || len(b) > 5000 {
			return
		}
		b = bytes.Clone(b)
		x, q, e := datagramTarget(t, AccessLocalWrite|AccessRemoteRead)
		if err := q.PostRecv(RecvWR{}); err != nil { // no room
			t.Fatal(err)
		}
		for i := range times % 4 {
			binary.BigEndian.PutUint32(b[4:], uint32(q.QPN()))
			binary.BigEndian.PutUint32(b[8:], uint32(i)|uint32(b[8])<<24)
			if b[1]&1 == 0 {
				binary.BigEndian.PutUint32(b[12:], uint32(e.Number()))
			}
			x.take(bytes.Clone(b))
		}
		if !bytes.Equal(x.all, make([]byte, len(x.all))) {
			t.Errorf("%x wrote to a region that nobody may write to", b)
		}
	})
}

// TestOnlyRequestsThatAreExactlyRightChangeMemory, through a context.
func TestOnlyDatagramsThatAreExactlyRightChangeMemory(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	seldom := func(v uint64) uint64 {
		if dice.IntN(3) > 0 {
			return v
		}
		return near(dice, v)
	}
	accepted := 0
	for range 1000 {
		x, q, e := datagramTarget(t, allAccess)
		n := dice.IntN(1024) + 1
		eec, dest := units.QPN(seldom(uint64(e.Number())))&0xff_ffff, units.QPN(seldom(uint64(q.QPN())))&0xff_ffff
		qkey, rkey := uint32(seldom(rdQKey)), uint32(seldom(uint64(x.mr.RKey())))
		va, length := seldom(x.mr.Addr()+uint64(dice.IntN(regionBytes))), uint32(seldom(uint64(n)))
		x.take(datagram(wire.RDWriteOnly, eec, dest, qkey, va, rkey, length, bytes.Repeat([]byte{0xee}, n)))
		right := eec == e.Number() && dest == q.QPN() && qkey == rdQKey && rkey == x.mr.RKey() && length == uint32(n) &&
			va >= x.mr.Addr() && va+uint64(n) <= x.mr.Addr()+regionBytes && va+uint64(n) > va
		want := make([]byte, len(x.all))
		if right {
			accepted++
			copy(want[guardBytes+int(va-x.mr.Addr()):], bytes.Repeat([]byte{0xee}, n))
		}
		if !bytes.Equal(x.all, want) {
			t.Fatalf("WRITE of %d bytes (of %d) to %#x with key %#x, by context %d to queue pair %d with Q_Key %#x: valid is %v, and the memory shows the opposite", n, length, va, rkey, eec, dest, qkey, right)
		}
		_ = x.dev.Close()
	}
	if accepted < 100 {
		t.Errorf("only %d datagrams were valid, too few for the test", accepted)
	}
}

// Packets of other services do not reach a context, its packets do not reach queue pairs of other
// services, and packets of another sender reach neither.
func TestContextsAndConnectionsDoNotMix(t *testing.T) {
	x, q, e := datagramTarget(t, allAccess)
	connected := x.packet(wire.RCWriteOnly, 0, x.mr.Addr(), x.mr.RKey(), 4, []byte{1, 2, 3, 4})
	for _, to := range []QPN{e.Number(), q.QPN()} {
		binary.BigEndian.PutUint32(connected[4:], uint32(to))
		x.take(bytes.Clone(connected))
	}
	for _, eec := range []QPN{x.qp.QPN(), q.QPN()} {
		for _, dest := range []QPN{x.qp.QPN(), q.QPN()} {
			x.take(datagram(wire.RDWriteOnly, eec, dest, rdQKey, x.mr.Addr(), x.mr.RKey(), 4, []byte{1, 2, 3, 4}))
		}
	}
	x.from = mustAddr("10.0.0.3:4791")
	x.flow = wire.NewICRCFlow(x.from, x.conn.local)
	x.take(datagram(wire.RDWriteOnly, e.Number(), q.QPN(), rdQKey, x.mr.Addr(), x.mr.RKey(), 4, []byte{1, 2, 3, 4}))
	if !bytes.Equal(x.all, make([]byte, len(x.all))) {
		t.Error("memory was written to")
	}
	if s := x.dev.Stats(); s.Misdirected != 7 {
		t.Errorf("%d packets were misdirected, want 7", s.Misdirected)
	}
}
