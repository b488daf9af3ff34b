package fabric_test

import (
	"testing"

	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/transport"
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

// TestDiscardsInARowStallTheLane sends 20 packets to a NIC that has room for one
// and says so only after a millisecond. The second and those behind it are
// discarded after 3 us at the head each. After as many as stall the lane, it
// discards the rest at once and what comes in the next 24 us; then a packet has
// its lifetime again.
func TestDiscardsInARowStallTheLane(t *testing.T) {
	const us = units.Microsecond
	for _, c := range []struct {
		count           int
		lifetime, stall int64 // packets discarded
	}{
		{0, 19 + 2, 0},
		{1, 1 + 1, 18 + 1},
		{3, 3 + 1, 16 + 1},
		{7, 7, 12 + 2}, // the packet at 40 us comes into the stall from 21 to 45 us
	} {
		for _, fifo := range []bool{false, true} {
			nic := infinibandNIC()
			nic.Credits = room(65, units.Millisecond)
			sw := &fabric.InfiniBandSwitch{
				Pipeline: 200 * ns, Credits: credits(), FIFO: fifo, LeafLifetime: 3 * us, LeafStallCount: c.count,
			}
			app := &later{t: t}
			b := fabric.Builder{Classes: 1, Seed: 1, App: app, Tables: &routing.Tables{Endpoints: 2, Switches: 1, Port: []uint16{0, 1}}}
			b.NIC("a", 1, nic)
			b.NIC("b", 1, nic)
			b.InfiniBandSwitch("switch", 2, 0, fabric.Static, sw)
			for i := range int32(2) {
				b.Cable(i, 0, 2, i, (400 * units.Gbps).PerByte(), 100*ns)
			}
			n, err := b.Build(nil)
			if err != nil {
				t.Fatal(err)
			}
			uc := fabric.Connection{Service: transport.UC}
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
			if s.Delivered != 1 || s.Dropped[fabric.DropLifetime] != c.lifetime || s.Dropped[fabric.DropStall] != c.stall {
				t.Errorf("stalled after %d, FIFO %t: %d delivered, %d discarded for their lifetime and %d in the stall; want 1, %d and %d",
					c.count, fifo, s.Delivered, s.Dropped[fabric.DropLifetime], s.Dropped[fabric.DropStall], c.lifetime, c.stall)
			}
		}
	}
}
