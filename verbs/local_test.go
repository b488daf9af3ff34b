package verbs

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"weft/verbs/internal/socket/faulty"
)

// wrongMemory are SGEs, each wrong in one way for a queue pair of s.
func wrongMemory(t *testing.T, s *side) map[string]SGE {
	t.Helper()
	gone, err := s.pd.RegMR(make([]byte, 64), allAccess)
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Dereg(); err != nil {
		t.Fatal(err)
	}
	other, err := s.dev.AllocPD().RegMR(make([]byte, 64), allAccess)
	if err != nil {
		t.Fatal(err)
	}
	end := len(s.buf)
	return map[string]SGE{
		"an unknown key":            {Addr: s.mr.Addr(), Length: 8, LKey: s.mr.LKey() + 1},
		"a deregistered region":     gone.SGE(0, 8),
		"another protection domain": other.SGE(0, 8),
		"behind the end":            s.mr.SGE(end-4, 8),
		"before the beginning":      s.mr.SGE(-4, 8),
	}
}

// A wrong local key is found when the work request's turn comes: the earlier requests complete
// normally, this one completes with LocProtErr and sends nothing, and the later ones are flushed
// (IBA vol. 1, 11.6.2).
func TestAWrongLocalKeyCompletesWithAnError(t *testing.T) {
	names := []string{"an unknown key", "a deregistered region", "another protection domain", "behind the end", "before the beginning"}
	for _, name := range names {
		for _, op := range []Opcode{RDMAWrite, Send, RDMARead, AtomicFetchAndAdd} {
			t.Run(name+"/"+op.String(), func(t *testing.T) {
				p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 4096)
				p.connect()
				a, b := p.on[0], p.on[1]
				fillPattern(a.buf, 3)
				bad := wrongMemory(t, a)[name]
				remote := SendWR{RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(), Flags: SendSignaled}
				first, second, third := remote, remote, remote
				first.WRID, first.Opcode, first.SGL = 1, RDMAWrite, []SGE{a.mr.SGE(0, 64)}
				second.WRID, second.Opcode, second.SGL = 2, op, []SGE{bad}
				second.RemoteAddr += 1024
				third.WRID, third.Opcode, third.SGL = 3, RDMAWrite, []SGE{a.mr.SGE(0, 64)}
				third.RemoteAddr += 2048
				if err := a.qp.PostSend(first, second, third); err != nil {
					t.Fatal(err)
				}
				a.want(1, Success)
				if wc := a.want(2, LocProtErr); wc.Opcode != operations[op].wc {
					t.Errorf("the completion's operation is %v", wc.Opcode)
				}
				a.want(3, WRFlushErr)
				want := make([]byte, 4096)
				copy(want, a.buf[:64])
				if !bytes.Equal(b.memory(), want) {
					t.Error("more than the first WRITE arrived")
				}
				if got := a.qp.State(); got != StateErr {
					t.Errorf("the queue pair is in %v, want ERR", got)
				}
			})
		}
	}
}

func TestAReceiveWithoutARightEndsWhenSomethingArrives(t *testing.T) {
	for _, shared := range []bool{false, true} {
		p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 4096)
		a, b := p.on[0], p.on[1]
		bad := RecvWR{WRID: 7, SGL: []SGE{b.mr.SGE(0, 16), {Addr: b.mr.Addr(), Length: 64, LKey: b.mr.LKey() + 1}}}
		var err error
		if shared {
			srq, err2 := b.pd.CreateSRQ(4)
			if err2 != nil {
				t.Fatal(err2)
			}
			if b.qp, err = b.pd.CreateQP(QPInitAttr{SendCQ: b.cq, RecvCQ: b.cq, SRQ: srq}); err != nil {
				t.Fatal(err)
			}
			p.connect()
			err = srq.PostRecv(bad)
		} else {
			p.connect()
			err = b.qp.PostRecv(bad)
		}
		if err != nil {
			t.Fatal(err)
		}
		fillPattern(a.buf, 3)
		a.post(SendWR{WRID: 1, Opcode: Send, SGL: []SGE{a.mr.SGE(0, 32)}})
		a.want(1, RemOpErr)
		b.want(7, LocProtErr)
		if !bytes.Equal(b.memory(), make([]byte, 4096)) {
			t.Error("a part of the message was placed")
		}
		if got := b.qp.State(); got != StateErr {
			t.Errorf("shared %v: the queue pair is in %v, want ERR", shared, got)
		}
	}
}

