package verbs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"weft/internal/sim/transport"
	"weft/units"
	"weft/verbs/internal/socket/faulty"
	"weft/wire"
)

// datagrams are two devices, each with queue pairs of RD in one domain, and contexts that connect
// the devices.
type datagrams struct {
	on   [2]*side
	qps  [2][]*QP
	eecs [2][]*EEC
}

const rdQKey = 0x77

func newDatagrams(t *testing.T, qps, contexts int, open func(i int) *Device) *datagrams {
	t.Helper()
	g := new(datagrams)
	for i := range g.on {
		dev := open(i)
		rdd := dev.AllocRDD()
		g.on[i] = fit(t, dev, QPInitAttr{Type: RD, RDD: rdd}, 1<<20)
		s := g.on[i]
		g.qps[i] = []*QP{s.qp}
		for len(g.qps[i]) < qps {
			q, err := s.pd.CreateQP(QPInitAttr{Type: RD, RDD: rdd, SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 128, MaxRecvWR: 128, MaxInlineData: 64})
			if err != nil {
				t.Fatal(err)
			}
			g.qps[i] = append(g.qps[i], q)
		}
		for _, q := range g.qps[i] {
			if err := q.ConnectWith(&QPAttr{QKey: rdQKey, Access: allAccess}); err != nil {
				t.Fatal(err)
			}
		}
		for range contexts {
			e, err := rdd.CreateEEC()
			if err != nil {
				t.Fatal(err)
			}
			g.eecs[i] = append(g.eecs[i], e)
		}
	}
	for i := range g.on {
		for k, e := range g.eecs[i] {
			if err := e.Connect(Remote{Addr: g.on[1-i].dev.Addr(), QPN: g.eecs[1-i][k].Number(), PSN: 0xfffffe}, 0xfffffe); err != nil {
				t.Fatal(err)
			}
		}
	}
	return g
}

func onSockets(t *testing.T) func(int) *Device {
	return func(int) *Device {
		dev, err := open(udp(t, mustAddr("127.0.0.1:0")), Options{PathMTU: 1024})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		return dev
	}
}

func onNetwork(t *testing.T, n *faulty.Network) func(int) *Device {
	return func(i int) *Device {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791)
		dev, err := open(n.Open(addr), Options{PathMTU: 1024})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		return dev
	}
}

func TestReliableDatagramsOfEveryKindArriveOverSockets(t *testing.T) {
	g := newDatagrams(t, 2, 2, onSockets(t))
	everyDatagram(t, g)
}

func TestReliableDatagramsArriveOnANetworkThatDoesHarm(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			n := faulty.New(seed, faulty.Harm{Lose: 0.03, Double: 0.05, Delay: 0.05, Behind: 5, Damage: 0.02})
			everyDatagram(t, newDatagrams(t, 3, 2, onNetwork(t, n)))
			if n.Lost+n.Doubled+n.Delayed+n.Damaged == 0 {
				t.Error("the network did no harm: the test checks nothing")
			}
		})
	}
}

