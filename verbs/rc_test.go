package verbs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// pair is two devices on this machine with a connected queue pair each.
type pair struct {
	t  testing.TB
	on [2]*side
}

// side is one end: a device with a queue pair and a region.
type side struct {
	t   testing.TB
	dev *Device
	pd  *PD
	cq  *CQ
	qp  *QP
	mr  *MR
	buf []byte
}

const (
	allAccess = AccessLocalWrite | AccessRemoteWrite | AccessRemoteRead | AccessRemoteAtomic
	patience  = 20 * time.Second
)

// newSide opens a device on a free port.
func newSide(t testing.TB, o Options, a QPInitAttr, size int) *side {
	t.Helper()
	if !o.Addr.IsValid() {
		o.Addr = netip.MustParseAddrPort("127.0.0.1:0")
	}
	conn := withWays(t, o.Addr)
	if o.SocketOnly {
		conn = udp(t, o.Addr)
	}
	dev, err := open(conn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return fit(t, dev, a, size)
}

// fit makes the objects of a side.
func fit(t testing.TB, dev *Device, a QPInitAttr, size int) *side {
	t.Helper()
	s := &side{t: t, dev: dev, pd: dev.AllocPD(), buf: make([]byte, size)}
	var err error
	if s.cq, err = dev.CreateCQ(4096); err != nil {
		t.Fatal(err)
	}
	a.SendCQ, a.RecvCQ = s.cq, s.cq
	if a.MaxSendWR == 0 {
		a.MaxSendWR = 128
	}
	if a.MaxRecvWR == 0 {
		a.MaxRecvWR = 128
	}
	if a.MaxInlineData == 0 {
		a.MaxInlineData = 256
	}
	if s.qp, err = s.pd.CreateQP(a); err != nil {
		t.Fatal(err)
	}
	if s.mr, err = s.pd.RegMR(s.buf, allAccess|AccessMWBind); err != nil {
		t.Fatal(err)
	}
	return s
}

func newPair(t testing.TB, o Options, a QPInitAttr, size int) *pair {
	t.Helper()
	p := &pair{t: t}
	for i := range p.on {
		p.on[i] = newSide(t, o, a, size)
	}
	p.connect()
	return p
}

func (p *pair) connect() {
	p.t.Helper()
	for i, s := range p.on {
		to := p.on[1-i]
		if err := s.qp.Connect(Remote{Addr: to.dev.Addr(), QPN: to.qp.QPN(), PSN: 100}, 100, allAccess); err != nil {
			p.t.Fatal(err)
		}
	}
}

// wait polls until a completion comes.
func (s *side) wait() WC {
	s.t.Helper()
	var wc [1]WC
	for end := time.Now().Add(patience); time.Now().Before(end); {
		n, err := s.cq.Poll(wc[:])
		if err != nil {
			s.t.Fatal(err)
		}
		if n == 1 {
			return wc[0]
		}
	}
	s.t.Fatalf("no completion within %v", patience)
	return WC{}
}

// memory is the side's buffer, synchronised with its device, which writes with its lock held.
func (s *side) memory() []byte {
	s.dev.Stats()
	return s.buf
}

func (s *side) post(wr SendWR) {
	s.t.Helper()
	wr.Flags |= SendSignaled
	if err := s.qp.PostSend(wr); err != nil {
		s.t.Fatal(err)
	}
}

func (s *side) want(id uint64, status Status) WC {
	s.t.Helper()
	wc := s.wait()
	if wc.WRID != id || wc.Status != status {
		s.t.Fatalf("work request %d ended with %v, want %d with %v", wc.WRID, wc.Status, id, status)
	}
	return wc
}

func fillPattern(b []byte, seed byte) {
	for i := range b {
		b[i] = byte(i)*7 + byte(i>>8) + seed
	}
}

func TestWritesOfAllSizesArriveWhole(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 3<<20)
	a, b := p.on[0], p.on[1]
	for _, n := range []int{0, 1, 3, 4, 7, 255, 256, 257, 4095, 4096, 4097, 65536, 1<<20 + 1, 3 << 20} {
		fillPattern(a.buf[:n], byte(n))
		a.post(SendWR{WRID: uint64(n), Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, n)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
		a.want(uint64(n), Success)
		if !bytes.Equal(a.buf[:n], b.memory()[:n]) {
			t.Errorf("%d bytes were written, and other bytes are there", n)
		}
		b.memory() // later changes come after this read
	}
	if s := b.dev.Stats(); s.BadICRC+s.Malformed+s.Misdirected != 0 {
		t.Errorf("packets were dropped: %+v", s)
	}
}

func TestReadsOfAllSizesArriveWhole(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 3<<20)
	a, b := p.on[0], p.on[1]
	for _, n := range []int{0, 1, 7, 4096, 4097, 65536, 65537, 3 << 20} {
		fillPattern(b.memory()[:n], byte(n))
		b.memory()
		a.post(SendWR{WRID: uint64(n), Opcode: RDMARead, SGL: []SGE{a.mr.SGE(0, n/2), a.mr.SGE(n/2, n-n/2)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
		if wc := a.want(uint64(n), Success); wc.ByteLen != uint32(n) {
			t.Errorf("a READ of %d bytes completed with %d", n, wc.ByteLen)
		}
		if !bytes.Equal(a.buf[:n], b.memory()[:n]) {
			t.Errorf("%d bytes were read, and other bytes are here", n)
		}
	}
}

func TestSendsCarryDataImmediateAndInvalidation(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 1<<16)
	a, b := p.on[0], p.on[1]
	stale := b.window(MWType2, 0, 64)
	key := stale.RKey()
	if err := b.qp.PostRecv(
		RecvWR{WRID: 1, SGL: []SGE{b.mr.SGE(0, 5000)}}, RecvWR{WRID: 2, SGL: []SGE{b.mr.SGE(8000, 10)}},
		RecvWR{WRID: 3, SGL: []SGE{b.mr.SGE(9000, 10)}}, RecvWR{WRID: 4},
	); err != nil {
		t.Fatal(err)
	}
	fillPattern(a.buf, 3)
	a.post(SendWR{WRID: 1, Opcode: Send, SGL: []SGE{a.mr.SGE(0, 5000)}})
	a.post(SendWR{WRID: 2, Opcode: SendWithImm, ImmData: 0xfeed, Flags: SendInline, Inline: []byte("inline")})
	a.post(SendWR{WRID: 3, Opcode: SendWithInv, InvalidateRKey: key, Flags: SendInline, Inline: []byte("x")})
	a.post(SendWR{WRID: 4, Opcode: RDMAWriteWithImm, ImmData: 7, SGL: []SGE{a.mr.SGE(0, 100)}, RemoteAddr: b.mr.Addr() + 20000, RKey: b.mr.RKey()})
	if wc := b.want(1, Success); wc.ByteLen != 5000 || wc.Opcode != WCRecv || !bytes.Equal(a.buf[:5000], b.buf[:5000]) {
		t.Errorf("SEND: %+v", wc)
	}
	if wc := b.want(2, Success); wc.Flags != WCWithImm || wc.ImmData != 0xfeed || string(b.memory()[8000:8006]) != "inline" {
		t.Errorf("SEND with immediate: %+v", wc)
	}
	if wc := b.want(3, Success); wc.Flags != WCWithInv || wc.InvalidatedRKey != key || stale.mr != nil {
		t.Errorf("SEND with invalidate: %+v", wc)
	}
	if wc := b.want(4, Success); wc.Opcode != WCRecvRDMAWithImm || wc.ImmData != 7 || !bytes.Equal(a.buf[:100], b.memory()[20000:20100]) {
		t.Errorf("WRITE with immediate: %+v", wc)
	}
	for id := range uint64(4) {
		a.want(id+1, Success)
	}
}

func TestAtomicsReturnWhatWasThere(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	a, b := p.on[0], p.on[1]
	cell := b.buf[64:72]
	binary.NativeEndian.PutUint64(cell, 40)
	b.memory()
	atomic := func(op Opcode, compareAdd, swap, found, left uint64) {
		t.Helper()
		a.post(SendWR{WRID: 9, Opcode: op, SGL: []SGE{a.mr.SGE(8, 8)}, RemoteAddr: b.mr.Addr() + 64, RKey: b.mr.RKey(), CompareAdd: compareAdd, Swap: swap})
		a.want(9, Success)
		if got := binary.NativeEndian.Uint64(a.buf[8:]); got != found {
			t.Errorf("found %d, want %d", got, found)
		}
		b.memory()
		if got := binary.NativeEndian.Uint64(cell); got != left {
			t.Errorf("left %d, want %d", got, left)
		}
	}
	atomic(AtomicFetchAndAdd, 2, 0, 40, 42)
	atomic(AtomicCmpAndSwp, 41, 7, 42, 42)
	atomic(AtomicCmpAndSwp, 42, 7, 42, 7)
}

// TestAnAtomicOfAWrongLengthSaysSo: an atomic returns 8 bytes, and its buffers must have that
// length.
func TestAnAtomicOfAWrongLengthSaysSo(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	a, b := p.on[0], p.on[1]
	for _, n := range []int{0, 4, 16, 4096} {
		err := a.qp.PostSend(SendWR{Opcode: AtomicFetchAndAdd, SGL: []SGE{a.mr.SGE(0, n)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
		if want := fmt.Sprintf("an atomic returns 8 bytes: its list of buffers has %d", n); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %q", n, err, want)
		}
	}
}

func TestARequestThatIsNotExactlyRightReachesNoMemory(t *testing.T) {
	const size = 4096
	for name, spoil := range map[string]func(b *side, wr *SendWR){
		"a stale variant": func(_ *side, wr *SendWR) { wr.RKey-- },
		"another index":   func(_ *side, wr *SendWR) { wr.RKey += 1 << 8 },
		"bytes swapped": func(_ *side, wr *SendWR) {
			wr.RKey = wr.RKey>>24 | wr.RKey<<24 | wr.RKey<<8&0xff0000 | wr.RKey>>8&0xff00 | 1<<31
		},
		"one byte before":       func(_ *side, wr *SendWR) { wr.RemoteAddr-- },
		"one byte behind":       func(_ *side, wr *SendWR) { wr.RemoteAddr++ },
		"an address that wraps": func(_ *side, wr *SendWR) { wr.RemoteAddr = 1<<64 - 8 },
		"a region that is gone": func(b *side, wr *SendWR) {
			mr, _ := b.pd.RegMR(b.buf, allAccess)
			wr.RKey, wr.RemoteAddr = mr.RKey(), mr.Addr()
			_ = mr.Dereg()
		},
		"a window that ends before it": func(b *side, wr *SendWR) {
			wr.RKey = b.window(MWType2, 0, size-1).RKey()
		},
		"a window of another queue pair": func(b *side, wr *SendWR) {
			other := *b
			other.qp, _ = b.pd.CreateQP(QPInitAttr{SendCQ: b.cq, RecvCQ: b.cq, MaxSendWR: 1})
			_ = other.qp.Connect(Remote{Addr: b.dev.Addr(), QPN: 1}, 0, allAccess)
			wr.RKey = other.window(MWType2, 0, size).RKey()
		},
		"a window that was invalidated": func(b *side, wr *SendWR) {
			wr.RKey = b.window(MWType2, 0, size).RKey()
			b.post(SendWR{WRID: 8, Opcode: LocalInv, InvalidateRKey: wr.RKey})
			b.want(8, Success)
		},
		"a window's earlier key": func(b *side, wr *SendWR) {
			mw := b.window(MWType1, 0, size)
			wr.RKey = mw.RKey()
			b.bind(mw, 0, size, allAccess)
		},
		"a window without the right": func(b *side, wr *SendWR) {
			mw := b.window(MWType1, 0, size)
			b.bind(mw, 0, size, AccessRemoteRead)
			wr.RKey = mw.RKey()
		},
		"a window that is gone": func(b *side, wr *SendWR) {
			mw := b.window(MWType1, 0, size)
			wr.RKey = mw.RKey()
			_ = mw.Dealloc()
		},
		"another domain": func(b *side, wr *SendWR) {
			mr, _ := b.dev.AllocPD().RegMR(b.buf, allAccess)
			wr.RKey, wr.RemoteAddr = mr.RKey(), mr.Addr()
		},
		"no right to write": func(b *side, wr *SendWR) {
			mr, _ := b.pd.RegMR(b.buf, AccessLocalWrite|AccessRemoteRead)
			wr.RKey, wr.RemoteAddr = mr.RKey(), mr.Addr()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, Options{}, QPInitAttr{}, size)
			a, b := p.on[0], p.on[1]
			fillPattern(a.buf, 1)
			wr := SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, size)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()}
			spoil(b, &wr)
			a.post(wr)
			a.post(SendWR{WRID: 2, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 1)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
			a.want(1, RemAccessErr)
			a.want(2, WRFlushErr)
			if !bytes.Equal(b.memory(), make([]byte, size)) {
				t.Error("memory was written to")
			}
			if got := a.qp.State(); got != StateErr {
				t.Errorf("the requester is in %v, want ERR", got)
			}
		})
	}
}

func TestClosingADeviceFlushesItsWork(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	a := p.on[0]
	if err := a.qp.PostRecv(RecvWR{WRID: 5, SGL: []SGE{a.mr.SGE(0, 10)}}); err != nil {
		t.Fatal(err)
	}
	if err := a.dev.Close(); err != nil {
		t.Fatal(err)
	}
	a.want(5, WRFlushErr)
	if err := a.qp.PostSend(SendWR{}); !errors.Is(err, ErrClosed) {
		t.Errorf("posting to a closed device: %v, want %v", err, ErrClosed)
	}
}
