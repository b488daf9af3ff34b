package verbs

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"

	"weft/verbs/internal/socket/faulty"
)

// Two queue pairs of one device read at the same time, each with several READs into parts of one buffer, in any order. All
// bytes are right, and no byte beside them changes, on networks with and without faults.
func TestReadsWhosePayloadTheKernelPlacesArriveWhole(t *testing.T) {
	const part, parts, size = 40_000, 20, 1 << 20
	for name, h := range map[string]faulty.Harm{
		"none":     {},
		"loss":     {Lose: 0.02},
		"damage":   {Damage: 0.02},
		"disorder": {Delay: 0.05, Behind: 10, Double: 0.05},
		"all":      {Lose: 0.01, Damage: 0.01, Delay: 0.03, Behind: 5, Double: 0.03},
	} {
		for _, selective := range []bool{true, false} {
			t.Run(fmt.Sprint(name, selective), func(t *testing.T) {
				n := faulty.New(3, h)
				p := faultyPair(t, n, QPInitAttr{MaxSendWR: 64}, size)
				n.Heal()
				offering(t, p, [2]bool{selective, selective})
				n.Hurt(h)
				a, b := p.on[0], p.on[1]
				source := make([]byte, size)
				fillPattern(source, 3)
				for i := range source {
					source[i] ^= byte(i >> 13)
				}
				copy(b.buf, source)
				for round := range 4 {
					clear(a.buf)
					for i := range parts {
						at := i * (part + 100)
						if round%2 == 1 {
							at = (parts - 1 - i) * (part + 100)
						}
						a.post(SendWR{WRID: uint64(i), Opcode: RDMARead, SGL: []SGE{a.mr.SGE(at, part)}, RemoteAddr: b.mr.Addr() + uint64(at), RKey: b.mr.RKey()})
					}
					for i := range parts {
						a.want(uint64(i), Success)
					}
					want := make([]byte, size)
					for i := range parts {
						copy(want[i*(part+100):][:part], source[i*(part+100):])
					}
					if !bytes.Equal(a.memory(), want) {
						t.Fatalf("round %d: other bytes were read, or bytes beside them have changed", round)
					}
				}
				if a.dev.Stats().Placed == 0 {
					t.Error("the kernel placed nothing: the test checks nothing")
				}
			})
		}
	}
}

