package transport

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// sprayed makes two connected queue pairs of unordered delivery.
func sprayed(t interface {
	Helper()
	Fatal(args ...any)
}, cfg *Config, window units.Bytes,
) (a, b *QP) {
	t.Helper()
	var q [2]*QP
	for i := range q {
		var err error
		if q[i], err = newQP(cfg, RC, units.QPN(i+1), cc.NewFixed(window)); err != nil {
			t.Fatal(err)
		}
		if err := q[i].Connect(0, units.QPN(2-i), units.PSN(units.PSNMask-20), units.PSN(units.PSNMask-20)); err != nil {
			t.Fatal(err)
		}
	}
	return q[0], q[1]
}

func sprayedConfig() *Config {
	return &Config{
		PathMTU: 16, AckEvery: 1, RetryTimeout: 100 * units.Microsecond, RetryCount: 1<<16 - 2,
		Delivery: Unordered, EntropyValues: 256, MaxOutstandingPackets: 1000, ImplicitRecv: true, Marks: MarksAcked,
	}
}

// Over a network that loses, doubles, trims and reorders packets, both ways, each message
// is finished once with all of its bytes, each byte placed once, in any order. At the
// sender messages finish in the order of posting. Nothing is in flight afterwards.
func TestUnorderedDeliveryIsABag(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := sprayedConfig()
		cfg.AckEvery = rapid.IntRange(1, 5).Draw(t, "ack")
		cfg.InferLoss = rapid.IntRange(0, 12).Draw(t, "infer")
		cfg.RecycleEntropy = rapid.Bool().Draw(t, "recycle")
		cfg.EntropyValues = rapid.IntRange(1, 256).Draw(t, "values")
		window := units.Bytes(rapid.IntRange(1, 200).Draw(t, "window"))
		a, b := sprayed(t, cfg, window)
		lengths := rapid.SliceOfN(rapid.IntRange(0, 300), 1, 12).Draw(t, "lengths")
		for i, n := range lengths {
			if err := a.PostSend(0, WorkRequest{ID: uint64(i), Op: OpWriteImm, Length: uint32(n), Imm: uint32(i), RemoteVA: uint64(i) << 32}); err != nil {
				t.Fatal(err)
			}
		}
		w := bag{t: t, q: [2]*QP{a, b}, placed: map[uint64]int{}, harm: rapid.IntRange(0, 80).Draw(t, "harm")}
		w.run()
		if got := len(w.sent); got != len(lengths) {
			t.Fatalf("%d of %d messages are finished at the sender", got, len(lengths))
		}
		seen := map[uint32]bool{}
		for _, c := range w.received {
			if seen[c.Imm] || int(c.Bytes) != lengths[c.Imm] {
				t.Fatalf("message %d of %d bytes comes as %+v, or again", c.Imm, lengths[c.Imm], c)
			}
			seen[c.Imm] = true
		}
		for i, n := range lengths {
			for off := 0; off < n; off += cfg.PathMTU {
				if got := w.placed[uint64(i)<<32|uint64(off)]; got != 1 {
					t.Fatalf("message %d at %d is placed %d times", i, off, got)
				}
			}
			if !seen[uint32(i)] || w.sent[i] != uint64(i) {
				t.Fatalf("message %d: received %v, sent in the order %v", i, seen[uint32(i)], w.sent)
			}
		}
		if a.Flight() != 0 || a.Outstanding() != 0 || a.req.board.unordered.pending != 0 {
			t.Fatalf("afterwards %d bytes are in flight, %d packets outstanding, %d lost", a.Flight(), a.Outstanding(), a.req.board.unordered.pending)
		}
	})
}

// bag is two queue pairs and the network between them.
type bag struct {
	t        *rapid.T
	q        [2]*QP
	net      []carriedTo
	now      units.Time
	harm     int // packets that may still be harmed
	placed   map[uint64]int
	sent     []uint64
	received []Completion
}

type carriedTo struct {
	to int
	p  Packet
}

