package verbs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"weft/verbs/internal/socket/faulty"
)

// faultyPair is two devices on a faulty network.
func faultyPair(t testing.TB, n *faulty.Network, a QPInitAttr, size int) *pair {
	t.Helper()
	p := &pair{t: t}
	for i := range p.on {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791)
		dev, err := open(n.Open(addr), Options{PathMTU: 1024})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		p.on[i] = fit(t, dev, a, size)
	}
	return p
}

// connectPatiently is connect with a timeout at which losses cost little.
func (p *pair) connectPatiently(timeout, retries uint8) {
	p.t.Helper()
	for i, s := range p.on {
		to := p.on[1-i]
		err := s.qp.ConnectWith(&QPAttr{
			Access: allAccess, PathMTU: 1024, Dest: to.dev.Addr(), DestQPN: to.qp.QPN(), RQPSN: 0xfffff0, SQPSN: 0xfffff0,
			MaxRdAtomic: 8, MaxDestRdAtomic: 8, MinRNRTimer: 1, Timeout: timeout, RetryCnt: retries, RNRRetry: 7,
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// Messages of every kind go over the faulty network, each with its own memory and a known effect.
func TestOnANetworkThatDoesHarmEveryTransferArrivesWhole(t *testing.T) {
	for _, h := range []faulty.Harm{
		{Lose: 0.01},
		{Lose: 0.05, Double: 0.05},
		{Delay: 0.1, Behind: 8},
		{Damage: 0.03},
		{Lose: 0.02, Double: 0.05, Delay: 0.05, Behind: 20, Damage: 0.02},
	} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%+v/%d", h, seed), func(t *testing.T) {
				transferAll(t, seed, h)
			})
		}
	}
}

func transferAll(t *testing.T, seed uint64, h faulty.Harm) {
	const size, slotBytes, messages = 1 << 20, 1 << 13, 100
	n := faulty.New(seed, h)
	p := faultyPair(t, n, QPInitAttr{}, size)
	p.connectPatiently(13, 7)
	a, b := p.on[0], p.on[1]
	fillPattern(a.buf, 1)
	dice := rand.New(rand.NewPCG(seed, 1))
	source := bytes.Clone(b.buf[size/2:])
	fillPattern(source, 9)
	copy(b.buf[size/2:], source)
	binary.NativeEndian.PutUint64(b.memory()[size-8:], 0)
	b.memory()

	type sent struct {
		op   Opcode
		n    int
		slot int
	}
	var all []sent
	adds, recvs := 0, 0
	for i := range messages {
		s := sent{op: []Opcode{RDMAWrite, Send, RDMARead, AtomicFetchAndAdd}[dice.IntN(4)], n: dice.IntN(6000), slot: i % 60}
		wr := SendWR{WRID: uint64(i), Opcode: s.op, SGL: []SGE{a.mr.SGE(s.slot*slotBytes, s.n)}, RemoteAddr: b.mr.Addr() + uint64(s.slot*slotBytes), RKey: b.mr.RKey()}
		switch s.op {
		case Send:
			if err := b.qp.PostRecv(RecvWR{WRID: uint64(i), SGL: []SGE{b.mr.SGE(s.slot*slotBytes, slotBytes)}}); err != nil {
				t.Fatal(err)
			}
			recvs++
		case RDMARead:
			wr.SGL = []SGE{a.mr.SGE(size/2, s.n)}
			wr.RemoteAddr = b.mr.Addr() + size/2
		case AtomicFetchAndAdd:
			s.n, wr.CompareAdd = 8, 1
			wr.SGL = []SGE{a.mr.SGE(size-16, 8)}
			wr.RemoteAddr = b.mr.Addr() + size - 8
		}
		a.post(wr)
		wc := a.wait()
		if wc.Status != Success {
			// Only eight losses of one packet in a row cause this.
			t.Fatalf("%+v ended with %v", s, wc.Status)
		}
		if wc.WRID != uint64(i) {
			t.Fatalf("work request %d completed in the place of %d", wc.WRID, i)
		}
		switch s.op {
		case RDMAWrite:
			if !bytes.Equal(b.memory()[s.slot*slotBytes:][:s.n], a.buf[s.slot*slotBytes:][:s.n]) {
				t.Fatalf("%+v: other bytes arrived", s)
			}
		case Send:
			if got := b.wait(); got.Status != Success || int(got.ByteLen) != s.n || !bytes.Equal(b.buf[s.slot*slotBytes:][:s.n], a.buf[s.slot*slotBytes:][:s.n]) {
				t.Fatalf("%+v: received %+v", s, got)
			}
		case RDMARead:
			if !bytes.Equal(a.buf[size/2:][:s.n], source[:s.n]) {
				t.Fatalf("%+v: other bytes were read", s)
			}
		case AtomicFetchAndAdd:
			if found := binary.NativeEndian.Uint64(a.buf[size-16:]); found != uint64(adds) {
				t.Fatalf("add %d found %d: an atomic is carried out once", adds, found)
			}
			adds++
		}
		all = append(all, s)
	}
	if got := binary.NativeEndian.Uint64(b.memory()[size-8:]); got != uint64(adds) {
		t.Errorf("%d adds were carried out, %d were posted", got, adds)
	}
	if len(all) != messages {
		t.Errorf("%d of %d messages completed", len(all), messages)
	}
	if n.Lost+n.Doubled+n.Delayed+n.Damaged == 0 {
		t.Error("the network did no harm: the test checks nothing")
	}
}