// everyDatagram lets queue pairs send to all queue pairs of the other end, over all contexts.
func everyDatagram(t *testing.T, g *datagrams) {
	const size = 1 << 20
	a, b := g.on[0], g.on[1]
	dice := rand.New(rand.NewPCG(7, 7))
	fillPattern(a.buf, 3)
	fillPattern(b.memory()[size/2:size-8], 8)
	source := bytes.Clone(b.buf[size/2:])
	b.memory()
	adds := uint64(0)
	for i := range 120 {
		from := g.qps[0][dice.IntN(len(g.qps[0]))]
		to := g.qps[1][dice.IntN(len(g.qps[1]))]
		n := dice.IntN(6000)
		wr := SendWR{
			WRID: uint64(i), Opcode: []Opcode{RDMAWrite, RDMAWriteWithImm, Send, SendWithImm, RDMARead, AtomicFetchAndAdd}[i%6],
			Flags: SendSignaled, SGL: []SGE{a.mr.SGE(0, n)}, ImmData: uint32(i), RemoteAddr: b.mr.Addr() + 4096, RKey: b.mr.RKey(),
			EEC: g.eecs[0][dice.IntN(len(g.eecs[0]))], DestQPN: to.QPN(), QKey: rdQKey,
		}
		receives := wr.Opcode == Send || wr.Opcode == SendWithImm || wr.Opcode == RDMAWriteWithImm
		if receives {
			if err := to.PostRecv(RecvWR{WRID: uint64(i), SGL: []SGE{b.mr.SGE(100000, 8192)}}); err != nil {
				t.Fatal(err)
			}
		}
		switch wr.Opcode {
		case RDMARead:
			wr.SGL, wr.RemoteAddr = []SGE{a.mr.SGE(size/2, n)}, b.mr.Addr()+size/2
		case AtomicFetchAndAdd:
			wr.SGL, wr.RemoteAddr, wr.CompareAdd = []SGE{a.mr.SGE(size-16, 8)}, b.mr.Addr()+size-8, 1
		}
		if err := from.PostSend(wr); err != nil {
			t.Fatal(err)
		}
		if wc := a.want(uint64(i), Success); wc.QPN != from.QPN() {
			t.Fatalf("message %d of queue pair %d completed as %+v", i, from.QPN(), wc)
		}
		where := 4096
		if receives {
			wc := b.want(uint64(i), Success)
			if wc.QPN != to.QPN() || wc.SrcQP != from.QPN() || wc.Flags&WCWithImm != 0 && wc.ImmData != uint32(i) {
				t.Fatalf("message %d from %d to %d was received as %+v", i, from.QPN(), to.QPN(), wc)
			}
			if wr.Opcode != RDMAWriteWithImm {
				where = 100000
			}
		}
		switch wr.Opcode {
		case RDMARead:
			if !bytes.Equal(a.buf[size/2:][:n], source[:n]) {
				t.Fatalf("READ %d: other bytes were read", i)
			}
		case AtomicFetchAndAdd:
			if found := binary.NativeEndian.Uint64(a.buf[size-16:]); found != adds {
				t.Fatalf("add %d found %d: an atomic is carried out once", adds, found)
			}
			adds++
		default:
			if !bytes.Equal(b.memory()[where:][:n], a.buf[:n]) {
				t.Fatalf("message %d of %d bytes: other bytes arrived", i, n)
			}
			b.memory()
		}
	}
}

// Many messages are posted at once: those of each queue pair complete in order.
func TestReliableDatagramsOfAQueuePairStayInOrder(t *testing.T) {
	g := newDatagrams(t, 4, 3, onSockets(t))
	a, b := g.on[0], g.on[1]
	const each = 50
	for k, q := range g.qps[0] {
		for i := range each {
			wr := SendWR{
				WRID: uint64(k)<<8 | uint64(i), Opcode: RDMAWrite, Flags: SendSignaled | SendInline, Inline: []byte{byte(i)},
				RemoteAddr: b.mr.Addr() + uint64(k), RKey: b.mr.RKey(), EEC: g.eecs[0][i%3], DestQPN: g.qps[1][i%4].QPN(), QKey: rdQKey,
			}
			if err := q.PostSend(wr); err != nil {
				t.Fatal(err)
			}
		}
	}
	next := [4]uint64{}
	for range 4 * each {
		wc := a.wait()
		k := wc.WRID >> 8
		if wc.Status != Success || wc.WRID&0xff != next[k] {
			t.Fatalf("queue pair %d completed %+v, want its message %d", k, wc, next[k])
		}
		next[k]++
	}
	if want := bytes.Repeat([]byte{each - 1}, 4); !bytes.Equal(b.memory()[:4], want) {
		t.Errorf("memory is %v, want the last of each, %v", b.buf[:4], want)
	}
}

