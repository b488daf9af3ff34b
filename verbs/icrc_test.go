package verbs

import (
	"bytes"
	"testing"

	"weft/verbs/internal/socket/faulty"
)

func TestBetweenSocketsOfOneMachineTheIdentificationIsTheOneExpected(t *testing.T) {
	p := newPair(t, Options{StrictICRC: true}, QPInitAttr{}, 1<<20)
	a, b := p.on[0], p.on[1]
	fillPattern(a.buf, 3)
	a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 1<<20)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
	a.want(1, Success)
	s := b.dev.Stats()
	if s.BadICRC != 0 || s.SolvedICRC != 0 || !bytes.Equal(a.buf, b.memory()) {
		t.Errorf("%+v", s)
	}
	if s.DatagramsReceived >= s.PacketsReceived {
		t.Errorf("%d packets in %d datagrams: the kernel does not segment", s.PacketsReceived, s.DatagramsReceived)
	}
}

// A network that splits datagrams, such as a router between two networks, loses the position in the
// datagram, and with it the identification.
func TestAnIdentificationThatIsNotExpectedIsSolvedForOrRefused(t *testing.T) {
	for _, strict := range []bool{false, true} {
		n := faulty.New(1, faulty.Harm{})
		p := &pair{t: t}
		for i, addr := range []string{"10.0.0.1:4791", "10.0.0.2:4791"} {
			dev, err := open(n.Open(mustAddr(addr)), Options{PathMTU: 1024, StrictICRC: strict})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = dev.Close() })
			p.on[i] = fit(t, dev, QPInitAttr{}, 1<<14)
		}
		if strict {
			p.connectPatiently(8, 1) // it will fail
		} else {
			p.connectPatiently(14, 7)
		}
		a, b := p.on[0], p.on[1]
		a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 1<<14)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
		wc := a.wait()
		s := settled(b)
		if strict && (wc.Status == Success || s.BadICRC == 0) || !strict && (wc.Status != Success || s.SolvedICRC == 0) {
			t.Errorf("strict %v: %v, %+v", strict, wc.Status, s)
		}
	}
}

func TestADamagedPacketIsDroppedAndCounted(t *testing.T) {
	n := faulty.New(3, faulty.Harm{Damage: 1})
	p := faultyPair(t, n, QPInitAttr{}, 4096)
	p.connectPatiently(8, 1)
	a, b := p.on[0], p.on[1]
	a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 4096)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
	a.want(1, RetryExcErr)
	// The ICRC does not cover byte 4 of the BTH: one packet may be damaged there.
	if s := settled(b); s.BadICRC < s.PacketsReceived-1 || s.BadICRC == 0 {
		t.Errorf("of %d damaged packets %d were dropped", s.PacketsReceived, s.BadICRC)
	}
}

// settled returns a device's counters after it has processed all arrived packets.
func settled(s *side) Stats {
	for s.dev.Progress() {
	}
	return s.dev.Stats()
}

// The data in flight to a peer is bounded over all queue pairs.
func TestWhatIsInFlightToAPeerIsBounded(t *testing.T) {
	x := newTarget(t, allAccess)
	const qps, size = 80, 1 << 18 // each sends firstWindow packets before the first answer
	mr, err := x.mr.pd.RegMR(make([]byte, size), allAccess)
	if err != nil {
		t.Fatal(err)
	}
	for range qps {
		q, err := x.mr.pd.CreateQP(QPInitAttr{SendCQ: x.qp.attr.SendCQ, RecvCQ: x.qp.attr.RecvCQ, MaxSendWR: 4})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.ConnectWith(&QPAttr{ // without a timeout, so that no packet goes twice
			Access: allAccess, PathMTU: 1024, Dest: x.from, DestQPN: 99, MaxRdAtomic: 1, MaxDestRdAtomic: 1, RetryCnt: 7, RNRRetry: 7,
		}); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if err := q.PostSend(SendWR{Opcode: RDMAWrite, SGL: []SGE{mr.SGE(0, size)}, RemoteAddr: 1, RKey: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	x.dev.port.Lock()
	defer x.dev.port.Unlock()
	sent := len(x.conn.out)
	// PeerBytes, at 1024 bytes a packet; a turn is not interrupted.
	if most := 1024 + 16; sent > most || sent < 1024 {
		t.Errorf("%d packets are out without an answer, want 1024 to %d", sent, most)
	}
}
