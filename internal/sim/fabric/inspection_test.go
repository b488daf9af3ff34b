package fabric_test

import (
	"math/rand/v2"
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/fabric/isolation"
	"weft/internal/sim/routing"
	"weft/units"
)

// pairWith is two hosts on a switch, which change may change. Before the hosts stand this
// number of boxes, which inspect at 100 ps a byte, a fifth of a cable's rate.
func pairWith(t *testing.T, name string, boxes int, app fabric.App, change func(*fabric.Builder, *fabric.EthernetSwitch, *fabric.InfiniBandSwitch)) *fabric.Network {
	t.Helper()
	b := &fabric.Builder{Classes: 1, Seed: 1, App: app, Tables: &routing.Tables{Endpoints: 2, Switches: 1, Port: []uint16{0, 1}}}
	eth, ib := ethernetSwitch(), &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: credits(), ReadPorts: 2}
	change(b, eth, ib)
	nic := ethernetNIC()
	if name == "infiniband" {
		nic = infinibandNIC()
	}
	b.NIC("a", 1, nic)
	b.NIC("b", 1, nic)
	inspects := units.PerByte{Num: 100, Den: 1}
	rate := (400 * units.Gbps).PerByte()
	if name == "infiniband" {
		b.InfiniBandSwitch("switch", 2, 0, fabric.Static, ib)
	} else {
		b.EthernetSwitch("switch", 2, 0, fabric.Static, eth)
	}
	for host := range int32(2) {
		if int(host) >= boxes {
			b.Cable(host, 0, 2, host, rate, 100*ns)
			continue
		}
		var box int32
		if name == "infiniband" {
			box = b.InfiniBandMiddlebox("box", host, inspects, &fabric.InfiniBandSwitch{Pipeline: 1000 * ns, Credits: credits()})
		} else {
			s := ethernetSwitch()
			s.Pipeline = 1000 * ns
			box = b.EthernetMiddlebox("box", host, inspects, s)
		}
		b.Cable(host, 0, box, 0, rate, 50*ns)
		b.Cable(box, 1, 2, host, rate, 50*ns)
	}
	n, err := b.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func unchanged(*fabric.Builder, *fabric.EthernetSwitch, *fabric.InfiniBandSwitch) {}

// acknowledged is the time at which a message from the first host to the second is acknowledged.
func acknowledged(t *testing.T, name string, boxes int, size uint32) units.Time {
	t.Helper()
	f := &flows{}
	n := pairWith(t, name, boxes, f, unchanged)
	if err := f.send(n, 0, 1, size); err != nil {
		t.Fatal(err)
	}
	if err := n.Run(units.Second, 1, nil); err != nil || f.unfinished() > 0 {
		t.Fatalf("%s, %d boxes: %v, %d unfinished", name, boxes, err, f.unfinished())
	}
	return f.done[0]
}

// A box stores a packet whole and holds it for its pipeline: each way it adds the time of
// the packet's bytes and the pipeline. A stream passes at the rate of inspection.
func TestABoxTakesPacketsWholeAndInspectsAtItsRate(t *testing.T) {
	for name, wire := range map[string]units.Time{"infiniband": 4096 + 8 + 12 + 16 + 4 + 2 + 30, "roce": 4096 + 14 + 20 + 8 + 12 + 16 + 4 + 4 + 20 + 86} {
		plain := acknowledged(t, name, 0, 4096)
		for boxes := 1; boxes <= 2; boxes++ {
			if got, want := acknowledged(t, name, boxes, 4096), plain+units.Time(boxes)*(wire*20+2*1000*ns); got != want {
				t.Errorf("%s, %d boxes: one packet takes %v, want %v", name, boxes, got, want)
			}
		}
		const packets = 2000
		each := float64(acknowledged(t, name, 1, packets*4096)) / packets
		inspected := 100 * float64(4096+26)
		if name == "roce" {
			inspected = 100 * (4096 + 82)
		}
		if each < inspected || each > 1.01*inspected {
			t.Errorf("%s: a packet of a stream through a box takes %.0f ps, want its inspection, %.0f, and at most 1 %% more", name, each, inspected)
		}
	}
}

// Jitter adds the drawn time to each switch's pipeline, and does not reorder the packets
// of a cable.
func TestJitterAddsWhatIsDrawn(t *testing.T) {
	for _, name := range []string{"infiniband", "roce"} {
		const more = 777 * ns
		var done []units.Time
		for _, draw := range []impair.Jitter{nil, func(*rand.Rand) units.Time { return more }} {
			f := &flows{}
			n := pairWith(t, name, 0, f, func(_ *fabric.Builder, eth *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
				eth.Jitter, ib.Jitter = draw, draw
			})
			if err := f.send(n, 0, 1, 4096); err != nil {
				t.Fatal(err)
			}
			if err := n.Run(units.Second, 1, nil); err != nil {
				t.Fatal(err)
			}
			done = append(done, f.done[0])
		}
		if done[1]-done[0] != 2*more {
			t.Errorf("%s: with %v more at the switch a message takes %v in place of %v: want twice as much more", name, more, done[1], done[0])
		}
		f := &flows{}
		wild := func(r *rand.Rand) units.Time { return units.Time(r.Int64N(int64(5 * us))) }
		n := pairWith(t, name, 0, f, func(_ *fabric.Builder, eth *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
			eth.Jitter, ib.Jitter = wild, wild
		})
		if err := f.send(n, 0, 1, 1<<20); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(units.Second, 1, nil); err != nil || f.unfinished() > 0 || n.Retransmissions() > 0 {
			t.Errorf("%s: %v, %d unfinished, %d packets sent again", name, err, f.unfinished(), n.Retransmissions())
		}
	}
}

// A packet passes if the segment of the port that it enters by has a route to the
// receiver's segment. Otherwise it is counted and discarded.
func TestSegmentsLetThroughPacketsThatTheyHaveARouteFor(t *testing.T) {
	for _, boxes := range []int{0, 2} {
		for _, c := range []struct {
			there, back bool // routes from a's segment to b's, and back
			done        bool
		}{{true, true, true}, {false, true, false}, {true, false, false}} {
			f := &flows{}
			n := pairWith(t, "roce", boxes, f, func(b *fabric.Builder, _ *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
				b.Segments = &isolation.Segments{Of: []uint16{0, 1}, Reach: [][]bool{{true, c.there}, {c.back, true}}}
			})
			if err := f.send(n, 0, 1, 4096); err != nil {
				t.Fatal(err)
			}
			if err := n.Run(20*units.Millisecond, 1, nil); err != nil {
				t.Fatal(err)
			}
			dropped := n.Stats().Dropped[counts.DropSegment]
			if (f.done[0] != units.Forever) != c.done || (dropped > 0) == c.done {
				t.Errorf("%d boxes, routes %v and %v: finished %v, %d packets discarded", boxes, c.there, c.back, f.done[0] != units.Forever, dropped)
			}
		}
	}
}
