package verbs

import (
	"context"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"weft/units"
	"weft/verbs/internal/socket"
	"weft/verbs/internal/socket/faulty"
	"weft/wire"
	"weft/wire/cm"
)

// leaky is a connection that loses the packets that a function chooses as they leave.
type leaky struct {
	socket.Conn
	loses atomic.Pointer[func(*wire.Packet) bool]
}

// Send sends each packet that is not lost.
func (c *leaky) Send(batch []socket.Outgoing) error {
	for i := range batch {
		var all []byte
		for _, part := range batch[i].Parts {
			all = append(all, part...)
		}
		for len(all) > 0 {
			n := min(batch[i].Segment, len(all))
			var h wire.Packet
			if err := h.Parse(all[:n-wire.ICRCBytes]); err != nil {
				return err
			}
			if lose := c.loses.Load(); lose == nil || !(*lose)(&h) {
				one := socket.Outgoing{To: batch[i].To, Segment: n, Packets: 1, Parts: [][]byte{all[:n:n]}}
				if err := c.Conn.Send([]socket.Outgoing{one}); err != nil {
					return err
				}
			}
			all = all[n:]
		}
	}
	return nil
}

// lose has packets lost from now on.
func (c *leaky) lose(f func(*wire.Packet) bool) { c.loses.Store(&f) }

// leakyPair is two devices on connections that lose what a test wants, with the machine's clock if clock is nil.
func leakyPair(t *testing.T, clock func() units.Time) (*pair, [2]*leaky) {
	t.Helper()
	n, p := faulty.New(1, faulty.Harm{}), &pair{t: t}
	var out [2]*leaky
	for i := range p.on {
		out[i] = &leaky{Conn: n.Open(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791))}
		dev, err := open(out[i], Options{PathMTU: 1024, clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		p.on[i] = fit(t, dev, QPInitAttr{}, 64)
	}
	return p, out
}

// message is the kind of a message of the connection manager.
func message(h *wire.Packet) cm.Attribute {
	var m cm.Header
	if h.BTH.DestQP != gsi {
		return 0
	}
	_, _ = m.Parse(h.Payload)
	return m.Attribute
}

// first chooses the first message of a kind.
func first(kind cm.Attribute) func(*wire.Packet) bool {
	var seen atomic.Bool
	return func(h *wire.Packet) bool { return message(h) == kind && !seen.Swap(true) }
}

// A program that ends stays until its peer has its good bye, which may get lost, or the answer to it. Both may
// say it at the same time.
func TestAProgramThatEndsWaitsUntilItsGoodByesAreAnswered(t *testing.T) {
	for _, lost := range []cm.Attribute{0, cm.AttrDreq, cm.AttrDrep} {
		for _, both := range []bool{false, true} {
			p, out := leakyPair(t, nil)
			dialled, accepted := connected(t, p, 7)
			out[0].lose(first(lost))
			out[1].lose(first(lost))
			done := make(chan error, 2)
			for i, s := range p.on {
				go func() {
					ctx := within(t, patience)
					if i == 0 || both {
						s.dev.Farewell(ctx)
					}
					done <- ctx.Err()
				}()
			}
			for range p.on {
				if err := <-done; err != nil {
					t.Errorf("%v lost, both leave %v: an end waits until %v", lost, both, err)
				}
			}
			for _, c := range []*Conn{dialled, accepted} {
				// The answer leaves an end before the end's own program is told: the end that left may return first.
				select {
				case <-c.Done():
				case <-within(t, patience).Done():
					t.Errorf("%v lost, both leave %v: an end has no disconnection", lost, both)
				}
			}
		}
	}
}

// Without loss it does not wait for the time after which it would say good bye again.
func TestAProgramThatEndsDoesNotWaitWhereNothingIsLost(t *testing.T) {
	p, out := leakyPair(t, nil)
	connected(t, p, 7)
	var said atomic.Int32
	out[0].lose(func(h *wire.Packet) bool {
		if message(h) == cm.AttrDreq {
			said.Add(1)
		}
		return false
	})
	p.on[0].dev.Farewell(within(t, patience))
	if n := said.Load(); n != 1 {
		t.Errorf("%d good byes, want 1", n)
	}
}

func TestAProgramThatEndsWaitsNoLongerThanItWants(t *testing.T) {
	p, out := leakyPair(t, nil)
	connected(t, p, 7)
	out[1].lose(func(*wire.Packet) bool { return true }) // the peer has gone
	const most = 100 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	p.on[0].dev.Farewell(ctx)
	if ctx.Err() == nil {
		t.Errorf("it ends before %v are over, though the peer does not answer", most)
	}
}

// The answer to a peer's good bye is sent once more at the end: a peer of Linux asks again only after 6 s.
func TestTheAnswerToAGoodByeIsSentAgainAtTheEnd(t *testing.T) {
	p, out := leakyPair(t, nil)
	dialled, accepted := connected(t, p, 7)
	asked := first(cm.AttrDreq)
	out[0].lose(func(h *wire.Packet) bool { return message(h) == cm.AttrDreq && !asked(h) }) // it asks once
	out[1].lose(first(cm.AttrDrep))
	dialled.m.disconnect(dialled)
	<-accepted.Done()
	p.on[1].dev.Farewell(within(t, patience))
	select {
	case <-dialled.Done():
	case <-time.After(patience):
		t.Error("the peer's good bye has no answer")
	}
}

// Nobody acknowledges again for a queue pair that has ended, so its last acknowledgement is sent twice.
func TestTheLastAcknowledgementOfAQueuePairMayGetLost(t *testing.T) {
	for name, end := range map[string]func(*side) error{
		"the queue pair is destroyed": func(s *side) error { return s.qp.Destroy() },
		"the program ends":            func(s *side) error { s.dev.Farewell(context.Background()); return nil },
	} {
		p, out := leakyPair(t, func() units.Time { return 0 }) // nothing is sent again
		p.connectPatiently(14, 7)
		a, b := p.on[0], p.on[1]
		if err := b.qp.PostRecv(RecvWR{WRID: 7, SGL: []SGE{b.mr.SGE(0, 8)}}); err != nil {
			t.Fatal(err)
		}
		lost := 0
		out[1].lose(func(h *wire.Packet) bool {
			if h.BTH.Opcode == wire.RCAcknowledge {
				lost++
			}
			return lost == 1
		})
		a.post(SendWR{WRID: 1, Opcode: Send, SGL: []SGE{a.mr.SGE(0, 8)}})
		b.want(7, Success)
		if err := end(b); err != nil {
			t.Fatal(err)
		}
		var wc [1]WC
		if n, err := a.cq.Poll(wc[:]); n != 1 || err != nil || wc[0].Status != Success {
			t.Errorf("%s: the sender has %d completions, %v, %v: want 1 with success", name, n, wc[0].Status, err)
		}
	}
}
