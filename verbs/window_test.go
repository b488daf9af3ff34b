package verbs

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"weft/wire"
)

// window is a memory window on a part of the side's region, with all remote rights.
func (s *side) window(kind MWType, offset, n int) *MW {
	s.t.Helper()
	mw, err := s.pd.AllocMW(kind)
	if err != nil {
		s.t.Fatal(err)
	}
	s.bind(mw, offset, n, remoteRights)
	return mw
}

// bind binds a window to a part of the side's region, and waits.
func (s *side) bind(mw *MW, offset, n int, rights Access) {
	s.t.Helper()
	s.postBind(mw, 77, BindInfo{MR: s.mr, Addr: s.mr.Addr() + uint64(offset), Length: uint64(n), Access: rights & (remoteRights | AccessZeroBased)})
	if wc := s.want(77, Success); wc.Opcode != WCBindMW {
		s.t.Fatalf("a bind completed as %+v", wc)
	}
}

func (s *side) postBind(mw *MW, id uint64, b BindInfo) {
	s.t.Helper()
	if mw.kind == MWType2 {
		s.post(SendWR{WRID: id, Opcode: BindMW, Bind: &BindWR{MW: mw, RKey: IncRKey(mw.RKey()), BindInfo: b}})
		return
	}
	if err := s.qp.BindMW(mw, id, SendSignaled, b); err != nil {
		s.t.Fatal(err)
	}
}

func TestAWindowLetsAPeerReachAPartOfARegionWithRightsOfItsOwn(t *testing.T) {
	for _, service := range []QPType{RC, UC} {
		for _, kind := range []MWType{MWType1, MWType2} {
			p := newPair(t, Options{}, QPInitAttr{Type: service}, 8192)
			a, b := p.on[0], p.on[1]
			var err error
			if b.mr, err = b.pd.RegMR(b.buf, AccessLocalWrite|AccessMWBind); err != nil {
				t.Fatal(err)
			}
			mw := b.window(kind, 100, 5000)
			if err := b.qp.PostRecv(RecvWR{WRID: 3}); err != nil {
				t.Fatal(err)
			}
			fillPattern(a.buf, 1)
			a.post(SendWR{WRID: 1, Opcode: RDMAWriteWithImm, SGL: []SGE{a.mr.SGE(0, 5000)}, RemoteAddr: b.mr.Addr() + 100, RKey: mw.RKey()})
			a.want(1, Success)
			b.want(3, Success)
			if !bytes.Equal(b.memory()[100:5100], a.buf[:5000]) {
				t.Errorf("%v, type %d: other bytes arrived", service, kind)
			}
			if err := b.mr.Dereg(); !errors.Is(err, ErrBusy) {
				t.Errorf("a region with a window was deregistered: %v, want %v", err, ErrBusy)
			}
			if err := mw.Dealloc(); err != nil {
				t.Error(err)
			}
			if err := b.mr.Dereg(); err != nil {
				t.Errorf("without its window the region is not deregistered: %v", err)
			}
		}
	}
}

func TestAZeroBasedWindowBeginsAtNought(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	a, b := p.on[0], p.on[1]
	mw := b.window(MWType1, 0, 10)
	b.bind(mw, 1024, 512, AccessRemoteRead|AccessZeroBased)
	fillPattern(b.buf, 9)
	b.memory()
	a.post(SendWR{WRID: 1, Opcode: RDMARead, SGL: []SGE{a.mr.SGE(0, 500)}, RemoteAddr: 12, RKey: mw.RKey()})
	a.want(1, Success)
	if !bytes.Equal(a.buf[:500], b.memory()[1036:1536]) {
		t.Error("other bytes were read")
	}
	a.post(SendWR{WRID: 2, Opcode: RDMARead, SGL: []SGE{a.mr.SGE(0, 500)}, RemoteAddr: 13, RKey: mw.RKey()})
	a.want(2, RemAccessErr)
}

