package verbs

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"

	"weft/verbs/internal/socket/faulty"
)

// offering is a connection in which each end offers selective repeat or not.
func offering(t testing.TB, p *pair, offers [2]bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l, err := p.on[1].dev.Listen(9)
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan error, 1)
	go func() {
		r, err := l.Accept(ctx)
		if err == nil {
			_, err = r.Accept(ctx, p.on[1].qp, ConnParam{Access: allAccess, GoBackN: !offers[1]})
		}
		accepted <- err
	}()
	param := ConnParam{Access: allAccess, GoBackN: !offers[0]}
	if _, err := p.on[0].dev.Dial(ctx, p.on[0].qp, p.on[1].dev.Addr().Addr(), 9, param); err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
}

// stream keeps messages of all of the first side's memory in flight until n have completed. It
// sleeps in between: a polling sender would take a core from the receiver.
func stream(t testing.TB, from, to *side, n int) {
	t.Helper()
	size := len(from.buf)
	wr := SendWR{Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{from.mr.SGE(0, size)}, RemoteAddr: to.mr.Addr(), RKey: to.mr.RKey()}
	var wc [64]WC
	for posted, done := 0, 0; done < n; {
		for ; posted < n && posted-done < 64; posted++ {
			if err := from.qp.PostSend(wr); err != nil {
				t.Fatal(err)
			}
		}
		k, err := from.cq.Poll(wc[:])
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range wc[:k] {
			if c.Status != Success {
				t.Fatal(c.Status)
			}
		}
		done += k
		if k == 0 {
			from.cq.ReqNotify(false)
			if from.cq.Pending() == 0 {
				if err := from.cq.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Each end receives immediate data while its own packets are lost and refused, and has all of them, in order. The field
// of a NAK that names a packet ahead is of no other packet.
func TestImmediateDataAreRightBesideRefusedPackets(t *testing.T) {
	const n = 400
	net := faulty.New(3, faulty.Harm{})
	p := faultyPair(t, net, QPInitAttr{MaxSendWR: 64, MaxRecvWR: 512}, 4096)
	offering(t, p, [2]bool{true, true})
	net.Hurt(faulty.Harm{Lose: 0.05})
	for _, s := range p.on {
		for i := range uint64(n) {
			if err := s.qp.PostRecv(RecvWR{WRID: i}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var ends sync.WaitGroup
	for i, s := range p.on {
		to := p.on[1-i]
		ends.Go(func() {
			wr := SendWR{Opcode: RDMAWriteWithImm, Flags: SendSignaled, SGL: []SGE{s.mr.SGE(0, 4096)}, RemoteAddr: to.mr.Addr(), RKey: to.mr.RKey()}
			sent, done, come := uint32(0), uint32(0), uint32(0)
			for done < n || come < n {
				for ; sent < n && sent-done < 32; sent++ {
					wr.ImmData = sent
					if err := s.qp.PostSend(wr); err != nil {
						t.Error(err)
						return
					}
				}
				switch wc := s.wait(); {
				case wc.Status != Success:
					t.Error(wc.Status)
					return
				case wc.Opcode != WCRecvRDMAWithImm:
					done++
				case wc.ImmData != come:
					t.Errorf("end %d: message %d has immediate data %#x", i, come, wc.ImmData)
					return
				default:
					come++
				}
			}
		})
	}
	ends.Wait()
	if s := p.on[0].dev.Stats(); s.SequenceNAKs == 0 {
		t.Error("no packet was refused")
	}
}

func TestSelectiveRepeatSendsOnlyLostPacketsAgain(t *testing.T) {
	repeated := map[[2]bool]int64{}
	for _, offers := range [][2]bool{{true, true}, {true, false}, {false, true}} {
		n := faulty.New(11, faulty.Harm{})
		p := faultyPair(t, n, QPInitAttr{MaxSendWR: 64}, 64<<10)
		offering(t, p, offers)
		a, b := p.on[0], p.on[1]
		n.Hurt(faulty.Harm{Lose: 0.01})
		fillPattern(a.buf, 5)
		stream(t, a, b, 40)
		if string(a.buf) != string(b.memory()) {
			t.Errorf("%v: other bytes arrived", offers)
		}
		repeated[offers] = a.dev.Stats().Repeated
	}
	// Of 2560 packets some 26 are lost. Go-back-N repeats up to a window for each. Selective repeat
	// repeats the lost packets, and packets that a timeout on a busy machine wrongly counts as
	// lost.
	agreed := repeated[[2]bool{true, true}]
	for offers, n := range repeated {
		if alone := offers[0] != offers[1]; alone && n < 2*agreed {
			t.Errorf("%v: %d packets were sent again, and %d if both ends offer selective repeat", offers, n, agreed)
		}
	}
}

func TestSelectiveRepeatKeepsEveryOperationInOrder(t *testing.T) {
	n := faulty.New(12, faulty.Harm{})
	p := faultyPair(t, n, QPInitAttr{MaxSendWR: 64, MaxRecvWR: 64}, 8192)
	offering(t, p, [2]bool{true, true})
	a, b := p.on[0], p.on[1]
	n.Hurt(faulty.Harm{Lose: 0.05, Double: 0.05, Delay: 0.05, Behind: 8, Damage: 0.02})
	for i := range 100 {
		if err := b.qp.PostRecv(RecvWR{WRID: uint64(i), SGL: []SGE{b.mr.SGE(4096, 4096)}}); err != nil {
			t.Fatal(err)
		}
		fillPattern(a.buf[:4096], byte(i))
		a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 4096)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
		a.post(SendWR{WRID: 2, Opcode: Send, SGL: []SGE{a.mr.SGE(0, 4096)}})
		a.post(SendWR{WRID: 3, Opcode: RDMARead, SGL: []SGE{a.mr.SGE(4096, 4096)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
		for id := range uint64(3) {
			a.want(id+1, Success)
		}
		b.want(uint64(i), Success)
		for what, got := range map[string][]byte{"WRITE": b.memory()[:4096], "SEND": b.memory()[4096:], "READ": a.memory()[4096:]} {
			if string(got) != string(a.buf[:4096]) {
				t.Fatalf("round %d: %s brought other bytes", i, what)
			}
		}
	}
}

// BenchmarkLossyWrite measures WRITEs of 64 KiB over two sockets of the loopback, each dropping a
// share of the arriving packets.
func BenchmarkLossyWrite(b *testing.B) {
	for _, share := range []float64{0, 0.01} {
		for _, selective := range []bool{true, false} {
			b.Run(fmt.Sprintf("lost=%g/selective=%v", share, selective), func(b *testing.B) {
				p := &pair{t: b}
				for i := range p.on {
					addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 4, 0, byte(i + 1)}), 47940)
					dev, err := Open(Options{Addr: addr, Lose: share, LoseSeed: uint64(i)})
					if err != nil {
						b.Fatal(err)
					}
					b.Cleanup(func() { _ = dev.Close() })
					p.on[i] = fit(b, dev, QPInitAttr{MaxSendWR: 64}, 64<<10)
				}
				offering(b, p, [2]bool{selective, selective})
				b.SetBytes(64 << 10)
				b.ResetTimer()
				stream(b, p.on[0], p.on[1], b.N)
				b.StopTimer()
				b.ReportMetric(float64(b.N)*(64<<10)*8/b.Elapsed().Seconds()/1e9, "Gb/s")
				b.ReportMetric(float64(p.on[0].dev.Stats().Repeated)/float64(b.N), "repeated/op")
			})
		}
	}
}
