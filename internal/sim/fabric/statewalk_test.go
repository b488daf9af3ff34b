package fabric_test

import (
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/state"
	"weft/internal/sim/transport"
	"weft/units"
)

// noState makes flows an application of which nothing is compared.
type noState struct{ *flows }

func (noState) WalkState(*state.Walk) {}

func (noState) WalkTag(*state.Walk, *fabric.Partition, *uint64) {}

func (noState) FurtherPeriods(*state.Walk) uint64 { return 0 }

func (noState) Survey() {}

// TestPacketsOnTheWireMoveWithTheirQueuePairs changes all packets under way of a message alike. The distance
// between their numbers and the numbers of the queue pairs is another one then.
func TestPacketsOnTheWireMoveWithTheirQueuePairs(t *testing.T) {
	for name, change := range map[string]func(h *transport.Packet){
		"":        func(*transport.Packet) {},
		"numbers": func(h *transport.Packet) { h.PSN = h.PSN.Add(1) },
		"bytes":   func(h *transport.Packet) { h.Offset += 4096 },
	} {
		app := noState{&flows{done: []units.Time{units.Forever}}}
		n := twoNICs(t, app, infinibandNIC(), infinibandNIC(), &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: credits()})
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
