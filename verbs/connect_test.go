package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"weft/verbs/internal/socket/faulty"
)

// connected connects queue pairs of two sides by the communication manager.
func connected(t testing.TB, p *pair, port uint16) (dialled, accepted *Conn) {
	t.Helper()
	a, b := p.on[0], p.on[1]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l, err := b.dev.Listen(port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	type result struct {
		c   *Conn
		err error
	}
	done := make(chan result, 1)
	go func() {
		r, err := l.Accept(ctx)
		if err != nil {
			done <- result{nil, err}
			return
		}
		if got := string(bytes.TrimRight(r.PrivateData(), "\x00")); got != "hello" {
			done <- result{nil, fmt.Errorf("private data %q", got)}
			return
		}
		c, err := r.Accept(ctx, b.qp, ConnParam{Access: allAccess, PrivateData: []byte("welcome")})
		done <- result{c, err}
	}()
	dialled, err = a.dev.Dial(ctx, a.qp, b.dev.Addr().Addr(), port, ConnParam{Access: allAccess, PrivateData: []byte("hello")})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(bytes.TrimRight(dialled.PrivateData(), "\x00")); got != "welcome" {
		t.Errorf("the answer's private data is %q", got)
	}
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	return dialled, r.c
}

func TestConnectionsAreMadeAndEndedByMessagesBetweenQueuePairsOne(t *testing.T) {
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 8192)
	a, b := p.on[0], p.on[1]
	dialled, accepted := connected(t, p, 7471)
	fillPattern(a.buf, 1)
	a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 8192)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
	a.want(1, Success)
	if !bytes.Equal(a.buf, b.memory()) {
		t.Error("other bytes arrived")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := dialled.Disconnect(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case <-accepted.Done():
	case <-ctx.Done():
		t.Fatal("the other end got no event of the disconnection")
	}
	if here, there := a.qp.State(), b.qp.State(); here != StateErr || there != StateRTS {
		t.Errorf("the end that disconnects is in %v, its peer in %v, want ERR and RTS", here, there)
	}
	if err := accepted.Disconnect(ctx); err != nil {
		t.Fatal(err)
	}
	if got := b.qp.State(); got != StateErr {
		t.Errorf("a peer that disconnects too is in %v, want ERR", got)
	}
}

// Devices at interfaces with other MTUs, as the loopback and an Ethernet: a REP has no path MTU, so the one that asks must learn it.
func TestTheEndsOfAConnectionHaveThePathMTUForWhichBothHaveRoom(t *testing.T) {
	for _, mtu := range [][2]int{{4096, 1024}, {1024, 4096}} {
		p := &pair{}
		for i := range p.on {
			p.on[i] = newSide(t, Options{PathMTU: mtu[i], Addr: netip.MustParseAddrPort(fmt.Sprintf("127.0.%d.%d:18520", 90, 1+i))}, QPInitAttr{}, 8192)
		}
		a, b := p.on[0], p.on[1]
		connected(t, p, 7471)
		fillPattern(a.buf, 1)
		a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 8192)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
		a.want(1, Success)
		if !bytes.Equal(a.buf, b.memory()) {
			t.Errorf("path MTUs %v: other bytes arrived", mtu)
		}
		for _, s := range p.on {
			if attr, _ := s.qp.Query(); attr.PathMTU != 1024 {
				t.Errorf("path MTUs %v: a queue pair has %d, want 1024", mtu, attr.PathMTU)
			}
		}
		for _, s := range p.on {
			_ = s.dev.Close()
		}
	}
}

func TestConnectionsAreMadeThoughMessagesAreLostAndDoubled(t *testing.T) {
	n := faulty.New(7, faulty.Harm{Lose: 0.25, Double: 0.25})
	p := faultyPair(t, n, QPInitAttr{}, 64)
	connected(t, p, 1)
	if n.Lost == 0 && n.Doubled == 0 {
		t.Error("nothing was lost or doubled: the test checks nothing")
	}
}