// On UD and UC such a send brings the queue pair to SQE (IBA vol. 1, 10.3.1).
func TestADatagramWithoutARightEndsInSQE(t *testing.T) {
	p := datagramPair(t, faulty.Harm{})
	a, b := p.on[0], p.on[1]
	ah, err := a.pd.CreateAH(b.dev.Addr())
	if err != nil {
		t.Fatal(err)
	}
	a.post(SendWR{WRID: 1, Opcode: Send, SGL: []SGE{a.mr.SGE(0, 8)}, AH: ah, DestQPN: b.qp.QPN()})
	a.post(SendWR{WRID: 2, Opcode: Send, SGL: []SGE{{Addr: 1, Length: 8, LKey: 1}}, AH: ah, DestQPN: b.qp.QPN()})
	a.want(1, Success)
	a.want(2, LocProtErr)
	if got := a.qp.State(); got != StateSQE {
		t.Errorf("the queue pair is in %v, want SQE", got)
	}
}

// A length is never truncated: a longer one than a message can have is refused, and moves no data.
func TestALengthIsNotCut(t *testing.T) {
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 4096)
	p.connect()
	a, b := p.on[0], p.on[1]
	if math.MaxInt < 1<<32 {
		t.Skip("an int has 32 bits")
	}
	for _, n := range []int{1<<31 + 1, 4 << 30, 4<<30 + 64, -1, math.MinInt} {
		s := a.mr.SGE(0, n)
		if int64(s.Length) != int64(n) {
			t.Errorf("the SGE of %d bytes has %d", n, s.Length)
		}
		for _, list := range [][]SGE{{s}, {a.mr.SGE(0, 64), s}} {
			err := a.qp.PostSend(SendWR{Opcode: RDMAWrite, Flags: SendSignaled, SGL: list, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("a WRITE of %d bytes: %v, want %v", n, err, ErrInvalid)
			}
			if err := a.qp.PostRecv(RecvWR{SGL: list}); !errors.Is(err, ErrInvalid) {
				t.Errorf("a receive of %d bytes: %v, want %v", n, err, ErrInvalid)
			}
		}
	}
	if got := a.qp.State(); got != StateRTS {
		t.Errorf("the queue pair is in %v", got)
	}
}

func TestDatagramsHaveNoWindows(t *testing.T) {
	p := datagramPair(t, faulty.Harm{})
	a := p.on[0]
	mw, err := a.pd.AllocMW(MWType2)
	if err != nil {
		t.Fatal(err)
	}
	for _, wr := range []SendWR{{Opcode: LocalInv, InvalidateRKey: 1}, {Opcode: BindMW, Bind: &BindWR{MW: mw, RKey: IncRKey(mw.RKey())}}} {
		if err := a.qp.PostSend(wr); !errors.Is(err, ErrInvalid) {
			t.Errorf("%v on UD: %v, want %v", wr.Opcode, err, ErrInvalid)
		}
	}
}

// A list has more sends than the queue pair keeps records. Each completes, though none sends a packet.
func TestEverySendOfAListEndsWhereNoneCanGo(t *testing.T) {
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{MaxSendWR: 100}, 64)
	p.connect()
	a := p.on[0]
	if err := a.qp.Modify(&QPAttr{State: StateErr}, AttrState); err != nil {
		t.Fatal(err)
	}
	list := make([]SendWR, 100)
	for i := range list {
		list[i] = SendWR{WRID: uint64(i), Opcode: Send}
	}
	if err := a.qp.PostSend(list...); err != nil {
		t.Fatal(err)
	}
	for i := range list {
		a.want(uint64(i), WRFlushErr)
	}
}