func TestAWrongReliableDatagramReachesNothingAndEndsItsQueuePairOnly(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(g *datagrams, wr *SendWR)
		want  Status
	}{
		"Q_Key":              {func(_ *datagrams, wr *SendWR) { wr.QKey++ }, RemInvRDReqErr},
		"number":             {func(_ *datagrams, wr *SendWR) { wr.DestQPN = 0xfffff0 }, RemInvRDReqErr},
		"a context's number": {func(g *datagrams, wr *SendWR) { wr.DestQPN = g.eecs[1][0].Number() }, RemInvRDReqErr},
		"domain": {func(g *datagrams, wr *SendWR) {
			s := g.on[1]
			q, _ := s.pd.CreateQP(QPInitAttr{Type: RD, RDD: s.dev.AllocRDD(), SendCQ: s.cq, RecvCQ: s.cq})
			_ = q.ConnectWith(&QPAttr{QKey: rdQKey, Access: allAccess})
			wr.DestQPN = q.QPN()
		}, RemInvRDReqErr},
		"the context's domain": {func(g *datagrams, wr *SendWR) {
			wr.EEC, _ = g.on[0].dev.AllocRDD().CreateEEC()
		}, LocRDDViolErr},
		"a context that is not connected": {func(g *datagrams, wr *SendWR) {
			wr.EEC, _ = g.eecs[0][0].rdd.CreateEEC()
		}, InvEECStateErr},
		"local key": {func(_ *datagrams, wr *SendWR) {
			wr.SGL = []SGE{{Addr: wr.SGL[0].Addr, Length: 5000, LKey: wr.SGL[0].LKey + 1}}
		}, LocProtErr},
		"key":     {func(_ *datagrams, wr *SendWR) { wr.RKey++ }, RemAccessErr},
		"address": {func(_ *datagrams, wr *SendWR) { wr.RemoteAddr-- }, RemAccessErr},
		"right": {func(g *datagrams, _ *SendWR) {
			_ = g.qps[1][0].Modify(&QPAttr{State: StateErr}, AttrState)
			_ = g.qps[1][0].Modify(&QPAttr{State: StateReset}, AttrState)
			_ = g.qps[1][0].ConnectWith(&QPAttr{QKey: rdQKey, Access: AccessRemoteRead})
		}, RemAccessErr},
		"protection domain": {func(g *datagrams, wr *SendWR) {
			mr, _ := g.on[1].dev.AllocPD().RegMR(g.on[1].buf, allAccess)
			wr.RKey, wr.RemoteAddr = mr.RKey(), mr.Addr()
		}, RemAccessErr},
	} {
		t.Run(name, func(t *testing.T) {
			g := newDatagrams(t, 2, 1, onSockets(t))
			a, b := g.on[0], g.on[1]
			fillPattern(a.buf, 1)
			wr := SendWR{
				WRID: 1, Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{a.mr.SGE(0, 5000)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(),
				EEC: g.eecs[0][0], DestQPN: g.qps[1][0].QPN(), QKey: rdQKey,
			}
			good := wr
			c.spoil(g, &wr)
			if err := g.qps[0][0].PostSend(wr); err != nil {
				t.Fatal(err)
			}
			a.want(1, c.want)
			if !bytes.Equal(b.memory(), make([]byte, len(b.buf))) {
				t.Error("memory was written to")
			}
			b.memory()
			if got := g.qps[0][0].State(); got != StateSQE {
				t.Errorf("the queue pair is in %v, want SQE", got)
			}
			good.WRID, good.RemoteAddr, good.DestQPN = 2, b.mr.Addr()+8192, g.qps[1][1].QPN()
			if err := g.qps[0][1].PostSend(good); err != nil {
				t.Fatal(err)
			}
			a.want(2, Success)
			if !bytes.Equal(b.memory()[8192:][:5000], a.buf[:5000]) {
				t.Error("another queue pair's message is not there")
			}
		})
	}
}

