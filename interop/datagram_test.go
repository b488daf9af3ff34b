//go:build linux

package interop

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"weft/verbs"
)

// The tests of this file use the library, since the program has no verb for the datagram
// programs of librdmacm, udaddy and mckey.

const (
	udaddyPort = 7174
	udpQKey    = 0x0123_4567 // RDMA_UDP_QKEY, of the port space RDMA_PS_UDP
	datagrams  = 4
	room       = 1024
	grh        = 40
	group      = "239.77.1.1"
	waits      = time.Minute
)

// datagramEnd is a queue pair of UD on the tap, with receives posted.
type datagramEnd struct {
	t   *testing.T
	dev *verbs.Device
	pd  *verbs.PD
	cq  *verbs.CQ
	qp  *verbs.QP
	mr  *verbs.MR
	buf []byte
}

func newDatagramEnd(t *testing.T) *datagramEnd {
	t.Helper()
	if machine == nil {
		t.Skip("SKIPPED: make interop runs this, in a virtual machine")
	}
	e := &datagramEnd{t: t, buf: make([]byte, 2*datagrams*room)}
	var err error
	if e.dev, err = verbs.Open(verbs.Options{Addr: netip.AddrPortFrom(netip.MustParseAddr(hostAddr), 0)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.dev.Close() })
	e.pd = e.dev.AllocPD()
	if e.cq, err = e.dev.CreateCQ(64); err != nil {
		t.Fatal(err)
	}
	if e.mr, err = e.pd.RegMR(e.buf, verbs.AccessLocalWrite); err != nil {
		t.Fatal(err)
	}
	e.qp, err = e.pd.CreateQP(verbs.QPInitAttr{Type: verbs.UD, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: 16, MaxRecvWR: 16, MaxInlineData: 64})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.qp.ConnectWith(&verbs.QPAttr{QKey: udpQKey}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * datagrams {
		if err := e.qp.PostRecv(verbs.RecvWR{WRID: uint64(i), SGL: []verbs.SGE{e.mr.SGE(i*room, room)}}); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// receive waits for n datagrams of size bytes, and returns the last.
func (e *datagramEnd) receive(ctx context.Context, n, size int) (last verbs.WC) {
	e.t.Helper()
	var wc [1]verbs.WC
	for got := 0; got < n; {
		k, err := e.cq.Poll(wc[:])
		switch {
		case err != nil || ctx.Err() != nil:
			e.t.Fatalf("%d of %d datagrams came (%v)", got, n, errors.Join(err, ctx.Err()))
		case k == 0 || wc[0].Opcode != verbs.WCRecv:
			continue
		case wc[0].Status != verbs.Success || int(wc[0].ByteLen) != grh+size:
			e.t.Fatalf("received %+v, want %d bytes", wc[0], grh+size)
		}
		last = wc[0]
		got++
	}
	return last
}

// send sends a datagram with the queue pair's number as immediate data, as both
// programs do.
func (e *datagramEnd) send(to netip.AddrPort, qpn verbs.QPN, qkey uint32, size int) {
	e.t.Helper()
	ah, err := e.pd.CreateAH(to)
	if err != nil {
		e.t.Fatal(err)
	}
	err = e.qp.PostSend(verbs.SendWR{
		Opcode: verbs.SendWithImm, ImmData: uint32(e.qp.QPN()), Flags: verbs.SendInline | verbs.SendSignaled, Inline: bytes.Repeat([]byte{7}, size),
		AH: ah, DestQPN: qpn, QKey: qkey,
	})
	if err != nil {
		e.t.Fatal(err)
	}
}

const datagramBytes = 64

var counted = []string{"-C", strconv.Itoa(datagrams), "-S", strconv.Itoa(datagramBytes)}

// beside runs a program in the machine beside the test.
func beside(argv []string) <-chan func() (Outcome, error) {
	done := make(chan func() (Outcome, error), 1)
	go func() {
		out, err := machine.run(argv...)
		done <- func() (Outcome, error) { return out, err }
	}()
	return done
}

func ended(t *testing.T, done <-chan func() (Outcome, error)) {
	t.Helper()
	out, err := (<-done)()
	if err != nil || out.Exit != 0 {
		t.Fatalf("it ended with %d (%v):\n%s", out.Exit, err, out.Output)
	}
}

func TestUdaddyResolvesWeft(t *testing.T) {
	e := newDatagramEnd(t)
	ctx, cancel := context.WithTimeout(context.Background(), waits)
	defer cancel()
	s, err := e.dev.ListenDatagrams(udaddyPort)
	if err != nil {
		t.Fatal(err)
	}
	done := beside(append(words("udaddy -s", hostAddr), counted...))
	q, err := s.Accept(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Answer(e.qp, nil); err != nil {
		t.Fatal(err)
	}
	last := e.receive(ctx, datagrams, datagramBytes)
	for range datagrams {
		e.send(q.Peer(), verbs.QPN(last.ImmData), udpQKey, datagramBytes)
	}
	ended(t, done)
}

func TestWeftResolvesUdaddy(t *testing.T) {
	e := newDatagramEnd(t)
	ctx, cancel := context.WithTimeout(context.Background(), waits)
	defer cancel()
	done := beside(append(words("udaddy"), counted...))
	var r *verbs.Resolved
	for r == nil {
		var err error
		if r, err = e.dev.Resolve(ctx, netip.MustParseAddr(guestAddr), udaddyPort, nil); err != nil && !errors.Is(err, verbs.ErrNoListener) {
			t.Fatal(err)
		}
	}
	for range datagrams {
		e.send(r.Addr, r.QPN, r.QKey, datagramBytes)
	}
	e.receive(ctx, datagrams, datagramBytes)
	ended(t, done)
}

func TestWeftIsAMemberOfMckeysGroup(t *testing.T) {
	e := newDatagramEnd(t)
	ctx, cancel := context.WithTimeout(context.Background(), waits)
	defer cancel()
	if err := e.qp.AttachMcast(netip.MustParseAddr(group)); err != nil {
		t.Fatal(err)
	}
	done := beside(append(words("mckey -s -m", group, "-b", guestAddr), counted...))
	e.receive(ctx, datagrams, datagramBytes)
	ended(t, done)
}

func TestMckeyIsAMemberOfAGroupThatWeftSendsTo(t *testing.T) {
	e := newDatagramEnd(t)
	done := beside(append(words("mckey -m", group, "-b", guestAddr), counted...))
	var wc [8]verbs.WC
	for {
		select {
		case end := <-done:
			if out, err := end(); err != nil || out.Exit != 0 {
				t.Fatalf("mckey ended with %d (%v):\n%s", out.Exit, err, out.Output)
			}
			return
		case <-time.After(200 * time.Millisecond): // mckey does not say when it has joined
			e.send(netip.AddrPortFrom(netip.MustParseAddr(group), 0), verbs.MulticastQPN, udpQKey, datagramBytes)
			_, _ = e.cq.Poll(wc[:])
		}
	}
}