func TestAPatientRequestWaitsForTheListener(t *testing.T) {
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 64)
	a, b := p.on[0], p.on[1]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := b.dev.Listen(5); err != nil { // another port: requests are answered
		t.Fatal(err)
	}
	time.AfterFunc(3*tickTime, func() {
		l, err := b.dev.Listen(6)
		if err != nil {
			t.Error(err)
			return
		}
		if r, err := l.Accept(ctx); err == nil {
			_, _ = r.Accept(ctx, b.qp, ConnParam{}) // Dial has the error
		}
	})
	if _, err := a.dev.Dial(ctx, a.qp, b.dev.Addr().Addr(), 6, ConnParam{Patience: patience}); err != nil {
		t.Errorf("the listener comes after %v: %v", 3*tickTime, err)
	}
}

func TestADeviceAsksOnlyAddressesOfItsFamily(t *testing.T) {
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 64)
	a := p.on[0]
	for _, to := range []netip.Addr{netip.IPv6Loopback(), netip.MustParseAddr("2001:db8::7"), {}} {
		if _, err := a.dev.Dial(within(t, patience), a.qp, to, 1, ConnParam{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a connection from %v to %v: %v, want %v", a.dev.Addr(), to, err, ErrInvalid)
		}
		if _, err := a.dev.Resolve(within(t, patience), to, 1, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("a question from %v to %v: %v, want %v", a.dev.Addr(), to, err, ErrInvalid)
		}
	}
}

func TestARequestThatNobodyListensToOrThatIsRefusedFails(t *testing.T) {
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 64)
	a, b := p.on[0], p.on[1]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := b.dev.Listen(5); err != nil { // this creates queue pair 1
		t.Fatal(err)
	}
	if _, err := b.dev.Listen(5); !errors.Is(err, ErrInUse) {
		t.Errorf("listening twice: %v, want %v", err, ErrInUse)
	}
	if _, err := a.dev.Dial(ctx, a.qp, b.dev.Addr().Addr(), 6, ConnParam{}); !errors.Is(err, ErrRejected) || !errors.Is(err, ErrNoListener) {
		t.Errorf("no listener: %v, want %v and %v", err, ErrRejected, ErrNoListener)
	}
	l, err := b.dev.Listen(7)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if r, err := l.Accept(ctx); err == nil {
			_ = r.Reject([]byte("no"))
		}
	}()
	qp, err := a.pd.CreateQP(QPInitAttr{SendCQ: a.cq, RecvCQ: a.cq, MaxSendWR: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.dev.Dial(ctx, qp, b.dev.Addr().Addr(), 7, ConnParam{}); !errors.Is(err, ErrRejected) {
		t.Errorf("refused: %v, want %v", err, ErrRejected)
	}
	short, cancel2 := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel2()
	fresh, err := a.pd.CreateQP(QPInitAttr{SendCQ: a.cq, RecvCQ: a.cq, MaxSendWR: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.dev.Dial(short, fresh, mustAddr("10.0.0.99:1").Addr(), 7, ConnParam{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no peer: %v, want %v", err, context.DeadlineExceeded)
	}
}

// Queue pair 1 has room for a bounded number of sends; a device may have more connections than
// that.
func TestADeviceMakesMoreConnectionsThanItsManagerHasRoomFor(t *testing.T) {
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 64)
	const connections = 3 * gsiRecvs
	for i := range connections {
		for k, s := range p.on {
			qp, err := s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq})
			if err != nil {
				t.Fatal(err)
			}
			_ = p.on[k].qp.Destroy()
			p.on[k].qp = qp
		}
		here, there := connected(t, p, uint16(1000+i))
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := here.Disconnect(ctx)
		cancel()
		if err != nil {
			t.Fatalf("connection %d of %d: %v", i+1, connections, err)
		}
		<-there.Done()
	}
}