func (w *bag) run() {
	for steps := 0; ; steps++ {
		if steps > 100_000 {
			w.t.Fatalf("the run does not end: una %d, nxt %d, end %d", w.q[0].req.una, w.q[0].req.nxt, w.q[0].req.end)
		}
		w.now += units.Nanosecond
		var p Packet
		ready := w.q[0].Ready(w.now) <= w.now
		switch {
		case ready && (len(w.net) == 0 || rapid.Bool().Draw(w.t, "emit")):
			if !w.q[0].Next(w.now, &p) {
				w.t.Fatal("ready, and nothing to send")
			}
			w.net = append(w.net, carriedTo{1, p})
		case len(w.net) > 0:
			w.deliver(rapid.IntRange(0, min(len(w.net), 12)-1).Draw(w.t, "which"))
		case w.q[0].NextTimeout() < units.Forever && w.q[0].Outstanding() > 0:
			w.now = max(w.now, w.q[0].NextTimeout())
			var b Batch
			w.q[0].Timeout(w.now, &b)
		default:
			return
		}
	}
}

// deliver takes a packet out of the network, or harms it.
func (w *bag) deliver(i int) {
	f := w.net[i]
	w.net = append(w.net[:i], w.net[i+1:]...)
	if w.harm > 0 {
		switch rapid.IntRange(0, 5).Draw(w.t, "harm") {
		case 0:
			w.harm--
			return
		case 1:
			w.harm--
			w.net = append(w.net, f)
		case 2:
			if f.to == 1 {
				w.harm--
				f.p.Flags |= FlagTrimmed
			}
		case 3:
			f.p.Flags |= FlagCE
		}
	}
	var b Batch
	if w.q[f.to].Receive(w.now, &f.p, &b) == PlaceWrite && f.p.Length > 0 {
		w.placed[f.p.VA|uint64(f.p.Offset)]++
	}
	for _, p := range b.Packets {
		w.net = append(w.net, carriedTo{1 - f.to, p})
	}
	for _, c := range b.Completions {
		if c.Recv {
			w.received = append(w.received, c)
		} else {
			w.sent = append(w.sent, c.ID)
		}
	}
}

func TestUnorderedDeliveryRefusesBadConfigurationsAndReads(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.EntropyValues = 0 },
		func(c *Config) { c.EntropyValues = MaxEntropyValues + 1 },
		func(c *Config) { c.MaxOutstandingPackets = 0 },
		func(c *Config) { c.InferLoss = MaxReorder },
	} {
		cfg := sprayedConfig()
		change(cfg)
		if _, err := newQP(cfg, RC, 1, cc.NewFixed(100)); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v, want ErrConfig", cfg, err)
		}
	}
	if _, err := newQP(sprayedConfig(), RC, 1, nil); !errors.Is(err, ErrConfig) {
		t.Errorf("without congestion control: %v, want ErrConfig", err)
	}
	a, _ := sprayed(t, sprayedConfig(), 100)
	for _, op := range []Op{OpRead, OpCmpSwap} {
		if err := a.PostSend(0, WorkRequest{Op: op, Length: AtomicBytes}); !errors.Is(err, ErrOperation) {
			t.Errorf("%v: %v, want ErrOperation", op, err)
		}
	}
}

// All values come once before any comes again, whatever their number.
func TestEntropyValuesComeInTurn(t *testing.T) {
	for _, n := range []int{1, 5, 255, 256} {
		var e entropy
		for i := range 3 * n {
			if got := e.next(n); int(got) != i%n {
				t.Fatalf("of %d values packet %d has %d", n, i, got)
			}
		}
	}
}

// Of the values that come back the last eight are kept, and the oldest goes first.
func TestEntropyValuesThatComeBackGoFirst(t *testing.T) {
	var e entropy
	for i := range 11 {
		e.recycle(uint8(100 + i))
	}
	for i := range 8 {
		if got, want := e.next(256), uint8(103+i); got != want {
			t.Errorf("packet %d has %d, want %d", i, got, want)
		}
	}
	if got := e.next(256); got != 0 {
		t.Errorf("with none left the next is %d, want the first in turn", got)
	}
}

// A queue pair with ordered delivery ignores trimmed packets, which its fabric does not
// make, and the answers of unordered delivery.
func TestRCKnowsNoTrimming(t *testing.T) {
	a, b := pair(t, &Config{PathMTU: 16}, RC)
	_ = a
	for _, p := range []Packet{
		{Op: wire.RCSendOnly, Flags: FlagTrimmed, PSN: 100},
		{Op: SelectiveAck, PSN: 100},
		{Op: Nack, PSN: 100},
	} {
		var batch Batch
		if v := b.Receive(0, &p, &batch); v != Dropped || len(batch.Packets) != 0 {
			t.Errorf("%v: verdict %v, answers %d", p.Op, v, len(batch.Packets))
		}
	}
}

