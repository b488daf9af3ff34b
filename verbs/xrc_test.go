package verbs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"weft/verbs/internal/socket/faulty"
)

// queue is a shared receive queue of XRC with a protection domain, memory and completion queue of its own.
type queue struct {
	*side
	srq *SRQ
}

// xrcEnds connects a sending queue pair of one device with a receiving one of another.
func xrcEnds(t *testing.T, p *pair, x *XRCD) (send, recv *QP) {
	t.Helper()
	a, b := p.on[0], p.on[1]
	send, err := a.pd.CreateQP(QPInitAttr{Type: XRCSend, SendCQ: a.cq, MaxSendWR: 64, MaxInlineData: 64})
	if err != nil {
		t.Fatal(err)
	}
	if recv, err = x.CreateQP(); err != nil {
		t.Fatal(err)
	}
	if err := send.Connect(Remote{Addr: b.dev.Addr(), QPN: recv.QPN(), PSN: 7}, 9, 0); err != nil {
		t.Fatal(err)
	}
	if err := recv.Connect(Remote{Addr: a.dev.Addr(), QPN: send.QPN(), PSN: 9}, 7, allAccess); err != nil {
		t.Fatal(err)
	}
	return send, recv
}

// xrcQueue makes a queue in a domain, on a side's device.
func xrcQueue(t *testing.T, s *side, x *XRCD, size int) *queue {
	t.Helper()
	q := &queue{side: fit(t, s.dev, QPInitAttr{}, size)}
	var err error
	if q.srq, err = q.pd.CreateXRCSRQ(64, x, q.cq); err != nil {
		t.Fatal(err)
	}
	return q
}

func postTo(t *testing.T, q *QP, wr SendWR) {
	t.Helper()
	wr.Flags |= SendSignaled
	if err := q.PostSend(wr); err != nil {
		t.Fatal(err)
	}
}

// One connection serves the queues of a domain, each with its own memory, also where packets are lost, doubled
// and late.
func TestOneConnectionOfXRCServesManyQueues(t *testing.T) {
	p := faultyPair(t, faulty.New(3, faulty.Harm{Lose: 0.03, Double: 0.03, Delay: 0.03}), QPInitAttr{}, 1<<16)
	a := p.on[0]
	x := p.on[1].dev.AllocXRCD()
	send, recv := xrcEnds(t, p, x)
	queues := []*queue{xrcQueue(t, p.on[1], x, 1<<16), xrcQueue(t, p.on[1], x, 1<<16)}
	fillPattern(a.buf, 5)
	const size = 9000
	for i := range 40 {
		q, id := queues[i%2], uint64(i)
		if err := q.srq.PostRecv(RecvWR{WRID: id, SGL: []SGE{q.mr.SGE(0, size)}}); err != nil {
			t.Fatal(err)
		}
		postTo(t, send, SendWR{WRID: id, Opcode: SendWithImm, ImmData: 3, RemoteSRQ: q.srq.Number(), SGL: []SGE{a.mr.SGE(i, size-i)}})
		a.want(id, Success)
		if wc := q.want(id, Success); wc.QPN != recv.QPN() || wc.ByteLen != uint32(size-i) || wc.ImmData != 3 || !bytes.Equal(q.memory()[:size-i], a.buf[i:size]) {
			t.Fatalf("message %d: %+v", i, wc)
		}
	}
	for i, q := range queues {
		at := SendWR{RemoteSRQ: q.srq.Number(), RemoteAddr: q.mr.Addr(), RKey: q.mr.RKey(), SGL: []SGE{a.mr.SGE(0, size)}}
		write, read, add := at, at, at
		write.Opcode, read.Opcode, add.Opcode = RDMAWrite, RDMARead, AtomicFetchAndAdd
		read.SGL, add.SGL, add.CompareAdd = []SGE{a.mr.SGE(20000, size)}, []SGE{a.mr.SGE(40000, 8)}, 17
		for _, wr := range []SendWR{write, read, add} {
			postTo(t, send, wr)
			a.want(0, Success)
		}
		before := binary.NativeEndian.Uint64(a.memory())
		if got := binary.NativeEndian.Uint64(q.memory()); !bytes.Equal(a.buf[:size], a.buf[20000:20000+size]) || got != before+17 || binary.NativeEndian.Uint64(a.buf[40000:]) != before {
			t.Errorf("queue %d: WRITE, READ and FETCH_ADD leave other bytes than theirs", i)
		}
	}
	if s := p.on[1].dev.Stats(); s.Malformed+s.Misdirected > 0 {
		t.Errorf("packets were dropped: %+v", s)
	}
}

