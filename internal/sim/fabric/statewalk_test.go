package fabric_test

import (
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/routing"
	"weft/internal/sim/state"
	"weft/internal/sim/transport"
	"weft/units"
)

// noState makes flows an application of which nothing is compared.
type noState struct{ *flows }

func (noState) WalkState(*state.Walk) {}

func (noState) WalkTag(*state.Walk, *fabric.Partition, *uint64) {}

func (noState) Repeats(*state.Walk) uint64 { return 0 }

func (noState) Survey() {}

// TestPacketsOnTheWireMoveWithTheirQueuePairs changes all packets of a message that is under way alike. Their numbers
// are then others in relation to those of the queue pairs.
func TestPacketsOnTheWireMoveWithTheirQueuePairs(t *testing.T) {
	for name, change := range map[string]func(h *transport.Packet){
		"":        func(*transport.Packet) {},
		"numbers": func(h *transport.Packet) { h.PSN = h.PSN.Add(1) },
		"bytes":   func(h *transport.Packet) { h.Offset += 4096 },
	} {
		app := noState{&flows{done: []units.Time{units.Forever}}}
		b := fabric.Builder{Classes: 1, Seed: 1, App: app, Tables: &routing.Tables{Endpoints: 2, Switches: 1, Port: []uint16{0, 1}}}
		b.NIC("sender", 1, infinibandNIC())
		b.NIC("receiver", 1, infinibandNIC())
		b.InfiniBandSwitch("switch", 2, 0, fabric.Static, &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: credits()})
		for i := range int32(2) {
			b.Cable(i, 0, 2, i, (400 * units.Gbps).PerByte(), 100*ns)
		}
		n, err := b.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		end, _, err := n.Connect(0, 1, fabric.Connection{}, fabric.Connection{})
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Partition(0).Post(0, end, transport.WorkRequest{Op: transport.OpWrite, Length: 1000 * 4096}); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(10*us, 1, nil); err != nil {
			t.Fatal(err)
		}
		where, packets := n.Changed(10*us, app, change)
		if packets < 3 || (where == "") != (name == "") {
			t.Errorf("a change of the %s of %d packets on wires is seen in %q", name, packets, where)
		}
	}
}
