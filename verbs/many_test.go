package verbs

import (
	"bytes"
	"runtime"
	"testing"

	"weft/verbs/internal/socket/faulty"
)

// A million idle queue pairs must fit into 4 GiB; the test measures a part of them.
func TestAnIdleQueuePairTakesLittleMemory(t *testing.T) {
	const n, most = 50_000, 4 << 30 / 1_000_000
	s := newSide(t, Options{}, QPInitAttr{}, 64)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range n {
		if _, err := s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 16, MaxRecvWR: 16}); err != nil {
			t.Fatal(err)
		}
	}
	each := (heap() - before) / n
	t.Logf("%d bytes", each)
	if each > most {
		t.Errorf("a queue pair takes %d bytes, want at most %d", each, most)
	}
}

// The devices have a simulated clock: on a busy machine 200,000 queue pairs would have timeouts.
func TestAHundredThousandConnectedQueuePairsWork(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes 200,000 queue pairs")
	}
	const n, window = 100_000, 500
	p := patientPair(t, faulty.New(1, faulty.Harm{}), false, n)
	a, b := p.sender, p.receiver
	from := make([]*QP, n)
	for i := range from {
		var ends [2]*QP
		var err error
		for k, s := range []*side{a, b} {
			if ends[k], err = s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 1}); err != nil {
				t.Fatal(err)
			}
		}
		for k, to := range []*side{b, a} {
			if err := ends[k].Connect(Remote{Addr: to.dev.Addr(), QPN: ends[1-k].QPN()}, 0, allAccess); err != nil {
				t.Fatal(err)
			}
		}
		from[i] = ends[0]
	}
	fillPattern(a.buf, 1)
	for posted := 0; posted < n; {
		for range window {
			if err := from[posted].PostSend(SendWR{Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{a.mr.SGE(posted, 1)}, RemoteAddr: b.mr.Addr() + uint64(posted), RKey: b.mr.RKey()}); err != nil {
				t.Fatal(err)
			}
			posted++
		}
		p.until(window, func() {})
		for range window {
			if wc := a.wait(); wc.Status != Success {
				t.Fatal(wc.Status)
			}
		}
	}
	if !bytes.Equal(a.buf, b.memory()) {
		t.Error("other bytes arrived")
	}
	if p.now != 0 {
		t.Errorf("the last work ended after %v, want no timeout on a network that loses nothing", p.now)
	}
}
