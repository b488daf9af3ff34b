package fabric_test

import (
	"fmt"
	"slices"
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/transport"
	"weft/units"
)

// landed notes when messages on the scale-up network arrive, in their order.
type landed struct {
	at    map[string]units.Time // by "tag@gpu"
	order []string
}

func (*landed) Complete(*fabric.Partition, int32, *transport.Completion) {}
func (*landed) Timer(*fabric.Partition, uint32)                          {}

func (l *landed) Arrived(p *fabric.Partition, gpu int32, tag uint64) {
	name := fmt.Sprintf("%d@%d", tag, gpu)
	if _, twice := l.at[name]; twice {
		name += " again"
	}
	l.at[name] = p.Now()
	l.order = append(l.order, name)
}

// The times of the scale-up network of these tests.
const (
	burstPayload = 4096
	burstWire    = burstPayload + 16*32 // packets of 256 bytes with 32 more
	hop          = 30 * ns
	through      = 2*hop + 200*ns + 300*ns // two cables, the switch, the GPU
)

// together runs GPUs on one switch whose buffers have room for some bursts a lane; send
// posts their messages.
func together(t *testing.T, gpus int, bursts int32, send func(n *fabric.Network)) (*landed, counts.Stats) {
	t.Helper()
	return togetherAt(t, gpus, bursts, (400 * units.Gbps).PerByte(), 20*ns, send)
}

// togetherAt is together with a rate of the links and a latency of credits.
func togetherAt(t *testing.T, gpus int, bursts int32, rate units.PerByte, latency units.Time, send func(n *fabric.Network)) (*landed, counts.Stats) {
	t.Helper()
	app := &landed{at: map[string]units.Time{}}
	n, err := scaleUp(app, gpus, bursts, rate, latency).Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	send(n)
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	return app, n.Stats()
}

// scaleUp describes GPUs on one switch.
func scaleUp(app fabric.App, gpus int, bursts int32, rate units.PerByte, latency units.Time) *fabric.Builder {
	b := &fabric.Builder{Classes: 2, Seed: 1, App: app}
	c := credit.Grant{Period: 10 * ns, Latency: latency}
	c.Blocks[0], c.Blocks[1] = bursts*burstWire/64, bursts*burstWire/64
	gpu := &fabric.GPU{Pipeline: 300 * ns, Credits: c, BurstBytes: burstPayload, PacketBytes: 256, PacketOverhead: 32}
	for g := range gpus {
		b.GPU(fmt.Sprint("gpu ", g), gpu)
	}
	sw := b.ScaleUpSwitch("switch", gpus, 0, &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: c})
	for g := range int32(gpus) {
		b.ScaleUpCable(g, 0, sw, g, rate, hop)
	}
	return b
}

// A message takes the time of its bytes and of its packets' overhead, and the way.
func TestAMessageBetweenGPUsTakesWhatItsPartsTake(t *testing.T) {
	for _, c := range []struct{ bytes, wire int64 }{
		{1, 1 + 32},
		{256, 256 + 32},
		{257, 257 + 2*32},
		{burstPayload, burstWire},
		{burstPayload + 1, burstWire + 1 + 32},
		{100 * burstPayload, 100 * burstWire},
	} {
		app, s := together(t, 4, 64, func(n *fabric.Network) {
			n.Partition(1).SendLocal(1, fabric.LocalMessage{Bytes: c.bytes, Tag: 7, To: 3})
		})
		// The last burst is taken at its tail, after all others.
		if want := units.Time(c.wire)*20 + through; app.at["7@3"] != want || len(app.order) != 1 {
			t.Errorf("%d bytes arrive at %v (%v), want %v at GPU 3", c.bytes, app.at["7@3"], app.order, want)
		}
		bursts := (c.bytes + burstPayload - 1) / burstPayload
		if s.Bursts != bursts || s.Delivered != bursts || s.InBytes != c.wire || s.Hops != 0 || s.Stalls != 0 {
			t.Errorf("%d bytes are %d bursts, %d delivered, %d bytes on the wire, %d hops, %d stalls; want %d, %d, %d, 0 and 0",
				c.bytes, s.Bursts, s.Delivered, s.InBytes, s.Hops, s.Stalls, bursts, bursts, c.wire)
		}
	}
}

// Queues take turns burst by burst; the messages of a queue follow each other.
func TestQueuesOfAGPUTakeTurns(t *testing.T) {
	app, _ := together(t, 4, 64, func(n *fabric.Network) {
		p := n.Partition(0)
		p.SendLocal(0, fabric.LocalMessage{Bytes: 3 * burstPayload, Tag: 1, To: 1, Queue: 0})
		p.SendLocal(0, fabric.LocalMessage{Bytes: burstPayload, Tag: 2, To: 1, Queue: 0})
		p.SendLocal(0, fabric.LocalMessage{Bytes: 2 * burstPayload, Tag: 3, To: 2, Queue: 2})
	})
	// The queues begin behind the first: 3 1 3 1 1 2.
	for name, bursts := range map[string]units.Time{"3@2": 3, "1@1": 5, "2@1": 6} {
		if want := bursts*burstWire*20 + through; app.at[name] != want {
			t.Errorf("message %s arrives at %v, want %v after %d bursts", name, app.at[name], want, bursts)
		}
	}
}