func TestAPeerThatIsGoneIsReportedAsRetriesExceeded(t *testing.T) {
	n := faulty.New(1, faulty.Harm{Lose: 1})
	p := faultyPair(t, n, QPInitAttr{}, 4096)
	p.connectPatiently(8, 2)
	a, b := p.on[0], p.on[1]
	start := time.Now()
	a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 10)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
	a.want(1, RetryExcErr)
	// Three timeouts of 4.096 us times 2^8.
	if took := time.Since(start); took < 3*1048*time.Microsecond {
		t.Errorf("given up after %v, before three timeouts had passed", took)
	}
}

// worker posts work of one length after the other.
func (p *pair) worker() func(op Opcode, times, bytes int) {
	a, b := p.on[0], p.on[1]
	return func(op Opcode, times, bytes int) {
		p.t.Helper()
		for range times {
			a.post(SendWR{Opcode: op, SGL: []SGE{a.mr.SGE(0, bytes)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
			if wc := a.wait(); wc.Status != Success {
				p.t.Fatalf("%v: %v", op, wc.Status)
			}
		}
	}
}

// The timeout is longer than a machine with other work keeps a program waiting.
func TestADeviceCountsWhatAnAdapterCounts(t *testing.T) {
	p := faultyPair(t, faulty.New(3, faulty.Harm{}), QPInitAttr{}, 1<<16)
	p.connectPatiently(21, 7)
	work := p.worker()
	work(RDMAWrite, 5, 5000)
	work(RDMARead, 3, 5000)
	work(AtomicFetchAndAdd, 2, 8)
	s, own := p.on[1].dev.Stats(), p.on[0].dev.Stats()
	if s.Writes != 5 || s.Reads != 3 || s.Atomics != 2 {
		t.Errorf("%d WRITEs, %d READs and %d atomics were counted: 5, 3 and 2 were sent", s.Writes, s.Reads, s.Atomics)
	}
	if harm := s.OutOfSequence + s.Duplicates + own.SequenceNAKs + own.Timeouts; harm != 0 {
		t.Errorf("%d losses were counted, and nothing was lost", harm)
	}
}

// Losses show as requests out of sequence, repetitions and timeouts, as an adapter counts them.
func TestADeviceCountsLosses(t *testing.T) {
	p := faultyPair(t, faulty.New(3, faulty.Harm{Lose: 0.1}), QPInitAttr{}, 1<<16)
	p.connectPatiently(13, 7)
	p.worker()(RDMAWrite, 40, 5000)
	s, own := p.on[1].dev.Stats(), p.on[0].dev.Stats()
	if s.OutOfSequence == 0 || s.Duplicates == 0 || own.SequenceNAKs == 0 || own.Timeouts == 0 {
		t.Errorf("%d out of sequence, %d duplicates at the receiver, %d NAKs and %d timeouts at the sender: each is above 0 with so many losses",
			s.OutOfSequence, s.Duplicates, own.SequenceNAKs, own.Timeouts)
	}
}