func TestReliableDatagramsAreRefusedAtPostingWhereTheyCannotBe(t *testing.T) {
	g := newDatagrams(t, 1, 1, onSockets(t))
	s, q := g.on[0], g.qps[0][0]
	e := g.eecs[0][0]
	for name, err := range map[string]error{
		"no context":           q.PostSend(SendWR{Opcode: Send}),
		"another device's":     q.PostSend(SendWR{Opcode: Send, EEC: g.eecs[1][0]}),
		"an invalidation":      q.PostSend(SendWR{Opcode: SendWithInv, EEC: e}),
		"a local operation":    q.PostSend(SendWR{Opcode: LocalInv, EEC: e}),
		"a connected context":  e.Connect(Remote{Addr: g.on[1].dev.Addr(), QPN: 5}, 0),
		"RD without a domain":  func() error { _, err := s.pd.CreateQP(QPInitAttr{Type: RD, SendCQ: s.cq, RecvCQ: s.cq}); return err }(),
		"RC with a domain":     func() error { _, err := s.pd.CreateQP(QPInitAttr{RDD: e.rdd, SendCQ: s.cq, RecvCQ: s.cq}); return err }(),
		"a transition, no key": q.Modify(&QPAttr{State: StateInit}, AttrState),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want %v", name, err, ErrInvalid)
		}
	}
	if err := e.rdd.Dealloc(); !errors.Is(err, ErrBusy) {
		t.Errorf("a domain in use: %v, want %v", err, ErrBusy)
	}
}

// A context waits for a receiver that is not ready; a context whose peer is gone ends with the
// message in progress.
func TestAContextWaitsForReceivesAndEndsWithItsPeer(t *testing.T) {
	g := newDatagrams(t, 1, 1, onSockets(t))
	a, b := g.on[0], g.on[1]
	g.eecs[0][0].cfg.RetryTimeout = transport.RetryTime(8) // otherwise it would take 15 s
	wr := SendWR{WRID: 1, Opcode: Send, Flags: SendSignaled | SendInline, Inline: []byte("late"), EEC: g.eecs[0][0], DestQPN: g.qps[1][0].QPN(), QKey: rdQKey}
	if err := g.qps[0][0].PostSend(wr); err != nil {
		t.Fatal(err)
	}
	for b.dev.Stats().PacketsReceived < 3 {
		b.dev.Progress()
		a.dev.Progress()
	}
	if err := g.qps[1][0].PostRecv(RecvWR{WRID: 2, SGL: []SGE{b.mr.SGE(0, 100)}}); err != nil {
		t.Fatal(err)
	}
	b.want(2, Success)
	a.want(1, Success)
	if err := g.eecs[1][0].Destroy(); err != nil {
		t.Fatal(err)
	}
	if err := g.qps[0][0].PostSend(wr); err != nil {
		t.Fatal(err)
	}
	a.want(1, RetryExcErr)
	if got := g.eecs[0][0].State(); got != StateErr {
		t.Errorf("the context is in %v, want ERR", got)
	}
}

// A list has more sends than the queue pair keeps records. All end with an error before a packet is
// sent, and each completes.
func TestEverySendOfAListEndsWhereNoneCanGo(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, g *datagrams) *EEC
		first Status
	}{
		"in ERR": {func(t *testing.T, g *datagrams) *EEC {
			if err := g.qps[0][0].Modify(&QPAttr{State: StateErr}, AttrState); err != nil {
				t.Fatal(err)
			}
			return g.eecs[0][0]
		}, WRFlushErr},
		"by a context of another domain": {func(t *testing.T, g *datagrams) *EEC {
			e, err := g.on[0].dev.AllocRDD().CreateEEC()
			if err != nil {
				t.Fatal(err)
			}
			return e
		}, LocRDDViolErr},
	} {
		t.Run(name, func(t *testing.T) {
			g := newDatagrams(t, 1, 1, onSockets(t))
			e := c.spoil(t, g)
			list := make([]SendWR, 100)
			for i := range list {
				list[i] = SendWR{WRID: uint64(i), Opcode: Send, EEC: e, DestQPN: g.qps[1][0].QPN(), QKey: rdQKey}
			}
			if err := g.qps[0][0].PostSend(list...); err != nil {
				t.Fatal(err)
			}
			want := c.first
			for i := range list {
				g.on[0].want(uint64(i), want)
				want = WRFlushErr
			}
		})
	}
}

