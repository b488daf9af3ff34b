package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/units"
)

// In a ring of switches hosts send to the switch after the next, and the buffers fill:
// every port waits for credits of the next port around the ring, or for the end of its
// pause. Inputs have virtual output queues, a FIFO, or are Ethernet's.
func TestADeadlockIsReportedAsItsCircle(t *testing.T) {
	const ring, hosts = 6, 4
	credits := func(fifo bool) func(*fabric.NIC, *fabric.EthernetSwitch, *fabric.InfiniBandSwitch) {
		return func(nic *fabric.NIC, _ *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
			ib.FIFO = fifo
			ib.Credits = room(140, 70*units.Nanosecond)
			nic.Credits = ib.Credits
		}
	}
	for _, v := range []variant{
		{"virtual output queues", "infiniband", fabric.Static, credits(false)},
		{"FIFO inputs", "infiniband", fabric.Static, credits(true)},
		{"PFC", "roce", fabric.Static, func(nic *fabric.NIC, eth *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
			eth.PFC.Lossless, nic.PFC.Lossless, eth.StaticXoff = 7, 7, 16<<10
		}},
	} {
		t.Run(v.name, func(t *testing.T) {
			g, err := topology.Torus{Dims: []int{ring}, SwitchEndpoints: hosts}.Build()
			if err != nil {
				t.Fatal(err)
			}
			f := &flows{}
			n, err := v.build(g, nil, f)
			if err != nil {
				t.Fatal(err)
			}
			for i := range ring * hosts {
				for range 3 { // one in each class
					if err := f.sendClass(n, int32(i), int32((i+2*hosts)%(ring*hosts)), 1<<20); err != nil {
						t.Fatal(err)
					}
				}
			}
			_ = n.Run(300*units.Millisecond, 1, nil) // may end in a standstill, or without events
			text := n.Waiting()
			if !strings.Contains(text, fmt.Sprintf("deadlock: %d ports wait for one another in a circle", ring)) {
				t.Fatalf("no circle of %d ports in %s", ring, text)
			}
			for i := range ring {
				if want := fmt.Sprintf("to switch(%d): ", i); strings.Count(text, want) != 1 {
					t.Errorf("%q is not once in %s", want, text)
				}
			}
		})
	}
}