// Work posted after a bind can rely on it: here a SEND tells the peer the key.
func TestABindCompletesBeforeWhatIsPostedBehindIt(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 1<<16)
	a, b := p.on[0], p.on[1]
	mw, err := b.pd.AllocMW(MWType2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(50) {
		if err := a.qp.PostRecv(RecvWR{WRID: i, SGL: []SGE{a.mr.SGE(60000, 100)}}); err != nil {
			t.Fatal(err)
		}
		key := IncRKey(mw.RKey())
		if err := b.qp.PostSend(
			SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{b.mr.SGE(0, 20000)}, RemoteAddr: a.mr.Addr(), RKey: a.mr.RKey()},
			SendWR{WRID: 2, Opcode: BindMW, Bind: &BindWR{MW: mw, RKey: key, BindInfo: BindInfo{MR: b.mr, Addr: b.mr.Addr(), Length: 8, Access: AccessRemoteWrite}}},
			SendWR{WRID: 3, Opcode: SendWithImm, Flags: SendSignaled, ImmData: key},
		); err != nil {
			t.Fatal(err)
		}
		wc := a.want(i, Success)
		b.want(3, Success)
		if err := b.qp.PostRecv(RecvWR{WRID: i}); err != nil {
			t.Fatal(err)
		}
		a.post(SendWR{WRID: 10, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(int(i), 1)}, RemoteAddr: b.mr.Addr(), RKey: wc.ImmData})
		a.want(10, Success)
		a.post(SendWR{WRID: 11, Opcode: SendWithInv, InvalidateRKey: wc.ImmData})
		a.want(11, Success)
		if got := b.want(i, Success); got.Flags != WCWithInv || got.InvalidatedRKey != wc.ImmData {
			t.Fatalf("round %d: received %+v", i, got)
		}
	}
}

func TestABindThatTheRulesForbidFails(t *testing.T) {
	whole := func(s *side) BindInfo {
		return BindInfo{MR: s.mr, Addr: s.mr.Addr(), Length: 4096, Access: AccessRemoteWrite}
	}
	for name, c := range map[string]struct {
		kind  MWType
		spoil func(s *side, mw *MW, b *BindInfo)
	}{
		"over the region's end":   {MWType1, func(_ *side, _ *MW, b *BindInfo) { b.Addr++ }},
		"before the region":       {MWType2, func(_ *side, _ *MW, b *BindInfo) { b.Addr-- }},
		"a length that overflows": {MWType1, func(_ *side, _ *MW, b *BindInfo) { b.Length = 1<<64 - 1 }},
		"no bytes, of type 2":     {MWType2, func(_ *side, _ *MW, b *BindInfo) { b.Length = 0 }},
		"bound already, of type 2": {MWType2, func(s *side, mw *MW, _ *BindInfo) {
			s.bind(mw, 0, 8, remoteRights)
		}},
		"a region that is gone": {MWType1, func(_ *side, _ *MW, b *BindInfo) { _ = b.MR.Dereg() }},
		"a region without the right": {MWType1, func(s *side, _ *MW, b *BindInfo) {
			b.MR, _ = s.pd.RegMR(s.buf, allAccess)
			b.Addr = b.MR.Addr()
		}},
		"write without local write access": {MWType2, func(s *side, _ *MW, b *BindInfo) {
			b.MR, _ = s.pd.RegMR(s.buf, AccessRemoteRead|AccessMWBind)
			b.Addr = b.MR.Addr()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, Options{}, QPInitAttr{}, 4096)
			s := p.on[0]
			mw, err := s.pd.AllocMW(c.kind)
			if err != nil {
				t.Fatal(err)
			}
			b := whole(s)
			c.spoil(s, mw, &b)
			s.postBind(mw, 1, b)
			s.want(1, MWBindErr)
			if got := s.qp.State(); got != StateErr {
				t.Errorf("the queue pair is in %v, want ERR", got)
			}
		})
	}
}

func TestABindThatCannotBeIsRefusedAtPosting(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	s := p.on[0]
	one, two := s.window(MWType1, 0, 8), s.window(MWType2, 0, 8)
	foreign, err := s.dev.AllocPD().AllocMW(MWType1)
	if err != nil {
		t.Fatal(err)
	}
	good := BindInfo{MR: s.mr, Addr: s.mr.Addr(), Length: 8}
	for name, err := range map[string]error{
		"type 1 by a work request": s.qp.PostSend(SendWR{Opcode: BindMW, Bind: &BindWR{MW: one, BindInfo: good}}),
		"type 2 by BindMW":         s.qp.BindMW(two, 1, 0, good),
		"no window":                s.qp.PostSend(SendWR{Opcode: BindMW}),
		"another domain's window":  s.qp.BindMW(foreign, 1, 0, good),
		"local rights":             s.qp.BindMW(one, 1, 0, BindInfo{MR: s.mr, Addr: s.mr.Addr(), Length: 8, Access: AccessLocalWrite}),
		"bytes of no region":       s.qp.BindMW(one, 1, 0, BindInfo{Length: 8}),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want %v", name, err, ErrInvalid)
		}
	}
	if _, err := s.pd.AllocMW(3); !errors.Is(err, ErrInvalid) {
		t.Errorf("a window of type 3: %v, want %v", err, ErrInvalid)
	}
}