// The same through the kernel, while SENDs of another queue pair come between.
func TestReadsThroughTheKernelArriveWholeBesideOtherTraffic(t *testing.T) {
	const size, rounds = 4 << 20, 6
	p := newPair(t, Options{SocketOnly: true}, QPInitAttr{}, size+4096)
	a, b := p.on[0], p.on[1]
	q, r := fit(t, a.dev, QPInitAttr{}, 64<<10), fit(t, b.dev, QPInitAttr{}, 64<<10)
	other := &pair{t: t, on: [2]*side{q, r}}
	other.connect()
	fillPattern(b.buf, 1)
	fillPattern(r.buf, 2)
	for round := range rounds {
		clear(a.buf)
		for i := range 8 {
			if err := q.qp.PostRecv(RecvWR{WRID: uint64(i), SGL: []SGE{q.mr.SGE(i*8000, 8000)}}); err != nil {
				t.Fatal(err)
			}
		}
		length := size - 1000*round
		a.post(SendWR{WRID: 9, Opcode: RDMARead, SGL: []SGE{a.mr.SGE(0, length)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
		for i := range 8 {
			r.post(SendWR{WRID: uint64(i), Opcode: Send, SGL: []SGE{r.mr.SGE(i*8000, 5000)}})
		}
		a.want(9, Success)
		for i := range 8 {
			r.want(uint64(i), Success)
			q.want(uint64(i), Success)
		}
		if !bytes.Equal(a.memory()[:length], b.buf[:length]) || !bytes.Equal(a.buf[length:], make([]byte, len(a.buf)-length)) {
			t.Fatalf("round %d: other bytes were read, or bytes behind them have changed", round)
		}
		for i := range 8 {
			if got := q.memory()[i*8000:][:8000]; !bytes.Equal(got[:5000], r.buf[i*8000:][:5000]) || !bytes.Equal(got[5000:], make([]byte, 3000)) {
				t.Fatalf("round %d: SEND %d brought other bytes, or bytes behind it have changed", round, i)
			}
		}
	}
	if a.dev.Stats().Placed == 0 {
		t.Error("the kernel placed nothing: the test checks nothing")
	}
}

// READs into the same memory, as benchmarks post them, do not damage each other's packets.
func TestReadsIntoTheSameMemoryCostNoPackets(t *testing.T) {
	for _, size := range []int{16 << 10, 32 << 10, 128 << 10} {
		readIntoTheSameMemory(t, size)
	}
}

func readIntoTheSameMemory(t *testing.T, size int) {
	const reads = 12
	p := newPair(t, Options{SocketOnly: true}, QPInitAttr{}, size*reads)
	a, b := p.on[0], p.on[1]
	for i := range b.buf {
		b.buf[i] = byte(i / size)
	}
	for range 10 {
		for i := range reads {
			a.post(SendWR{WRID: uint64(i), Opcode: RDMARead, SGL: []SGE{a.mr.SGE(0, size)}, RemoteAddr: b.mr.Addr() + uint64(i*size), RKey: b.mr.RKey()})
		}
		for i := range reads {
			a.want(uint64(i), Success)
		}
		if got := a.memory()[:size]; !bytes.Equal(got, b.buf[size*(reads-1):]) {
			t.Fatal("the last READ has not brought its bytes")
		}
	}
	if s := a.dev.Stats(); s.BadICRC != 0 || s.Placed == 0 {
		t.Errorf("READs of %d bytes: %d packets have a bad ICRC, the kernel placed %d: want none, and some", size, s.BadICRC, s.Placed)
	}
}

// Any READs that a program posts at once, of any lengths into any buffers, arrive whole.
func TestAnyReadsArriveWhole(t *testing.T) {
	const size = 2 << 20
	dice := rand.New(rand.NewPCG(5, 0))
	p := newPair(t, Options{SocketOnly: true}, QPInitAttr{}, size)
	a, b := p.on[0], p.on[1]
	for i := range b.buf {
		b.buf[i] = byte(dice.Uint32())
	}
	b.memory() // its device reads it
	for round := range 300 {
		clear(a.memory())
		want := make([]byte, size)
		reads, room := 1+dice.IntN(10), size/10
		for i, at := range dice.Perm(reads) {
			n := dice.IntN(1 << dice.IntN(18))
			from := dice.IntN(size - n)
			list := []SGE{a.mr.SGE(at*room, n)}
			if cut := dice.IntN(4 * (n + 1)); cut < n {
				list = []SGE{a.mr.SGE(at*room, cut), a.mr.SGE(at*room+cut+50, n-cut)}
				copy(want[at*room+cut+50:], b.buf[from+cut:from+n])
				copy(want[at*room:], b.buf[from:from+cut])
			} else {
				copy(want[at*room:], b.buf[from:from+n])
			}
			a.post(SendWR{WRID: uint64(i), Opcode: RDMARead, SGL: list, RemoteAddr: b.mr.Addr() + uint64(from), RKey: b.mr.RKey()})
		}
		for i := range reads {
			a.want(uint64(i), Success)
		}
		if !bytes.Equal(a.memory(), want) {
			t.Fatalf("round %d: other bytes were read, or bytes beside them have changed", round)
		}
	}
	if a.dev.Stats().Placed == 0 {
		t.Error("the kernel placed nothing: the test checks nothing")
	}
}

// A program may look at memory to see a WRITE arrive, and at a posted receive's rest behind a short message: no
// unchecked byte gets there, whatever the network does.
func TestAWriteOrSendShowsCheckedBytesOnly(t *testing.T) {
	const size, old, fresh = 256 << 10, 0x11, 0x22
	for _, op := range []Opcode{RDMAWrite, Send} {
		n := faulty.New(7, faulty.Harm{})
		p := faultyPair(t, n, QPInitAttr{}, size)
		offering(t, p, [2]bool{true, true})
		a, b := p.on[0], p.on[1]
		for _, s := range p.on { // READs beside it, so that forecasts are made
			s.post(SendWR{WRID: 5, Opcode: RDMARead, SGL: []SGE{s.mr.SGE(0, 100_000)}, RemoteAddr: p.on[1].mr.Addr(), RKey: p.on[1].mr.RKey()})
			if s == a {
				s.want(5, Success)
				break
			}
		}
		n.Hurt(faulty.Harm{Damage: 0.05, Lose: 0.03, Delay: 0.1, Behind: 9, Double: 0.1})
		for round := range 5 {
			for i := range size {
				a.buf[i] = fresh
			}
			b.dev.port.Lock()
			for i := range size {
				b.buf[i] = old
			}
			b.dev.port.Unlock()
			if op == Send {
				if err := b.qp.PostRecv(RecvWR{WRID: 2, SGL: []SGE{b.mr.SGE(0, size)}}); err != nil {
					t.Fatal(err)
				}
			}
			const sent = size - 10_001
			a.post(SendWR{WRID: 1, Opcode: op, SGL: []SGE{a.mr.SGE(0, sent)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
			for done := false; !done; {
				b.dev.Progress()
				var wc [1]WC
				k, _ := a.cq.Poll(wc[:])
				done = k == 1
				b.dev.port.Lock()
				for i, v := range b.buf {
					if v != old && (v != fresh || i >= sent) {
						t.Fatalf("%v, round %d: byte %d is %#x", op, round, i, v)
					}
				}
				b.dev.port.Unlock()
			}
			if op == Send {
				b.want(2, Success)
			}
		}
	}
}

// Memory that is gone in the middle of a READ ends the READ with an error, and nothing else.
func TestAReadIntoMemoryThatIsGoneInTheMiddleEndsWithAnError(t *testing.T) {
	const size = 8 << 20
	p := newPair(t, Options{ForeignMemory: true, SocketOnly: true}, QPInitAttr{}, size)
	a, b := p.on[0], p.on[1]
	other := &pair{t: t, on: [2]*side{fit(t, a.dev, QPInitAttr{}, size), fit(t, b.dev, QPInitAttr{}, size)}}
	other.connect()
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(memory) }()
	mr, err := a.pd.RegMR(memory, allAccess)
	if err != nil {
		t.Fatal(err)
	}
	read := func(s, from *side, to *MR) {
		s.post(SendWR{WRID: 1, Opcode: RDMARead, SGL: []SGE{to.SGE(0, size)}, RemoteAddr: from.mr.Addr(), RKey: from.mr.RKey()})
	}
	read(a, b, mr)
	a.want(1, Success)
	if err := unix.Mprotect(memory[size/2:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	read(a, b, mr)
	a.want(1, LocProtErr)
	if s := a.dev.Stats(); s.Placed == 0 {
		t.Error("the kernel placed nothing: the test checks nothing")
	}
	x, y := other.on[0], other.on[1]
	fillPattern(y.buf, 4)
	y.memory() // its device reads it
	read(x, y, x.mr)
	x.want(1, Success)
	if !bytes.Equal(x.memory(), y.buf) {
		t.Error("the device's other queue pair reads other bytes")
	}
	if err := a.dev.port.Err(); err != nil {
		t.Errorf("the device has ended: %v", err)
	}
}
