package verbs

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"weft/verbs/internal/socket"
	"weft/verbs/internal/socket/faulty"
	"weft/wire"
	"weft/wire/cm"
)

// datagramPair is two devices on a network with a queue pair of UD each.
func datagramPair(t *testing.T, h faulty.Harm) *pair {
	t.Helper()
	p := faultyPair(t, faulty.New(5, h), QPInitAttr{Type: UD}, 1<<16)
	for i, s := range p.on {
		if err := s.qp.ConnectWith(&QPAttr{QKey: 0x100 + uint32(i)}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// A port is resolved to a queue pair and its Q_Key, on a network that drops half of the questions
// and answers; the queue pair is then reached. Each question is delivered once.
func TestAPortIsResolvedToAQueuePair(t *testing.T) {
	p := datagramPair(t, faulty.Harm{Lose: 0.4, Double: 0.3})
	a, b := p.on[0], p.on[1]
	ctx := within(t, patience)
	s, err := b.dev.ListenDatagrams(7174)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.dev.ListenDatagrams(7174); !errors.Is(err, ErrInUse) {
		t.Errorf("the port again: %v, want %v", err, ErrInUse)
	}
	const asks = 5
	heard := make(chan error, asks)
	go func() {
		for range asks {
			q, err := s.Accept(ctx)
			if err == nil && (string(bytes.TrimRight(q.PrivateData(), "\x00")) != "who?" || q.Peer().Addr() != a.dev.Addr().Addr()) {
				err = errors.New("not what was asked")
			}
			if err == nil {
				err = q.Answer(b.qp, []byte("me"))
			}
			heard <- err
		}
	}()
	var r *Resolved
	for range asks {
		if r, err = a.dev.Resolve(ctx, b.dev.Addr().Addr(), 7174, []byte("who?")); err != nil {
			t.Fatal(err)
		}
		if err := <-heard; err != nil {
			t.Fatal(err)
		}
		if r.QPN != b.qp.QPN() || r.QKey != 0x101 || r.Addr != b.dev.Addr() || string(bytes.TrimRight(r.PrivateData, "\x00")) != "me" {
			t.Fatalf("resolved to %+v", r)
		}
	}
	if q, err := s.Accept(within(t, 3*answerTime)); err == nil {
		t.Errorf("a question of %v was heard twice", q.Peer())
	}
	b.receives(b.qp, 0, 1)
	ah, err := a.pd.CreateAH(r.Addr)
	if err != nil {
		t.Fatal(err)
	}
	for b.cq.Pending() == 0 { // the network still drops packets
		a.post(SendWR{WRID: 9, Opcode: Send, Flags: SendInline, Inline: []byte("hello"), AH: ah, DestQPN: r.QPN, QKey: r.QKey})
		a.want(9, Success)
		time.Sleep(time.Millisecond)
		b.dev.Progress()
	}
	b.want(0, Success)
}

func TestAPortThatIsNotServedIsNotResolved(t *testing.T) {
	p := datagramPair(t, faulty.Harm{})
	a, b := p.on[0], p.on[1]
	to := b.dev.Addr().Addr()
	s, err := b.dev.ListenDatagrams(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.dev.Resolve(within(t, patience), to, 2, nil); !errors.Is(err, ErrNoListener) {
		t.Errorf("nobody listens there: %v, want %v", err, ErrNoListener)
	}
	go func() {
		if q, err := s.Accept(within(t, patience)); err == nil {
			_ = q.Refuse(nil)
			_ = q.Refuse(nil)
		}
	}()
	if _, err := a.dev.Resolve(within(t, patience), to, 1, nil); !errors.Is(err, ErrRejected) || errors.Is(err, ErrNoListener) {
		t.Errorf("the service refuses: %v, want %v", err, ErrRejected)
	}
	if _, err := a.dev.Resolve(within(t, patience), to, 1, make([]byte, sidrPrivate+1)); !errors.Is(err, ErrInvalid) {
		t.Errorf("too much private data: %v, want %v", err, ErrInvalid)
	}
	if _, err := a.dev.Resolve(within(t, 20*time.Millisecond), to, 1, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nobody answers: %v, want %v", err, context.DeadlineExceeded)
	}
	for range maxBacklog { // the question above is the first
		if err := a.askOnly(t, to.String(), 1); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(patience); s.backlog.size() < maxBacklog && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		if err := a.askOnly(t, to.String(), 1); err != nil { // one was lost: nobody repeats these
			t.Fatal(err)
		}
	}
	if _, err := a.dev.Resolve(within(t, answerTime), to, 1, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one question more than the service holds: %v, want %v", err, context.DeadlineExceeded)
	}
	if n := s.backlog.size(); n != maxBacklog {
		t.Errorf("%d questions wait: at most %d", n, maxBacklog)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.dev.Resolve(within(t, patience), to, 1, nil); !errors.Is(err, ErrNoListener) {
		t.Errorf("the service is closed: %v, want %v", err, ErrNoListener)
	}
}

// size is the number of waiting items.
func (b *backlog[T]) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waits)
}

// askOnly asks and does not wait.
func (s *side) askOnly(t *testing.T, to string, port uint16) error {
	t.Helper()
	m, err := s.dev.manager()
	if err == nil {
		_, _, err = m.resolve(mustAddr(to+":4791"), port, nil)
	}
	return err
}

// The question recorded from Linux's udaddy gets Linux's recorded answer, except for the number of
// the queue pair.
func TestAResolutionIsAnsweredAsLinuxDoes(t *testing.T) {
	var asked, answered *recorded
	list := recordings(t)["cm_udaddy"]
	for i := range list {
		var h cm.Header
		if _, err := h.Parse(list[i].Packet.Payload); err != nil {
			continue
		}
		switch h.Attribute {
		case cm.AttrSidrReq:
			asked = &list[i]
		case cm.AttrSidrRep:
			answered = &list[i]
		}
	}
	if asked == nil || answered == nil {
		t.Fatal("the recording has no resolution")
	}
	conn := &script{local: answered.from}
	conn.local = mustAddr(answered.from.Addr().String() + ":4791")
	dev, err := open(conn, Options{PathMTU: 1024})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	b := fit(t, dev, QPInitAttr{Type: UD}, 4096)
	if err := b.qp.ConnectWith(&QPAttr{QKey: groupQKey}); err != nil {
		t.Fatal(err)
	}
	s, err := dev.ListenDatagrams(7174)
	if err != nil {
		t.Fatal(err)
	}
	dev.port.Lock()
	conn.in = append(conn.in, socket.Incoming{From: asked.from, Segment: len(asked.data), Data: asked.data})
	dev.port.Progress()
	dev.port.Unlock()
	q, err := s.Accept(within(t, patience))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Answer(b.qp, nil); err != nil {
		t.Fatal(err)
	}
	dev.port.Lock()
	defer dev.port.Unlock()
	if len(conn.out) != 1 {
		t.Fatalf("%d packets were sent, want the answer", len(conn.out))
	}
	var sent wire.Packet
	if err := sent.Parse(conn.out[0][:len(conn.out[0])-wire.ICRCBytes]); err != nil {
		t.Fatal(err)
	}
	if sent.BTH.DestQP != answered.Packet.BTH.DestQP || sent.DETH != answered.Packet.DETH {
		t.Errorf("it goes to %d with %+v, Linux's to %d with %+v", sent.BTH.DestQP, sent.DETH, answered.Packet.BTH.DestQP, answered.Packet.DETH)
	}
	want := bytes.Clone(answered.Packet.Payload)
	const qpn = 24 + 8
	copy(want[qpn:qpn+3], sent.Payload[qpn:])
	if !bytes.Equal(sent.Payload, want) {
		t.Errorf("answered\n%x, Linux\n%x", sent.Payload, want)
	}
	if !strings.HasPrefix(q.Peer().String(), asked.from.Addr().String()) {
		t.Errorf("the question is %v's, want %v's", q.Peer(), asked.from)
	}
}
