package transport

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// The twin of a reorder ring is a set.
func TestReorderIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r reorder
		set := map[units.PSN]bool{}
		base := units.PSN(0).Add(int32(rapid.IntRange(-1000, 1000).Draw(t, "base")))
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			d := rapid.IntRange(1, rapid.SampledFrom([]int{10, 300, 3000, MaxReorder + 10}).Draw(t, "range")).Draw(t, "d")
			psn := base.Add(int32(d))
			if got, want := r.mark(base, psn), !set[psn] && d < MaxReorder; got != want {
				t.Fatalf("mark %d from %d: %v, want %v", psn, base, got, want)
			}
			if d < MaxReorder {
				set[psn] = true
			}
			for range rapid.IntRange(0, 20).Draw(t, "moves") {
				if got := r.take(base); got != set[base] {
					t.Fatalf("take %d: %v, want %v", base, got, set[base])
				}
				delete(set, base)
				base = base.Add(1)
			}
		}
	})
}

// probe is a congestion control that records its calls.
type probe struct {
	acked, flight units.Bytes
	marks, sents  int
	timers        []units.Time
}

func (p *probe) Start(_ units.Time, a *cc.Allowance) cc.Wants {
	*a = cc.Allowance{Rate: units.Gbps, Window: 3000, Wake: 50 * units.Microsecond, Budget: 2048}
	return cc.WantAcks
}

func (p *probe) Notified(units.Time, *cc.Allowance) { p.marks++ }

func (p *probe) Acked(_ units.Time, ack cc.Ack, _ *cc.Allowance) {
	p.acked += ack.Bytes
	p.flight = ack.Flight
	if ack.Marked {
		p.marks += 100
	}
}

func (p *probe) Sent(_ units.Time, a *cc.Allowance) {
	p.sents++
	a.Budget += 2048
}

func (p *probe) Timer(now units.Time, a *cc.Allowance) {
	p.timers = append(p.timers, now)
	a.Wake = now + 50*units.Microsecond
}