func TestAQueueKeepsTheOrderOfItsMessages(t *testing.T) {
	const count = 100
	var want []string
	app, s := together(t, 2, 64, func(n *fabric.Network) {
		for i := range uint64(count) {
			n.Partition(0).SendLocal(0, fabric.LocalMessage{Bytes: 1000, Tag: i, To: 1})
			want = append(want, fmt.Sprintf("%d@1", i))
		}
	})
	if !slices.Equal(app.order, want) || s.Bursts != count {
		t.Errorf("%d bursts bring the messages %v", s.Bursts, app.order)
	}
}

// A kernel that is slower than the link holds the next burst back; a faster kernel does not.
func TestASlowKernelPacesBursts(t *testing.T) {
	for _, c := range []struct {
		perByte units.PerByte
		pace    units.Time // of a burst
	}{
		{units.PerByte{}, burstWire * 20},
		{units.PerByte{Num: 1, Den: 1}, burstWire * 20},
		{units.PerByte{Num: 21, Den: 1}, burstWire * 20}, // 4096 * 21 < 4608 * 20
		{units.PerByte{Num: 61, Den: 2}, burstPayload * 61 / 2},
	} {
		app, _ := together(t, 2, 64, func(n *fabric.Network) {
			n.Partition(0).SendLocal(0, fabric.LocalMessage{Bytes: 10 * burstPayload, Tag: 1, To: 1, KernelPerByte: c.perByte})
		})
		if want := 9*c.pace + burstWire*20 + through; app.at["1@1"] != want {
			t.Errorf("a kernel of %v: the message arrives at %v, want %v", c.perByte, app.at["1@1"], want)
		}
	}
	// A link of 16 Tb/s and a kernel of half of that.
	app, _ := togetherAt(t, 2, 64, units.PerByte{Num: 1, Den: 2}, 20*ns, func(n *fabric.Network) {
		n.Partition(0).SendLocal(0, fabric.LocalMessage{Bytes: 10 * burstPayload, Tag: 1, To: 1, KernelPerByte: units.PerByte{Num: 1, Den: 1}})
	})
	if want := units.Time(9*burstPayload+burstWire/2) + through; app.at["1@1"] != want {
		t.Errorf("a kernel of 8 Tb/s on a link of 16: the message arrives at %v, want %v", app.at["1@1"], want)
	}
}

// The last burst of a message leaves when it is due, and no earlier; the others do not wait for it,
// and other queues go on meanwhile.
func TestTheLastBurstLeavesWhenItIsDue(t *testing.T) {
	const due = 10 * units.Microsecond
	app, s := together(t, 2, 64, func(n *fabric.Network) {
		n.Partition(0).SendLocal(0, fabric.LocalMessage{Bytes: 3 * burstPayload, Tag: 1, To: 1, Due: due})
		n.Partition(0).SendLocal(0, fabric.LocalMessage{Bytes: burstPayload, Tag: 2, To: 1, Queue: 1})
		n.Partition(0).SendLocal(0, fabric.LocalMessage{Bytes: burstPayload, Tag: 3, To: 1, Queue: 1, Due: ns})
	})
	if want := due + burstWire*20 + through; app.at["1@1"] != want {
		t.Errorf("a message due at %v arrives at %v, want %v", due, app.at["1@1"], want)
	}
	for _, other := range []string{"2@1", "3@1"} {
		if latest := 5*burstWire*20 + through; app.at[other] > latest {
			t.Errorf("message %s of another queue arrives at %v, want %v at the latest", other, app.at[other], latest)
		}
	}
	if s.Bursts != 5 {
		t.Errorf("%d bursts, want 5", s.Bursts)
	}
}

// The buffer of a receiver bounds the bursts under way: room for one passes one each loop.
func TestCreditsPaceBursts(t *testing.T) {
	app, s := together(t, 2, 1, func(n *fabric.Network) {
		n.Partition(0).SendLocal(0, fabric.LocalMessage{Bytes: 50 * burstPayload, Tag: 1, To: 1})
	})
	// To the GPU: tail, cable, pipeline; back with the update: cable, latency.
	loop := burstWire*20 + hop + 300*ns + hop + 20*ns
	got := (app.at["1@1"] - burstWire*20 - through) / 49
	if e := float64(got)/float64(loop) - 1; e > 0.02 || e < -0.02 {
		t.Errorf("with room for one burst there is one each %v, closed form %v", got, loop)
	}
	if s.Stalls != 0 {
		t.Errorf("%d stalls, want 0: stalls of the scale-up network do not count", s.Stalls)
	}
}

