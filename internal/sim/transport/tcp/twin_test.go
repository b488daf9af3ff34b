package tcp

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

// twin is one direction of a connection as dumb as can be: a flag per byte
// that has arrived, and the list of messages.
type twin struct {
	there    []bool
	messages []Completion
	before   uint64 // the first byte that was missing before the last arrival
	received int    // messages reported by the receiver
	sent     int    // messages reported by the sender
}

func (w *twin) write(bytes units.Bytes, id uint32) {
	w.messages = append(w.messages, Completion{Bytes: bytes, ID: id})
	w.there = append(w.there, make([]bool, bytes)...)
}

func (w *twin) arrive(s *Segment) {
	w.before = w.next()
	for i := range uint64(s.Length) {
		w.there[s.Seq+i] = true
	}
}

// next is the first byte that is missing.
func (w *twin) next() uint64 {
	if i := slices.Index(w.there, false); i >= 0 {
		return uint64(i)
	}
	return uint64(len(w.there))
}

// whole is the number of messages that have arrived completely.
func (w *twin) whole(upTo uint64) (n int) {
	end := uint64(0)
	for _, m := range w.messages {
		if end += uint64(m.Bytes); end > upTo {
			break
		}
		n++
	}
	return n
}

// fail is the common method of rapid.T and testing.T.
type fail interface{ Fatalf(string, ...any) }

// watch compares every step of n with a twin per direction: the e-th twin tracks the
// bytes of end e.
func watch(t fail, n *network) *[2]twin {
	var twins [2]twin
	n.onArrive = func(to int, s *Segment) { twins[1-to].arrive(s) }
	n.onComplete = func(end int, c Completion) {
		dir, count := &twins[1-end], &twins[1-end].received
		if c.Outcome == Sent {
			dir, count = &twins[end], &twins[end].sent
		}
		if c.Outcome == Failed || *count >= len(dir.messages) {
			t.Fatalf("end %d: completion %+v is not expected", end, c)
		}
		if want := dir.messages[*count]; c.ID != want.ID || c.Bytes != want.Bytes {
			t.Fatalf("end %d: completes message %d of %d bytes, expected %d of %d", end, c.ID, c.Bytes, want.ID, want.Bytes)
		}
		*count++
	}
	n.onSend = func(from int, s *Segment, _ fate) {
		in := &twins[1-from]
		// A change of DCTCP's state first acknowledges the segments before it.
		change := n.ends[from].rcv.cfg.ECN == ECNDCTCP && s.Length == 0 && s.Ack == in.before
		if want := in.next(); s.Ack != want && !change {
			t.Fatalf("end %d acknowledges %d, the twin expects %d next", from, s.Ack, want)
		}
		for i := range uint64(s.SACK.Length) {
			if at := s.Ack + uint64(s.SACK.Start) + i; !in.there[at] {
				t.Fatalf("end %d SACKs byte %d, which has not arrived", from, at)
			}
		}
	}
	n.afterChange = func(end int) {
		if err := n.ends[end].Check(); err != nil {
			t.Fatalf("end %d at %d: %v", end, n.now, err)
		}
		in := &twins[1-end]
		if got, want := in.received, in.whole(in.next()); got != want {
			t.Fatalf("end %d has reported %d messages, %d are whole", end, got, want)
		}
	}
	return &twins
}

func drawConfig(t *rapid.T) Config {
	cfg := Linux(1500)
	cfg.MSS = units.Bytes(rapid.IntRange(1, 100).Draw(t, "mss"))
	cfg.Window = cfg.MSS * units.Bytes(rapid.IntRange(2, 300).Draw(t, "window"))
	cfg.InitialWindow = uint32(rapid.IntRange(1, 20).Draw(t, "iw"))
	cfg.AckEvery = uint32(rapid.IntRange(1, 4).Draw(t, "ackEvery"))
	cfg.AckPush = rapid.Bool().Draw(t, "ackPush")
	cfg.LossProbe = rapid.Bool().Draw(t, "probe")
	cfg.HyStart = rapid.Bool().Draw(t, "hystart")
	cfg.Algorithm = Algorithm(rapid.IntRange(0, 1).Draw(t, "cc"))
	cfg.ECN = rapid.SampledFrom([]ECN{ECNOff, ECNDCTCP, ECNClassic}).Draw(t, "ecn")
	if cfg.Algorithm == DCTCP && cfg.ECN == ECNClassic {
		cfg.ECN = ECNOff
	}
	return cfg
}