// inferring is a queue pair that infers losses and has sent a message in packets of 16 bytes. A packet that is carried
// arrives, and its acknowledgement comes back.
func inferring(t *testing.T, packets int) (a *QP, carry func(packet int)) {
	t.Helper()
	cfg := sprayedConfig()
	cfg.InferLoss = 2
	a, b := sprayed(t, cfg, 1000)
	if err := a.PostSend(0, WorkRequest{Op: OpWriteImm, Length: uint32(packets) * 16}); err != nil {
		t.Fatal(err)
	}
	sent := make([]Packet, packets)
	for i := range sent {
		if !a.Next(0, &sent[i]) {
			t.Fatalf("packet %d is not sent", i)
		}
	}
	return a, func(i int) {
		var there, back Batch
		b.Receive(0, &sent[i], &there)
		for _, p := range there.Packets {
			a.Receive(0, &p, &back)
		}
	}
}

// A packet that was taken for lost and arrives after all leaves the bytes in flight once,
// not twice.
func TestAPacketTakenForLostThatArrivesIsInFlightNoLonger(t *testing.T) {
	const packets = 12
	a, carry := inferring(t, packets)
	for i := 5; i < 10; i++ {
		carry(i)
	}
	if a.req.board.unordered.pending == 0 {
		t.Fatal("no packet is taken for lost")
	}
	for i := range 5 {
		carry(i)
	}
	if got := a.Flight(); got != 2*16 || a.req.board.unordered.pending != 0 {
		t.Errorf("%d bytes are in flight and %d packets lost, of two packets of 16 bytes that have not come", got, a.req.board.unordered.pending)
	}
}

// The same holds if an acknowledgement names the packet while an earlier packet is missing.
func TestAPacketTakenForLostThatIsAcknowledgedIsInFlightNoLonger(t *testing.T) {
	const packets = 12
	a, carry := inferring(t, packets)
	lost := int32(0)
	for _, i := range []int{5, 6, 7, 8, 9, 3, 4} { // 0, 1 and 2 are missing throughout
		carry(i)
		if i == 9 {
			if lost = a.req.board.unordered.pending; lost < 5 {
				t.Fatalf("%d packets are taken for lost", lost)
			}
		}
	}
	if got := a.req.board.unordered.pending; got != lost-2 {
		t.Errorf("%d of %d packets wait to be sent again when two of them have come", got, lost)
	}
	if got, want := a.Flight(), units.Bytes(packets-7-int(lost-2))*16; got != want {
		t.Errorf("%d bytes are in flight, want %d", got, want)
	}
}

// A trimmed packet's Nack says whether the last switch trimmed it: then its path was good,
// and its entropy value is used again. A marked packet's value is not.
func TestANackTellsThatTheLastSwitchTrimmed(t *testing.T) {
	for _, flags := range []Flags{0, FlagLastHop, FlagCE, FlagLastHop | FlagCE} {
		cfg := sprayedConfig()
		cfg.RecycleEntropy = true
		a, b := sprayed(t, cfg, 1000)
		if err := a.PostSend(0, WorkRequest{Op: OpWriteImm, Length: 5 * 16}); err != nil {
			t.Fatal(err)
		}
		var p Packet
		for range 3 {
			a.Next(0, &p)
		}
		p.Flags |= FlagTrimmed | flags
		trimmed := p.EV
		var there, back Batch
		b.Receive(0, &p, &there)
		if len(there.Packets) != 1 || there.Packets[0].Op != Nack || there.Packets[0].Flags&FlagLastHop != flags&FlagLastHop {
			t.Fatalf("trimmed with flags %v: answers %+v", flags, there.Packets)
		}
		a.Receive(0, &there.Packets[0], &back)
		a.Next(0, &p)
		if again := p.EV == trimmed; again != (flags == FlagLastHop) {
			t.Errorf("trimmed with flags %v: the next packet has the same value (%v)", flags, again)
		}
	}
}
