package fabric_test

import (
	"strings"
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/units"
)

// later posts a message of one packet at each of its times.
type later struct {
	t  *testing.T
	qp units.QPN
}

func (l *later) Complete(*fabric.Partition, int32, *transport.Completion) {}

func (l *later) Timer(p *fabric.Partition, _ uint32) {
	if err := p.Post(0, l.qp, transport.WorkRequest{Op: transport.OpSend, Length: 4096}); err != nil {
		l.t.Error(err)
	}
}

// TestDiscardsInARowStallTheLane sends 20 packets to a NIC that has room for one. It returns the
// credits of the first at once, and of the second only a millisecond later. Each further packet is
// discarded after 3 us at the head. After VLStallCount discards the lane stalls: it discards the rest at
// once, and packets that arrive in the next 24 us. Then a packet has its lifetime again.
func TestDiscardsInARowStallTheLane(t *testing.T) {
	const us = units.Microsecond
	for _, c := range []struct {
		count           int
		lifetime, stall int64 // packets discarded
	}{
		{0, 18 + 2, 0},
		{1, 1 + 1, 17 + 1},
		{3, 3 + 1, 15 + 1},
		{7, 7, 11 + 2}, // the packet at 40 us comes into the stall from 21 to 45 us
	} {
		for _, fifo := range []bool{false, true} {
			nic := infinibandNIC()
			nic.Credits = room(65, units.Millisecond)
			sw := &fabric.InfiniBandSwitch{
				Pipeline: 200 * ns, Credits: credits(), FIFO: fifo, LeafLifetime: 3 * us, LeafStallCount: c.count,
			}
			app := &later{t: t}
			n := twoNICs(t, app, nic, nic, sw)
			uc := fabric.Connection{Service: transport.UC}
			var err error
			if app.qp, _, err = n.Connect(0, 1, uc, uc); err != nil {
				t.Fatal(err)
			}
			for range 20 {
				app.Timer(n.Partition(0), 0)
			}
			for _, at := range []units.Time{20 * us, 40 * us} {
				n.Partition(0).At(at, 0)
			}
			if err := n.Run(units.Millisecond/2, 1, nil); err != nil {
				t.Fatal(err)
			}
			s := n.Stats()
			if s.Delivered != 2 || s.Dropped[counts.DropLifetime] != c.lifetime || s.Dropped[counts.DropStall] != c.stall {
				t.Errorf("stalled after %d, FIFO %t: %d delivered, %d discarded for their lifetime and %d in the stall; want 2, %d and %d",
					c.count, fifo, s.Delivered, s.Dropped[counts.DropLifetime], s.Dropped[counts.DropStall], c.lifetime, c.stall)
			}
		}
	}
}

// inTurns posts packets of two senders at given times, and notes the sender of each arrival.
type inTurns struct {
	t     *testing.T
	posts [][2]int // by source of a timer: packets of each
	qp    [2]units.QPN
	from  map[units.QPN]string
	got   []string
}

func (a *inTurns) Complete(_ *fabric.Partition, _ int32, c *transport.Completion) {
	if c.Recv {
		a.got = append(a.got, a.from[c.QPN])
	}
}

func (a *inTurns) Timer(p *fabric.Partition, source uint32) {
	for i, count := range a.posts[source] {
		for range count {
			if err := p.Post(int32(1+i), a.qp[i], transport.WorkRequest{Op: transport.OpSend, Length: 4096}); err != nil {
				a.t.Error(err)
			}
		}
	}
}