// A peer can invalidate its own windows of type 2 and nothing else; any other attempt ends the
// connection, without an answer.
func TestAPeerInvalidatesNothingButItsWindow(t *testing.T) {
	for name, key := range map[string]func(b *side) uint32{
		"a region":          func(b *side) uint32 { return b.mr.RKey() },
		"a type 1 window":   func(b *side) uint32 { return b.window(MWType1, 0, 8).RKey() },
		"an unbound window": func(b *side) uint32 { mw, _ := b.pd.AllocMW(MWType2); return mw.RKey() },
		"another variant":   func(b *side) uint32 { return IncRKey(b.window(MWType2, 0, 8).RKey()) },
		"no key":            func(*side) uint32 { return 0xffffffff },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, Options{}, QPInitAttr{}, 4096)
			a, b := p.on[0], p.on[1]
			if err := b.qp.PostRecv(RecvWR{WRID: 1}); err != nil {
				t.Fatal(err)
			}
			a.post(SendWR{WRID: 1, Opcode: SendWithInv, InvalidateRKey: key(b)})
			b.want(1, RemInvReqErr)
			if got := b.qp.State(); got != StateErr {
				t.Errorf("the responder is in %v, want ERR", got)
			}
			if b.dev.region(b.mr.RKey()) != b.mr {
				t.Error("the region's key is gone")
			}
		})
	}
}

func TestALocalInvalidationNeedsAWindowOfTheQueuePair(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	s := p.on[0]
	s.post(SendWR{WRID: 1, Opcode: LocalInv, InvalidateRKey: s.mr.RKey()})
	s.want(1, LocQPOpErr)
}

func TestWindowsEndWithTheirQueuePair(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	s := p.on[0]
	s.window(MWType2, 0, 8)
	if err := s.qp.Destroy(); err != nil {
		t.Fatal(err)
	}
	if err := s.mr.Dereg(); err != nil {
		t.Errorf("the region of a window whose queue pair is gone: %v", err)
	}
}

// TestOnlyRequestsThatAreExactlyRightChangeMemory, through a window.
func TestOnlyRequestsThatAreExactlyRightGoThroughAWindow(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	accepted := 0
	for range 1000 {
		x := newTarget(t, AccessLocalWrite|AccessMWBind)
		kind := MWType(1 + dice.IntN(2))
		mw, err := x.mr.pd.AllocMW(kind)
		if err != nil {
			t.Fatal(err)
		}
		from := dice.IntN(regionBytes - 1)
		size := 1 + dice.IntN(regionBytes-from)
		key := IncRKey(mw.RKey())
		if kind == MWType2 {
			key = key&^0xff | uint32(dice.IntN(256))
			if key == mw.RKey() {
				key = IncRKey(key)
			}
		}
		x.dev.port.Lock()
		bound := x.qp.bind(&BindWR{MW: mw, RKey: key, BindInfo: BindInfo{MR: x.mr, Addr: x.mr.Addr() + uint64(from), Length: uint64(size), Access: AccessRemoteWrite}})
		x.dev.port.Unlock()
		if !bound {
			t.Fatalf("%d bytes from %d on are not bound", size, from)
		}
		n := 1 + dice.IntN(1024)
		va := near(dice, x.mr.Addr()+uint64(from+dice.IntN(size)))
		rkey := uint32(near(dice, uint64(key)))
		x.take(x.packet(wire.RCWriteOnly, 0, va, rkey, uint32(n), bytes.Repeat([]byte{0xee}, n)))
		low := x.mr.Addr() + uint64(from)
		right := rkey == key && va >= low && va+uint64(n) <= low+uint64(size) && va+uint64(n) > va
		want := make([]byte, len(x.all))
		if right {
			accepted++
			copy(want[guardBytes+int(va-x.mr.Addr()):], bytes.Repeat([]byte{0xee}, n))
		}
		if !bytes.Equal(x.all, want) {
			t.Fatalf("WRITE of %d bytes to %#x with key %#x; the window has %d bytes at %#x and %#x: valid is %v, and the memory shows the opposite", n, va, rkey, size, low, key, right)
		}
		_ = x.dev.Close()
	}
	if accepted < 100 {
		t.Errorf("only %d requests were valid, too few for the test", accepted)
	}
}