func TestCongestionControlIsCalledAndObeyed(t *testing.T) {
	cfg := &Config{PathMTU: 1024, Marks: MarksEchoed, PacedOverhead: 226, RetryTimeout: units.Second, RetryCount: 1}
	_, peer := pair(t, cfg, RC)
	alg := &probe{}
	q, err := newQP(cfg, RC, 1, alg)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Connect(0, 2, 100, 200); err != nil {
		t.Fatal(err)
	}
	if err := q.PostSend(0, WorkRequest{ID: 1, Op: OpWrite, Length: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	var p Packet
	var out, back Batch
	now := units.Time(0)
	for i := range 3 {
		if at := q.Ready(now); at != now {
			t.Fatalf("packet %d may go at %d, want %d", i, at, now)
		}
		q.Next(now, &p)
		if p.Flags&FlagAckReq == 0 {
			t.Errorf("packet %d under a window that may shrink does not ask", i)
		}
		now += 10 * units.Microsecond // 1250 bytes at 1 Gb/s
		if i < 2 && q.Ready(0) != now {
			t.Errorf("the next packet may go at %d, want %d", q.Ready(0), now)
		}
		p.Flags |= FlagCE
		peer.Receive(now, &p, &out)
	}
	if at := q.Ready(now); at != units.Forever {
		t.Errorf("3072 bytes are in flight, the window is 3000, and it may send at %d", at)
	}
	for i := range out.Packets {
		q.Receive(now, &out.Packets[i], &back)
	}
	if alg.acked != 3072 || alg.flight != 0 || alg.marks != 303 || alg.sents != 1 {
		t.Errorf("it recorded %+v, want 3072 bytes, none in flight, 3 marks by both ways, one budget", *alg)
	}
	q.Timeout(50*units.Microsecond, &back)
	if len(alg.timers) != 1 || q.NextTimeout() != 100*units.Microsecond {
		t.Errorf("timers at %v, the next at %d, want one and 100 us", alg.timers, q.NextTimeout())
	}
}

func TestBadConfigurationIsRefused(t *testing.T) {
	for _, c := range []Config{
		{}, {PathMTU: -1}, {PathMTU: MaxPathMTU + 1}, {PathMTU: 1, RNRRetry: 8}, {PathMTU: 1, RNRTimer: 32}, {PathMTU: 1, MaxReads: 1000},
	} {
		if _, err := newQP(&c, RC, 1, nil); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v, want ErrConfig", c, err)
		}
	}
}

func TestSendQueueIsBounded(t *testing.T) {
	q, _ := pair(t, &Config{PathMTU: 256}, RC)
	for i := range MaxSendQueue {
		if err := q.PostSend(0, WorkRequest{ID: uint64(i)}); err != nil {
			t.Fatal(i, err)
		}
		if err := q.PostRecv(0, RecvRequest{ID: uint64(i)}); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := q.PostSend(0, WorkRequest{}); !errors.Is(err, ErrQueueFull) {
		t.Errorf("a full send queue takes more: %v", err)
	}
	if err := q.PostRecv(0, RecvRequest{}); !errors.Is(err, ErrQueueFull) {
		t.Errorf("a full receive queue takes more: %v", err)
	}
}

func TestMessageLengthIsBounded(t *testing.T) {
	for _, c := range []struct {
		mtu int
		n   uint32
		ok  bool
	}{
		{4096, 1 << 31, true}, {4096, 1<<31 + 1, false}, {512, 1 << 31, true}, {256, 1 << 31, false}, {256, 1<<31 - 256, true}, {1, 1 << 23, false},
	} {
		q, _ := pair(t, &Config{PathMTU: c.mtu}, RC)
		if err := q.PostSend(0, WorkRequest{Length: c.n, Op: OpRead}); (err == nil) != c.ok {
			t.Errorf("%d bytes at an MTU of %d: %v", c.n, c.mtu, err)
		}
	}
}

// A READ of the largest number of outstanding PSNs goes through, and nothing else goes
// beside it.
func TestLongestReadReservesHalfTheCircle(t *testing.T) {
	q, peer := pair(t, &Config{PathMTU: 256}, RC)
	for i, n := range []uint32{1<<31 - 256, 1} {
		if err := q.PostSend(0, WorkRequest{ID: uint64(i), Length: n, Op: OpRead}); err != nil {
			t.Fatal(err)
		}
	}
	var p Packet
	var b Batch
	if !q.Next(0, &p) || q.Next(0, &p) {
		t.Fatal("want one request to go, not two")
	}
	peer.Receive(0, &p, &b)
	n := 0
	for ; n < 1<<23-1 && peer.Next(0, &p); n++ {
		if v := q.Receive(0, &p, &b); v != PlaceRead {
			t.Fatalf("response %d was not placed: %d", n, v)
		}
	}
	if len(b.Completions) != 1 || b.Completions[0].Bytes != 1<<31-256 {
		t.Errorf("after %d responses: %v", n, b.Completions)
	}
}

func TestTimersFollowTheSpecification(t *testing.T) {
	for _, c := range []struct{ got, want units.Time }{
		{RetryTime(0), 0},
		{RetryTime(14), 67108864 * units.Nanosecond},
		{RetryTime(31), 8796093022208 * units.Nanosecond},
		{wire.RNRTimer(0), 655360 * units.Microsecond},
		{wire.RNRTimer(1), 10 * units.Microsecond},
		{wire.RNRTimer(14), 1280 * units.Microsecond},
		{wire.RNRTimer(31), 491520 * units.Microsecond},
	} {
		if c.got != c.want {
			t.Errorf("got %d ps, want %d", c.got, c.want)
		}
	}
}

// A receiver in strict order takes opcodes in the order of a message only.
func TestMalformedMessagesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []wire.Opcode
		len  uint32
	}{
		{"middle first", []wire.Opcode{wire.RCWriteMiddle}, 16},
		{"first twice", []wire.Opcode{wire.RCWriteFirst, wire.RCWriteFirst}, 16},
		{"send in write", []wire.Opcode{wire.RCWriteFirst, wire.RCSendMiddle}, 16},
		{"read in write", []wire.Opcode{wire.RCWriteFirst, wire.RCReadRequest}, 16},
		{"short first", []wire.Opcode{wire.RCSendFirst}, 15},
		{"long only", []wire.Opcode{wire.RCSendOnly}, 17},
	} {
		q, _ := pair(t, &Config{PathMTU: 16, ImplicitRecv: true}, RC)
		var b Batch
		for i, op := range c.ops {
			q.Receive(0, &Packet{Op: op, PSN: units.PSN(200 + i), Length: c.len, DMALen: 48}, &b)
		}
		last := b.Packets[len(b.Packets)-1]
		if last.Syndrome != wire.NAKInvalidRequest || q.State() != StateErr {
			t.Errorf("%s: answered %v, state %v, want NAK 0x61 and ERR", c.name, last.Syndrome, q.State())
		}
	}
}

// newQP makes a queue pair in RESET. alg is its congestion control; nil is none.
func newQP(cfg *Config, service Service, qpn units.QPN, alg cc.Algorithm) (*QP, error) {
	q := new(QP)
	if err := q.Setup(cfg, service, qpn, alg); err != nil {
		return nil, err
	}
	return q, nil
}
