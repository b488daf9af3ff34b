package verbs

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"
)

func TestDatagramsComeWithTheirHeaderAndSource(t *testing.T) {
	var on [2]*side
	for i := range on {
		on[i] = newSide(t, Options{}, QPInitAttr{Type: UD}, 8192)
		if err := on[i].qp.ConnectWith(&QPAttr{QKey: 0x1234, SQPSN: 7}); err != nil {
			t.Fatal(err)
		}
	}
	a, b := on[0], on[1]
	ah, err := a.pd.CreateAH(b.dev.Addr())
	if err != nil {
		t.Fatal(err)
	}
	for id := range uint64(2) {
		if err := b.qp.PostRecv(RecvWR{WRID: id, SGL: []SGE{b.mr.SGE(0, 4096)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.qp.PostRecv(RecvWR{SGL: []SGE{b.mr.SGE(0, grhBytes-1)}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a receive without room for the GRH: %v, want %v", err, ErrInvalid)
	}
	fillPattern(a.buf, 1)
	send := func(id uint64, qkey uint32) {
		a.post(SendWR{WRID: id, Opcode: SendWithImm, ImmData: 9, SGL: []SGE{a.mr.SGE(0, 1000)}, AH: ah, DestQPN: b.qp.QPN(), QKey: qkey})
		a.want(id, Success)
	}
	send(1, 0x9999) // dropped in silence
	send(2, 0x1234)
	wc := b.want(0, Success)
	if wc.ByteLen != 1000+grhBytes || wc.Flags != WCGRH|WCWithImm || wc.SrcQP != a.qp.QPN() || wc.ImmData != 9 {
		t.Errorf("received %+v", wc)
	}
	if !bytes.Equal(b.memory()[grhBytes:grhBytes+1000], a.buf[:1000]) {
		t.Error("other bytes arrived")
	}
	if got := b.buf[20]; got != 0x45 {
		t.Errorf("byte 20 of the GRH is %#x: for IPv4 the IP header begins there", got)
	}
	if err := a.qp.PostSend(SendWR{Opcode: RDMAWrite, AH: ah}); !errors.Is(err, ErrInvalid) {
		t.Errorf("WRITE on UD: %v, want %v", err, ErrInvalid)
	}
}

func TestUnreliableWritesArriveWithoutAcknowledgements(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{Type: UC}, 1<<16)
	a, b := p.on[0], p.on[1]
	if err := b.qp.PostRecv(RecvWR{WRID: 3}); err != nil {
		t.Fatal(err)
	}
	fillPattern(a.buf, 5)
	a.post(SendWR{WRID: 1, Opcode: RDMAWriteWithImm, SGL: []SGE{a.mr.SGE(0, 20000)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
	a.want(1, Success)
	b.want(3, Success)
	if !bytes.Equal(b.memory()[:20000], a.buf[:20000]) {
		t.Error("other bytes arrived")
	}
	if s := b.dev.Stats(); s.PacketsSent != 0 {
		t.Errorf("the responder of UC sent %d packets", s.PacketsSent)
	}
	if err := a.qp.PostSend(SendWR{Opcode: RDMARead}); !errors.Is(err, ErrInvalid) {
		t.Errorf("READ on UC: %v, want %v", err, ErrInvalid)
	}
}

func TestASharedReceiveQueueServesManyQueuePairs(t *testing.T) {
	const qps, each = 5, 20
	b := newSide(t, Options{}, QPInitAttr{}, 1<<16)
	srq, err := b.pd.CreateSRQ(qps * each)
	if err != nil {
		t.Fatal(err)
	}
	for i := range qps * each {
		if err := srq.PostRecv(RecvWR{WRID: uint64(i), SGL: []SGE{b.mr.SGE(i*100, 100)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := srq.PostRecv(RecvWR{}); !errors.Is(err, ErrNoMemory) {
		t.Errorf("one receive too many: %v, want %v", err, ErrNoMemory)
	}
	srq.Arm(10)
	for q := range qps {
		shared, err := b.pd.CreateQP(QPInitAttr{SendCQ: b.cq, RecvCQ: b.cq, SRQ: srq, MaxSendWR: 1})
		if err != nil {
			t.Fatal(err)
		}
		a := newSide(t, Options{}, QPInitAttr{}, 100)
		for _, c := range []struct {
			q  *QP
			to Remote
		}{{a.qp, Remote{b.dev.Addr(), shared.QPN(), 1}}, {shared, Remote{a.dev.Addr(), a.qp.QPN(), 1}}} {
			if err := c.q.Connect(c.to, 1, allAccess); err != nil {
				t.Fatal(err)
			}
		}
		fillPattern(a.buf, byte(q))
		for i := range each {
			a.post(SendWR{WRID: uint64(i), Opcode: Send, SGL: []SGE{a.mr.SGE(0, 100)}})
			a.want(uint64(i), Success)
			got := b.wait()
			if got.Status != Success || got.QPN != shared.QPN() || !bytes.Equal(b.memory()[got.WRID*100:][:100], a.buf) {
				t.Fatalf("queue pair %d, message %d: %+v", q, i, got)
			}
		}
	}
	select {
	case e := <-b.dev.Events():
		if e.Type != EventSRQLimitReached || e.SRQ != srq {
			t.Errorf("event %v, want that the limit was reached", e.Type)
		}
	default:
		t.Error("the limit was reached without an event")
	}
}

func TestAReceiverThatIsNotReadyIsWaitedForAndThenGivenUp(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	a, b := p.on[0], p.on[1]
	a.post(SendWR{WRID: 1, Opcode: Send, Flags: SendInline, Inline: []byte("late")})
	for b.dev.Stats().PacketsReceived < 3 { // refused, waited, sent again
		time.Sleep(time.Millisecond)
	}
	if err := b.qp.PostRecv(RecvWR{WRID: 2, SGL: []SGE{b.mr.SGE(0, 100)}}); err != nil {
		t.Fatal(err)
	}
	b.want(2, Success)
	a.want(1, Success)

	c := newPair(t, Options{}, QPInitAttr{}, 64)
	impatient, err := c.on[0].pd.CreateQP(QPInitAttr{SendCQ: c.on[0].cq, RecvCQ: c.on[0].cq, MaxSendWR: 1})
	if err != nil {
		t.Fatal(err)
	}
	responder, err := c.on[1].pd.CreateQP(QPInitAttr{SendCQ: c.on[1].cq, RecvCQ: c.on[1].cq, MaxSendWR: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		q  *QP
		to Remote
	}{{impatient, Remote{c.on[1].dev.Addr(), responder.QPN(), 0}}, {responder, Remote{c.on[0].dev.Addr(), impatient.QPN(), 0}}} {
		if err := e.q.ConnectWith(&QPAttr{
			Access: allAccess, PathMTU: 1024, Dest: e.to.Addr, DestQPN: e.to.QPN, MaxRdAtomic: 1, MaxDestRdAtomic: 1,
			Timeout: 14, RetryCnt: 7, RNRRetry: 2, MinRNRTimer: 1,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := impatient.PostSend(SendWR{WRID: 5, Opcode: Send}); err != nil {
		t.Fatal(err)
	}
	c.on[0].want(5, RNRRetryExcErr)
}

func TestOnlyTheTransitionsOfTheSpecificationAreTaken(t *testing.T) {
	s := newSide(t, Options{}, QPInitAttr{}, 64)
	peer := newSide(t, Options{}, QPInitAttr{}, 64)
	if err := s.qp.Modify(&QPAttr{State: StateRTS}, AttrState); !errors.Is(err, ErrInvalid) {
		t.Errorf("RESET to RTS: %v, want %v", err, ErrInvalid)
	}
	if err := s.qp.Modify(&QPAttr{State: StateInit}, AttrState); !errors.Is(err, ErrInvalid) {
		t.Errorf("INIT without access rights: %v, want %v", err, ErrInvalid)
	}
	if err := s.qp.PostSend(SendWR{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a send in RESET: %v, want %v", err, ErrInvalid)
	}
	if err := s.qp.Connect(Remote{Addr: peer.dev.Addr(), QPN: peer.qp.QPN()}, 0, allAccess); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		to   QPState
		want QPState
	}{{StateSQD, StateSQD}, {StateRTS, StateRTS}, {StateErr, StateErr}, {StateReset, StateReset}} {
		if err := s.qp.Modify(&QPAttr{State: c.to}, AttrState); err != nil {
			t.Errorf("to %v: %v", c.to, err)
		}
		if got := s.qp.State(); got != c.want {
			t.Errorf("it is in %v, want %v", got, c.want)
		}
	}
	if err := s.qp.Modify(&QPAttr{State: StateSQE}, AttrState); !errors.Is(err, ErrInvalid) {
		t.Errorf("a modification to SQE: %v, want %v", err, ErrInvalid)
	}
}

func TestEventsWakeWhoeverSleeps(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 64)
	a, b := p.on[0], p.on[1]
	for id := range uint64(2) {
		if err := b.qp.PostRecv(RecvWR{WRID: id, SGL: []SGE{b.mr.SGE(0, 64)}}); err != nil {
			t.Fatal(err)
		}
	}
	b.cq.ReqNotify(true)
	a.post(SendWR{WRID: 1, Opcode: Send, Flags: SendInline, Inline: []byte("quiet")})
	a.want(1, Success)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := b.cq.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a completion that is not solicited woke: %v", err)
	}
	a.post(SendWR{WRID: 2, Opcode: Send, Flags: SendInline | SendSolicited, Inline: []byte("loud")})
	ctx, cancel = context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := b.cq.Wait(ctx); err != nil {
		t.Errorf("the solicited completion did not wake: %v", err)
	}
	b.want(0, Success)
	b.want(1, Success)
}

func TestACompletionQueueThatIsFullIsReported(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 64)
	a, b := p.on[0], p.on[1]
	small, err := a.dev.CreateCQ(1)
	if err != nil {
		t.Fatal(err)
	}
	qp, err := a.pd.CreateQP(QPInitAttr{SendCQ: small, RecvCQ: small, MaxSendWR: 4, MaxRecvWR: 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := qp.Connect(Remote{Addr: b.dev.Addr(), QPN: b.qp.QPN()}, 0, allAccess); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := qp.PostRecv(RecvWR{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := qp.Modify(&QPAttr{State: StateErr}, AttrState); err != nil {
		t.Fatal(err)
	}
	var wc [4]WC
	if n, err := small.Poll(wc[:]); n != 1 || err != nil {
		t.Errorf("%d completions (%v), want one, for which there is room", n, err)
	}
	if _, err := small.Poll(wc[:]); !errors.Is(err, ErrOverrun) {
		t.Errorf("after an overrun: %v, want %v", err, ErrOverrun)
	}
	told := 0
	for more := true; more; {
		select {
		case e := <-a.dev.Events():
			if e.Type == EventCQErr && e.CQ == small {
				told++
			}
		default:
			more = false
		}
	}
	if told != 1 {
		t.Errorf("two completions found no room in a queue: %d events say so, want one", told)
	}
}

func TestAThousandQueuePairsOfADeviceWork(t *testing.T) {
	const n = 1000
	p := newPair(t, Options{}, QPInitAttr{}, 1<<16)
	a, b := p.on[0], p.on[1]
	var from [n]*QP
	for i := range from {
		var ends [2]*QP
		for k, s := range p.on {
			q, err := s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 2})
			if err != nil {
				t.Fatal(err)
			}
			ends[k] = q
		}
		for k, q := range ends {
			if err := q.Connect(Remote{Addr: p.on[1-k].dev.Addr(), QPN: ends[1-k].QPN()}, 0, allAccess); err != nil {
				t.Fatal(err)
			}
		}
		from[i] = ends[0]
	}
	for i, q := range from {
		a.buf[i] = byte(i * 3)
		if err := q.PostSend(SendWR{WRID: uint64(i), Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{a.mr.SGE(i, 1)}, RemoteAddr: b.mr.Addr() + uint64(i), RKey: b.mr.RKey()}); err != nil {
			t.Fatal(err)
		}
	}
	for range from {
		if wc := a.wait(); wc.Status != Success {
			t.Fatal(wc.Status)
		}
	}
	if !bytes.Equal(b.memory()[:n], a.buf[:n]) {
		t.Error("other bytes arrived")
	}
}

// The two bounds on READs belong to two roles: READs that this end has outstanding, and READs that
// it serves.
func TestTheResponderServesAsManyReadsAsItHasSaid(t *testing.T) {
	var on [2]*side
	for i := range on {
		on[i] = newSide(t, Options{}, QPInitAttr{}, 1<<16)
	}
	for i, s := range on {
		a := QPAttr{
			Access: allAccess, PathMTU: 1024, Dest: on[1-i].dev.Addr(), DestQPN: on[1-i].qp.QPN(), Timeout: 14, RetryCnt: 7, RNRRetry: 7,
			MaxRdAtomic: []int{16, 1}[i], MaxDestRdAtomic: []int{1, 16}[i],
		}
		if err := s.qp.ConnectWith(&a); err != nil {
			t.Fatal(err)
		}
	}
	a, b := on[0], on[1]
	fillPattern(b.memory(), 4)
	b.memory()
	for i := range 64 {
		a.post(SendWR{WRID: uint64(i), Opcode: RDMARead, SGL: []SGE{a.mr.SGE(i*1024, 1024)}, RemoteAddr: b.mr.Addr() + uint64(i*1024), RKey: b.mr.RKey()})
	}
	for i := range 64 {
		a.want(uint64(i), Success)
	}
	if !bytes.Equal(a.memory(), b.memory()) {
		t.Error("other bytes were read")
	}
}