// TestInputsTakeTurnsWhileTheirLaneIsStalled fills the queues of a lane that stalls from two
// inputs. The receiver has room for one packet, and returns credits each 100 us. The first
// packet is a's; the turn is b's, whose packet is discarded for its lifetime; then a, b and a
// lose one each to the stall. So the turn is b's again when both have a packet and there is
// room for one.
func TestInputsTakeTurnsWhileTheirLaneIsStalled(t *testing.T) {
	for class := range uint8(3) {
		nic := infinibandNIC()
		slow := infinibandNIC()
		slow.Credits = room(65, 100*us)
		sw := &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: credits(), LeafLifetime: 3 * us, LeafStallCount: 1}
		app := &inTurns{t: t, posts: [][2]int{{1, 0}, {2, 2}, {1, 1}}, from: map[units.QPN]string{}}
		b := fabric.Builder{Classes: 3, Seed: 1, App: app, Tables: &routing.Tables{Endpoints: 3, Switches: 1, Port: []uint16{0, 1, 2}}}
		b.NIC("receiver", 1, slow)
		b.NIC("a", 1, nic)
		b.NIC("b", 1, nic)
		b.InfiniBandSwitch("switch", 3, 0, fabric.Static, sw)
		for i := range int32(3) {
			b.Cable(i, 0, 3, i, (400 * units.Gbps).PerByte(), 100*ns)
		}
		n, err := b.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"a", "b"} {
			c := fabric.Connection{Service: transport.UC, Class: class, Reply: class}
			var at units.QPN
			if app.qp[i], at, err = n.Connect(int32(1+i), 0, c, c); err != nil {
				t.Fatal(err)
			}
			app.from[at] = name
		}
		for i, at := range []units.Time{us, 3 * us, 98 * us} {
			n.Partition(0).At(at, uint32(i))
		}
		if err := n.Run(190*us, 1, nil); err != nil {
			t.Fatal(err)
		}
		s := n.Stats()
		if got := strings.Join(app.got, " "); got != "a b" || s.Dropped[counts.DropStall] != 3 || s.Dropped[counts.DropLifetime] != 2 {
			t.Errorf("lane %d: packets of %q arrive, %d are discarded in the stall and %d for their lifetime; want \"a b\", 3 and 2",
				class, got, s.Dropped[counts.DropStall], s.Dropped[counts.DropLifetime])
		}
	}
}

// TestALaneHasOneEventForItsLifetime sends a message of 64 packets to a NIC that has room for one and returns credits each
// 10 us. The switch's clock starts with each packet, and the lifetime of a second costs one event.
func TestALaneHasOneEventForItsLifetime(t *testing.T) {
	events := func(lifetime units.Time) int64 {
		nic, slow := infinibandNIC(), infinibandNIC()
		slow.Credits = room(65, 10*us)
		sw := &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: credits(), LeafLifetime: lifetime}
		app := &flows{done: []units.Time{units.Forever}}
		n := twoNICs(t, app, nic, slow, sw)
		end, _, err := n.Connect(0, 1, fabric.Connection{}, fabric.Connection{})
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Partition(0).Post(0, end, transport.WorkRequest{Op: transport.OpWrite, Length: 64 * 4096}); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(10*units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		if s := n.Stats(); s.Stalls < 50 || app.done[0] == units.Forever {
			t.Fatalf("%d waits for credits, the message is done at %v: want more waits, and a message that arrives", s.Stalls, app.done[0])
		}
		return n.Stats().Events
	}
	if without, with := events(0), events(units.Second); with != without+1 {
		t.Errorf("%d events without a lifetime, %d with one of a second: want one more", without, with)
	}
}

// twoNICs is two NICs on an InfiniBand switch.
func twoNICs(t *testing.T, app fabric.App, first, second *fabric.NIC, sw *fabric.InfiniBandSwitch) *fabric.Network {
	t.Helper()
	b := fabric.Builder{Classes: 1, Seed: 1, App: app, Tables: &routing.Tables{Endpoints: 2, Switches: 1, Port: []uint16{0, 1}}}
	b.NIC("a", 1, first)
	b.NIC("b", 1, second)
	b.InfiniBandSwitch("switch", 2, 0, fabric.Static, sw)
	for i := range int32(2) {
		b.Cable(i, 0, 2, i, (400 * units.Gbps).PerByte(), 100*ns)
	}
	n, err := b.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