func TestADatagramThatWaitsInSQDGoesInRTS(t *testing.T) {
	g := newDatagrams(t, 1, 1, onNetwork(t, faulty.New(1, faulty.Harm{})))
	q := g.qps[0][0]
	if err := q.Modify(&QPAttr{State: StateSQD}, AttrState); err != nil {
		t.Fatal(err)
	}
	if err := q.PostSend(SendWR{WRID: 1, Opcode: RDMAWrite, Flags: SendSignaled, EEC: g.eecs[0][0], DestQPN: g.qps[1][0].QPN(), QKey: rdQKey}); err != nil {
		t.Fatal(err)
	}
	if !q.Drained() {
		t.Error("the queue pair is not drained: it has begun work that was posted in SQD")
	}
	if err := q.Modify(&QPAttr{State: StateRTS}, AttrState); err != nil {
		t.Fatal(err)
	}
	g.on[0].want(1, Success)
}

func TestMarksOnReliableDatagramsDrawCNPsForTheirContext(t *testing.T) {
	const line units.Rate = units.Gbps
	p := &paced{t: t, net: faulty.New(1, faulty.Harm{Mark: 1})}
	g := newDatagrams(t, 1, 1, func(i int) *Device {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791)
		dev, err := open(p.net.Open(addr), Options{PathMTU: 1024, LineRate: line, clock: func() units.Time { return p.now }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		return dev
	})
	a, b := g.on[0], g.on[1]
	wr := SendWR{
		WRID: 1, Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{a.mr.SGE(0, 8192)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(),
		EEC: g.eecs[0][0], DestQPN: g.qps[1][0].QPN(), QKey: rdQKey,
	}
	if err := g.qps[0][0].PostSend(wr); err != nil {
		t.Fatal(err)
	}
	p.sender, p.receiver = a, b
	p.until(1, func() {})
	a.want(1, Success)
	from, to := a.dev.Stats(), b.dev.Stats()
	if to.CNPsSent == 0 || from.CNPsReceived != to.CNPsSent || from.Malformed+from.Misdirected != 0 {
		t.Errorf("%d CNPs were sent and %d received; %d packets were malformed and %d misdirected", to.CNPsSent, from.CNPsReceived, from.Malformed, from.Misdirected)
	}
}

// If a queue pair ends while a message for it arrives, its receive is flushed, and the rest of the
// message is refused.
func TestAReceiveOfAMessageThatArrivesIsFlushedWithItsQueuePair(t *testing.T) {
	x, q, e := datagramTarget(t, allAccess)
	if err := q.PostRecv(RecvWR{WRID: 5, SGL: []SGE{x.mr.SGE(0, 4096)}}); err != nil {
		t.Fatal(err)
	}
	first := datagram(wire.RDSendFirst, e.Number(), q.QPN(), rdQKey, 0, 0, 0, make([]byte, 1024))
	x.take(first)
	if err := q.Modify(&QPAttr{State: StateErr}, AttrState); err != nil {
		t.Fatal(err)
	}
	var wc [2]WC
	n, err := q.attr.RecvCQ.Poll(wc[:])
	if err != nil || n != 1 || wc[0].WRID != 5 || wc[0].Status != WRFlushErr || wc[0].QPN != q.QPN() {
		t.Fatalf("%d completions, %+v, %v: want the receive's flush", n, wc[0], err)
	}
	last := datagram(wire.RDSendLast, e.Number(), q.QPN(), rdQKey, 0, 0, 0, []byte{1, 2, 3, 4})
	binary.BigEndian.PutUint32(last[8:], 1)
	x.take(last)
	if n, err := q.attr.RecvCQ.Poll(wc[:]); n != 0 || err != nil {
		t.Errorf("%d completions more, %v", n, err)
	}
}