// A GPU that finds credits still on their way looks again when they have arrived.
func TestAGPUWaitsForCreditsOnTheWay(t *testing.T) {
	const kernel, latency = 100, 200 * ns // the GPU looks again after 410 ns
	app, _ := togetherAt(t, 2, 1, (400 * units.Gbps).PerByte(), latency, func(n *fabric.Network) {
		n.Partition(0).SendLocal(0, fabric.LocalMessage{Bytes: 2 * burstPayload, Tag: 1, To: 1, KernelPerByte: units.PerByte{Num: kernel, Den: 1}})
	})
	const heard = hop + latency                                    // after a burst has gone
	second := burstWire*20 + hop + 200*ns + heard                  // from the GPU, when the first has left the switch
	atSwitch := max(second+hop+200*ns, burstWire*20+through+heard) // and from the switch, when the first is in memory
	if want := atSwitch + burstWire*20 + hop + 300*ns; app.at["1@1"] != want {
		t.Errorf("the second burst arrives at %v, want %v", app.at["1@1"], want)
	}
}

// A multicast reaches every other GPU once. It waits on a lane of its own: if its copies
// are held up, other messages of its GPU are not.
func TestAMulticastReachesEveryOtherGPUOnce(t *testing.T) {
	const gpus, bursts = 5, 3
	app, s := together(t, gpus, 64, func(n *fabric.Network) {
		n.Partition(2).SendLocal(2, fabric.LocalMessage{Bytes: bursts * burstPayload, Tag: 9, Kind: fabric.Multicast})
	})
	for g := range gpus {
		name, want := fmt.Sprintf("9@%d", g), bursts*burstWire*20+through
		if at, came := app.at[name]; came != (g != 2) || came && at != want {
			t.Errorf("GPU %d has the multicast at %v (%v), want %v", g, at, came, want)
		}
	}
	if len(app.order) != gpus-1 || s.Bursts != bursts*gpus { // a burst in, four copies out
		t.Errorf("%d arrivals of %d bursts, want %d of %d", len(app.order), s.Bursts, gpus-1, bursts*gpus)
	}
}

func TestAHeldUpMulticastHoldsUpNothingElse(t *testing.T) {
	app, _ := together(t, 4, 1, func(n *fabric.Network) {
		// All keep the multicasts' lane of GPU 3 busy.
		for g := range int32(3) {
			n.Partition(g).SendLocal(g, fabric.LocalMessage{Bytes: 50 * burstPayload, Tag: 10, Kind: fabric.Multicast, Queue: 1})
		}
		n.Partition(0).SendLocal(0, fabric.LocalMessage{Bytes: burstPayload, Tag: 1, To: 1, Queue: 0})
	})
	if len(app.order) != 3*3+1 {
		t.Fatalf("arrived: %v", app.order)
	}
	if app.order[0] != "1@1" || app.at["1@1"] > 5*burstWire*20+through {
		t.Errorf("beside multicasts that wait one burst takes until %v (order %v)", app.at["1@1"], app.order)
	}
}

// A reduction arrives as one message of a contribution's size after its last contribution;
// keys tell reductions apart.
func TestAReductionArrivesOnceWithItsLastContribution(t *testing.T) {
	const lateness = 20 * burstWire * 20
	contribution := fabric.LocalMessage{Bytes: 2*burstPayload + 100, To: 3, Parts: 3, Kind: fabric.Reduce}
	app, s := together(t, 4, 64, func(n *fabric.Network) {
		for g := range int32(3) {
			p := n.Partition(g)
			if g == 1 { // has something else to do before
				p.SendLocal(g, fabric.LocalMessage{Bytes: 20 * burstPayload, Tag: 5, To: 2})
			}
			for key := range uint64(2) {
				m := contribution
				m.Key, m.Tag = key<<32|77, 100+key // the upper half of the key counts
				p.SendLocal(g, m)
			}
		}
	})
	bytes := units.Time(2*burstWire + 100 + 32)
	for key, want := range map[string]units.Time{"100@3": lateness + bytes*20 + through, "101@3": lateness + 2*bytes*20 + through} {
		if app.at[key] != want {
			t.Errorf("reduction %s arrives at %v, want %v", key, app.at[key], want)
		}
	}
	if len(app.order) != 3 || s.Bursts != 20+3*2*3 || s.Delivered != s.Injected {
		t.Errorf("arrived: %v, %d bursts, %d of %d delivered", app.order, s.Bursts, s.Delivered, s.Injected)
	}
}
