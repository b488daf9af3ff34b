package verbs

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"

	"weft/units"
	"weft/verbs/internal/socket"
	"weft/wire"
)

// target is a device with one connected queue pair. Guard bytes surround its region.
type target struct {
	conn *script
	dev  *Device
	qp   *QP
	mr   *MR
	all  []byte // the region and its guards
	flow wire.ICRCFlow
	from netip.AddrPort
}

const (
	regionBytes = 4096
	guardBytes  = 4096
)

func newTarget(t testing.TB, rights Access) *target {
	t.Helper()
	x := &target{
		conn: &script{local: netip.MustParseAddrPort("10.0.0.1:4791")}, from: netip.MustParseAddrPort("10.0.0.2:4791"),
		all: make([]byte, guardBytes+regionBytes+guardBytes),
	}
	x.flow = wire.NewICRCFlow(x.from, x.conn.local)
	var err error
	if x.dev, err = open(x.conn, Options{PathMTU: 1024}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.dev.Close() })
	pd := x.dev.AllocPD()
	cq, err := x.dev.CreateCQ(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	if x.qp, err = pd.CreateQP(QPInitAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 16, MaxRecvWR: 16}); err != nil {
		t.Fatal(err)
	}
	if err := x.qp.Connect(Remote{Addr: x.from, QPN: 77}, 0, allAccess); err != nil {
		t.Fatal(err)
	}
	if x.mr, err = pd.RegMR(x.all[guardBytes:guardBytes+regionBytes], rights); err != nil {
		t.Fatal(err)
	}
	return x
}

// readable is a window on the region's first half that peers may read.
func (x *target) readable(t testing.TB) *MW {
	t.Helper()
	mw, err := x.mr.pd.AllocMW(MWType2)
	if err != nil {
		t.Fatal(err)
	}
	x.dev.port.Lock()
	defer x.dev.port.Unlock()
	if !x.qp.bind(&BindWR{MW: mw, RKey: IncRKey(mw.key), BindInfo: BindInfo{MR: x.mr, Addr: x.mr.Addr(), Length: regionBytes / 2, Access: AccessRemoteRead}}) {
		t.Fatal("the window is not bound")
	}
	return mw
}

// take gives the device a packet with a correct ICRC.
func (x *target) take(b []byte) {
	b = wire.AppendICRC(b, x.flow.Begin(0, wire.UDPBytes+len(b)+wire.ICRCBytes, b))
	x.dev.port.Lock()
	defer x.dev.port.Unlock()
	x.conn.in = append(x.conn.in, socket.Incoming{From: x.from, Segment: len(b), Data: b})
	x.dev.port.Progress()
	x.conn.out = nil
}