// A message for a queue that is not there, or for memory of another queue's protection domain, ends the
// connection with an error, at once.
func TestAMessageOfXRCReachesNothingButItsQueue(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	a := p.on[0]
	x := p.on[1].dev.AllocXRCD()
	mine, other := xrcQueue(t, p.on[1], x, 4096), xrcQueue(t, p.on[1], x, 4096)
	elsewhere := xrcQueue(t, p.on[1], p.on[1].dev.AllocXRCD(), 4096)
	for _, c := range []struct {
		name string
		wr   SendWR
		want Status
	}{
		{"a queue that is not there", SendWR{Opcode: Send, RemoteSRQ: mine.srq.Number() ^ 1}, RemInvReqErr},
		{"a queue of another domain", SendWR{Opcode: Send, RemoteSRQ: elsewhere.srq.Number()}, RemInvReqErr},
		{"memory of another queue", SendWR{Opcode: RDMAWrite, RemoteSRQ: other.srq.Number(), RemoteAddr: mine.mr.Addr(), RKey: mine.mr.RKey()}, RemAccessErr},
		{"memory of no queue", SendWR{Opcode: RDMARead, RemoteSRQ: mine.srq.Number(), RemoteAddr: p.on[1].mr.Addr(), RKey: p.on[1].mr.RKey()}, RemAccessErr},
		{"an atomic without a queue", SendWR{Opcode: AtomicFetchAndAdd, RemoteAddr: mine.mr.Addr(), RKey: mine.mr.RKey()}, RemAccessErr},
	} {
		send, recv := xrcEnds(t, p, x)
		c.wr.SGL = []SGE{a.mr.SGE(0, 8)}
		postTo(t, send, c.wr)
		if wc := a.wait(); wc.Status != c.want {
			t.Errorf("%s: %v, want %v", c.name, wc.Status, c.want)
		}
		if err := errors.Join(send.Destroy(), recv.Destroy()); err != nil {
			t.Error(err)
		}
	}
	if err := x.Dealloc(); !errors.Is(err, ErrBusy) {
		t.Errorf("a domain with queues is freed: %v", err)
	}
	if err := errors.Join(mine.srq.Destroy(), other.srq.Destroy(), x.Dealloc()); err != nil {
		t.Error(err)
	}
}

func TestTheEndsOfXRCDoOnlyTheirPart(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	s := p.on[0]
	x := s.dev.AllocXRCD()
	recv, err := x.CreateQP()
	if err != nil {
		t.Fatal(err)
	}
	send, err := s.pd.CreateQP(QPInitAttr{Type: XRCSend, SendCQ: s.cq})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{recv.PostSend(SendWR{}), recv.PostRecv(RecvWR{}), send.PostRecv(RecvWR{})} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%v, want ErrInvalid", err)
		}
	}
	for _, a := range []QPInitAttr{
		{Type: XRCSend},
		{Type: XRCSend, SendCQ: s.cq, RecvCQ: s.cq},
		{Type: XRCRecv},
		{Type: XRCRecv, XRCD: x, RecvCQ: s.cq},
		{Type: RC, SendCQ: s.cq, RecvCQ: s.cq, XRCD: x},
	} {
		if _, err := s.pd.CreateQP(a); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v, want ErrInvalid", a, err)
		}
	}
	if _, err := s.pd.CreateXRCSRQ(4, p.on[1].dev.AllocXRCD(), s.cq); !errors.Is(err, ErrInvalid) {
		t.Errorf("a queue in another device's domain: %v", err)
	}
}

// The connection manager connects the two ends of XRC, on a network that does harm, and refuses a queue pair of
// another service than the peer's. A port of another space is another port.
func TestTheConnectionManagerConnectsTheEndsOfXRC(t *testing.T) {
	p := faultyPair(t, faulty.New(5, faulty.Harm{Lose: 0.05, Double: 0.05, Delay: 0.05}), QPInitAttr{}, 4096)
	a, b := p.on[0], p.on[1]
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	x := b.dev.AllocXRCD()
	q := xrcQueue(t, b, x, 4096)
	send, err := a.pd.CreateQP(QPInitAttr{Type: XRCSend, SendCQ: a.cq, MaxSendWR: 4})
	if err != nil {
		t.Fatal(err)
	}
	recv, err := x.CreateQP()
	if err != nil {
		t.Fatal(err)
	}
	l, err := b.dev.ListenAt(PortSpaceIB, netip.Addr{}, 7471)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.dev.Dial(ctx, a.qp, b.dev.Addr().Addr(), 7471, ConnParam{}); !errors.Is(err, ErrNoListener) {
		t.Errorf("port 7471 of TCP's space: %v, want %v", err, ErrNoListener)
	}
	accepted := make(chan error, 1)
	go func() {
		r, err := l.Accept(ctx)
		if err == nil && r.Param().Type != XRCSend {
			err = fmt.Errorf("the request is of %v", r.Param().Type)
		}
		if err == nil {
			if _, odd := r.Answer(b.qp, ConnParam{}); !errors.Is(odd, ErrInvalid) {
				err = fmt.Errorf("a queue pair of RC: %w, want %w", odd, ErrInvalid)
			}
		}
		if err == nil {
			_, err = r.Accept(ctx, recv, ConnParam{Access: allAccess})
		}
		accepted <- err
	}()
	c, err := a.dev.Dial(ctx, send, b.dev.Addr().Addr(), 7471, ConnParam{Space: PortSpaceIB})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
	if got := c.Param(); got.Type != XRCRecv || got.QPN != recv.QPN() || !got.SRQ {
		t.Errorf("the peer is %+v, want the receiving queue pair %d", got, recv.QPN())
	}
	if err := q.srq.PostRecv(RecvWR{WRID: 8, SGL: []SGE{q.mr.SGE(0, 4096)}}); err != nil {
		t.Fatal(err)
	}
	fillPattern(a.buf, 4)
	postTo(t, send, SendWR{WRID: 1, Opcode: Send, SGL: []SGE{a.mr.SGE(0, 4096)}, RemoteSRQ: q.srq.Number()})
	a.want(1, Success)
	q.want(8, Success)
	if !bytes.Equal(a.buf, q.memory()) {
		t.Error("other bytes arrived")
	}
	if _, err := a.dev.Dial(ctx, recv, b.dev.Addr().Addr(), 7471, ConnParam{Space: PortSpaceIB}); !errors.Is(err, ErrInvalid) {
		t.Errorf("the receiving end asks for a connection: %v, want %v", err, ErrInvalid)
	}
}