// With any losses, repetitions, delays and marks, in both directions: every message
// completes once, in order, at both ends, and each acknowledgement names exactly the
// bytes that have arrived.
func TestEveryMessageCompletesOnceInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		n := newNetwork(nil, &cfg, 20*us)
		n.byteTime = units.Time(rapid.IntRange(0, 5).Draw(t, "byte ns")) * units.Nanosecond
		loss := rapid.IntRange(0, 200).Draw(t, "loss ‰")
		dup := rapid.IntRange(0, 100).Draw(t, "dup ‰")
		late := rapid.IntRange(0, 300).Draw(t, "late ‰")
		ce := rapid.IntRange(0, 1000).Draw(t, "mark ‰")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n.judge = func(_, _ int, s *Segment) (f fate) {
			f.drop = rng.IntN(1000) < loss
			f.dup = rng.IntN(1000) < dup
			f.mark = s.Flags&FlagECT != 0 && rng.IntN(1000) < ce
			if rng.IntN(1000) < late {
				f.delay = units.Time(rng.Int64N(int64(100 * us)))
			}
			return f
		}
		twins := watch(t, n)
		for id := range rapid.IntRange(1, 12).Draw(t, "messages") {
			end := rapid.IntRange(0, 1).Draw(t, "end")
			bytes := units.Bytes(rapid.IntRange(1, 3000).Draw(t, "bytes"))
			twins[end].write(bytes, uint32(id))
			if err := n.ends[end].Send(n.now, bytes, uint32(id)); err != nil {
				t.Fatalf("send: %v", err)
			}
			n.run(n.now + units.Time(rapid.IntRange(0, 1000).Draw(t, "wait us"))*us)
		}
		if n.run(n.now + 100_000*units.Second) {
			t.Fatalf("timers still run")
		}
		for end, w := range twins {
			if w.sent != len(w.messages) || w.received != len(w.messages) {
				t.Fatalf("of %d messages from end %d, %d are received and %d reported as sent", len(w.messages), end, w.received, w.sent)
			}
		}
	})
}

// Segments that no peer would send neither stop the program nor upset the
// counts.
func TestNonsenseIsSurvived(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		c := New(&cfg, 1)
		var b Batch
		var seg Segment
		now := units.Time(0)
		near := func(what string) uint64 {
			return uint64(max(0, int64(c.snd.nxt)+rapid.Int64Range(-500, 500).Draw(t, what)))
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += units.Time(rapid.IntRange(0, 1000).Draw(t, "us")) * us
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				_ = c.Send(now, units.Bytes(rapid.IntRange(-1, 500).Draw(t, "bytes")), 1)
			case 1:
				for c.Ready(now) == now {
					c.Next(now, &seg)
				}
			case 2:
				c.Timeout(now, &b)
			case 3:
				seg = Segment{
					Seq: near("seq"), Ack: near("ack"), Length: uint16(rapid.IntRange(0, 300).Draw(t, "length")),
					SACK:   Range{uint32(rapid.IntRange(0, 300).Draw(t, "start")), uint32(rapid.IntRange(0, 300).Draw(t, "sacked"))},
					Window: rapid.Uint32().Draw(t, "window"), Flags: Flags(rapid.Uint16().Draw(t, "flags")),
				}
				c.Receive(now, &seg, &b)
			}
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
		}
		for _, done := range b.Completions {
			if done.Bytes <= 0 {
				t.Fatalf("completion %+v is empty", done)
			}
		}
	})
}

// The spans agree with a flag per byte.
func TestSpansAgreeWithAFlagPerByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p spans
		there := make([]bool, 64)
		next := uint64(0)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if next > 62 {
				break
			}
			a := uint64(rapid.IntRange(int(next), 62).Draw(t, "start"))
			z := uint64(rapid.IntRange(int(a)+1, 63).Draw(t, "end"))
			fresh := slices.Contains(there[a:z], false)
			for i := a; i < z; i++ {
				there[i] = true
			}
			whole, got, ok := p.add(span{a, z})
			if !ok || got != fresh || whole.start > a || whole.end < z {
				t.Fatalf("add [%d, %d) = %v, %v, %v; fresh is %v", a, z, whole, got, ok, fresh)
			}
			if rapid.Bool().Draw(t, "absorb") {
				for next < 64 && there[next] {
					next++
				}
				was := p.absorb(next)
				if was != next {
					t.Fatalf("absorb = %d, the first missing byte is %d", was, next)
				}
			}
			var flat []bool
			for _, s := range p {
				flat = append(flat, make([]bool, s.start-uint64(len(flat)))...)
				flat = append(flat, slices.Repeat([]bool{true}, int(s.end-s.start))...)
			}
			for i := next; i < 64; i++ {
				if has := i < uint64(len(flat)) && flat[i]; has != there[i] {
					t.Fatalf("byte %d: spans %v say %v", i, p, has)
				}
			}
		}
	})
}
