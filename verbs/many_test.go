package verbs

import (
	"bytes"
	"runtime"
	"testing"
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

func TestAHundredThousandConnectedQueuePairsWork(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes 200,000 queue pairs")
	}
	const n = 100_000
	p := newPair(t, Options{}, QPInitAttr{}, n)
	a, b := p.on[0], p.on[1]
	from := make([]*QP, n)
	for i := range from {
		var ends [2]*QP
		var err error
		for k, s := range p.on {
			if ends[k], err = s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 1}); err != nil {
				t.Fatal(err)
			}
		}
		for k, q := range ends {
			if err := q.Connect(Remote{Addr: p.on[1-k].dev.Addr(), QPN: ends[1-k].QPN()}, 0, allAccess); err != nil {
				t.Fatal(err)
			}
		}
		from[i] = ends[0]
	}
	fillPattern(a.buf, 1)
	const window = 500
	for posted, done := 0, 0; done < n; {
		for ; posted < n && posted-done < window; posted++ {
			if err := from[posted].PostSend(SendWR{Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{a.mr.SGE(posted, 1)}, RemoteAddr: b.mr.Addr() + uint64(posted), RKey: b.mr.RKey()}); err != nil {
				t.Fatal(err)
			}
		}
		if wc := a.wait(); wc.Status != Success {
			t.Fatal(wc.Status)
		}
		done++
	}
	if !bytes.Equal(a.buf, b.memory()) {
		t.Error("other bytes arrived")
	}
}