// packet is a packet that the queue pair expects, except for the given fields.
func (x *target) packet(op wire.Opcode, psn units.PSN, va uint64, rkey, length uint32, payload []byte) []byte {
	p := wire.Packet{
		BTH:     wire.BTH{Opcode: op, PKey: 0xffff, DestQP: x.qp.QPN(), PSN: psn, AckReq: true},
		RETH:    wire.RETHeader{VA: va, RKey: wire.RKey(rkey), Length: length},
		Atomic:  wire.AtomicETHeader{VA: va, RKey: wire.RKey(rkey), SwapAdd: ^uint64(0)},
		Payload: payload,
	}
	b, err := p.AppendTo(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// FuzzPackets gives a device packets with a correct ICRC: only memory within the region and its
// rights may change, and nothing may fail.
func FuzzPackets(f *testing.F) {
	x := newTarget(f, AccessLocalWrite|AccessMWBind)
	window := x.readable(f)
	f.Add(x.packet(wire.RCWriteOnly, 0, x.mr.Addr(), x.mr.RKey(), 8, make([]byte, 8)))
	f.Add(x.packet(wire.RCReadRequest, 0, x.mr.Addr(), x.mr.RKey(), 8, nil))
	f.Add(x.packet(wire.RCFetchAdd, 0, x.mr.Addr(), x.mr.RKey(), 8, nil))
	f.Add(x.packet(wire.RCWriteOnly, 0, x.mr.Addr(), window.RKey(), 8, make([]byte, 8)))
	f.Add(x.packet(wire.RCReadRequest, 0, x.mr.Addr(), window.RKey(), 8, nil))
	f.Add(x.packet(wire.RCSendOnlyInvalidate, 0, 0, 0, 0, nil))
	f.Add(x.packet(wire.RCSendOnly, 0, 0, 0, 0, make([]byte, 40)))
	f.Add(x.packet(wire.RCAcknowledge, 0, 0, 0, 0, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < wire.BTHBytes || len(b) > 5000 {
			return
		}
		x := newTarget(t, AccessLocalWrite|AccessRemoteRead|AccessMWBind)
		x.readable(t)
		// A packet for another queue pair tests little: half go to this one.
		if b[0]&1 == 0 {
			binary.BigEndian.PutUint32(b[4:], uint32(x.qp.QPN()))
		}
		x.take(bytes.Clone(b))
		if !bytes.Equal(x.all, make([]byte, len(x.all))) {
			t.Errorf("%x wrote to a region that nobody may write to", b)
		}
	})
}

// FuzzMessages gives datagrams to the communication manager: it stores no more than its bounds
// allow, and nothing fails.
func FuzzMessages(f *testing.F) {
	for _, list := range recordings(f) {
		for _, p := range list {
			if p.Packet.BTH.DestQP == gsi {
				f.Add(p.Packet.Payload)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x := newTarget(t, AccessLocalWrite)
		l, err := x.dev.Listen(7174)
		if err != nil {
			t.Fatal(err)
		}
		s, err := x.dev.ListenDatagrams(7174)
		if err != nil {
			t.Fatal(err)
		}
		m := x.dev.cm
		for range 3 {
			n := copy(m.buf[grhBytes:gsiRoom], b)
			m.mu.Lock()
			m.receive(&WC{ByteLen: uint32(grhBytes + n)})
			m.mu.Unlock()
		}
		m.tick(m.now() + int64(tickTime))
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.conns) > 1 || len(m.questions) > 1 || len(l.backlog.waits) > 1 || len(s.backlog.waits) > 1 || len(m.resolving) > 0 {
			t.Errorf("%x, three times: %d connections, %d questions", b, len(m.conns), len(m.questions))
		}
	})
}

// near is v or a similar value.
func near(dice *rand.Rand, v uint64) uint64 {
	switch dice.IntN(8) {
	case 0:
		return v + uint64(dice.IntN(64))
	case 1:
		return v - uint64(dice.IntN(64))
	case 2:
		return v ^ 1<<dice.IntN(64)
	case 3:
		return dice.Uint64()
	}
	return v
}

// Requests with fields near the correct values, in either byte order, change the region only if
// they are exactly right, and never the guards.
func TestOnlyRequestsThatAreExactlyRightChangeMemory(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 3000 {
		x := newTarget(t, allAccess)
		n := dice.IntN(1024) + 1
		va := near(dice, x.mr.Addr()+uint64(dice.IntN(regionBytes)))
		rkey := uint32(near(dice, uint64(x.mr.RKey())))
		if dice.IntN(10) == 0 {
			rkey = x.mr.RKey()>>24 | x.mr.RKey()<<24 | x.mr.RKey()>>8&0xff00 | x.mr.RKey()<<8&0xff0000
		}
		length := uint32(near(dice, uint64(n)))
		x.take(x.packet(wire.RCWriteOnly, 0, va, rkey, length, bytes.Repeat([]byte{0xee}, n)))
		right := rkey == x.mr.RKey() && length == uint32(n) && va >= x.mr.Addr() && va+uint64(n) <= x.mr.Addr()+regionBytes && va+uint64(n) > va
		want := make([]byte, len(x.all))
		if right {
			accepted++
			at := guardBytes + int(va-x.mr.Addr())
			copy(want[at:], bytes.Repeat([]byte{0xee}, n))
		}
		if !bytes.Equal(x.all, want) {
			t.Fatalf("WRITE of %d bytes (of %d) to %#x with key %#x, of %#x and %#x: valid is %v, and the memory shows the opposite", n, length, va, rkey, x.mr.Addr(), x.mr.RKey(), right)
		}
		_ = x.dev.Close()
	}
	if accepted < 100 {
		t.Errorf("only %d requests were valid, want 100 at least", accepted)
	}
}

func TestAPacketOfAnotherSenderPartitionOrServiceIsNotTaken(t *testing.T) {
	for name, spoil := range map[string]func(x *target, b []byte){
		"sender":    func(x *target, _ []byte) { x.from = netip.MustParseAddrPort("10.0.0.3:4791") },
		"partition": func(_ *target, b []byte) { b[3] ^= 1 },
		"service":   func(_ *target, b []byte) { b[0] |= 0x20 },
		"number":    func(_ *target, b []byte) { b[7]++ },
	} {
		t.Run(name, func(t *testing.T) {
			x := newTarget(t, allAccess)
			b := x.packet(wire.RCWriteOnly, 0, x.mr.Addr(), x.mr.RKey(), 4, []byte{1, 2, 3, 4})
			spoil(x, b)
			x.flow = wire.NewICRCFlow(x.from, x.conn.local)
			x.take(b)
			if !bytes.Equal(x.all, make([]byte, len(x.all))) {
				t.Error("memory was written to")
			}
		})
	}
}

// Packets of services that the queue pair has not reach it, even if all else is right.
func TestPacketsOfAnotherServiceReachNoQueuePair(t *testing.T) {
	x := newTarget(t, allAccess)
	for _, op := range []wire.Opcode{wire.RDWriteOnly, wire.RCWriteOnly + wire.XRCOffset} {
		x.take(x.packet(op, 0, x.mr.Addr(), x.mr.RKey(), 4, []byte{1, 2, 3, 4}))
	}
	if !bytes.Equal(x.all, make([]byte, len(x.all))) {
		t.Error("memory was written to")
	}
	if s := x.dev.Stats(); s.Misdirected != 2 {
		t.Errorf("%d packets were misdirected, want 2", s.Misdirected)
	}
}

// A peer may refuse a request with any reason: the work ends, and with a bad response if RC has no
// such reason (0x64 is of reliable datagrams).
func TestEveryRefusalOfAPeerEndsTheWorkWithAStatus(t *testing.T) {
	known := map[uint8]Status{1: RemInvReqErr, 2: RemAccessErr, 3: RemOpErr}
	for reason := uint8(1); reason < 32; reason++ {
		x := newTarget(t, allAccess)
		if err := x.qp.PostSend(SendWR{Opcode: Send, Flags: SendSignaled, SGL: []SGE{x.mr.SGE(0, 8)}}); err != nil {
			t.Fatal(err)
		}
		nak := wire.Packet{
			BTH:  wire.BTH{Opcode: wire.RCAcknowledge, PKey: 0xffff, DestQP: x.qp.QPN()},
			AETH: wire.AETHeader{Syndrome: wire.Syndrome(uint8(wire.SyndromeNAK)<<5 | reason)},
		}
		b, err := nak.AppendTo(nil)
		if err != nil {
			t.Fatal(err)
		}
		x.take(b)
		want := BadRespErr
		if s, ok := known[reason]; ok {
			want = s
		}
		var wc [2]WC
		if n, err := x.qp.attr.SendCQ.Poll(wc[:]); n != 1 || err != nil || wc[0].Status != want {
			t.Errorf("reason %d: %d completions, %v, the first with %v, want %v", reason, n, err, wc[0].Status, want)
		}
	}
}
