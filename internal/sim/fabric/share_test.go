package fabric_test

import (
	"math"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/transport"
	"weft/units"
)

// Two classes of one NIC, one of them with one queue pair and the other with four:
// by weight they have three quarters and a quarter of the wire, whichever has more
// queue pairs. When one class has ended, the other has the whole wire.
func TestANICSharesItsWireByWeight(t *testing.T) {
	const size, wire = 4 << 20, (4 << 20) / 4096 * (4096 + 82)
	g, err := topology.SingleSwitch{Endpoints: 3, NodeNICs: 1, Radix: 3}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		weights   [8]int32
		heavy, of int // the first class's share of the wire while both send
	}{{[8]int32{3 * 4200, 4200}, 3, 4}, {[8]int32{4200, 4200}, 1, 2}} {
		f := &flows{}
		n, err := buildWith(g, f, func(b *fabric.Builder, nic *fabric.NIC, sw *fabric.EthernetSwitch) {
			b.Classes = 2
			nic.Schedule = &arbitration.Schedule{Weights: x.weights}
			nic.PFC.Lossless, sw.PFC.Lossless, sw.ECN[0] = 3, 3, marking.ECN{}
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			class, bytes := uint8(0), uint32(size)
			if i > 0 {
				class, bytes = 1, size/4
			}
			f.done = append(f.done, units.Forever)
			c := fabric.Connection{Class: class, Reply: class}
			qp, _, err := n.Connect(0, int32(1+i%2), c, c)
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Partition(0).Post(0, qp, transport.WorkRequest{ID: uint64(i), Op: transport.OpWrite, Length: bytes}); err != nil {
				t.Fatal(err)
			}
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		heavy, last := f.done[0], units.Time(0)
		for _, at := range f.done {
			last = max(last, at)
		}
		want := float64(wire) * 20 * float64(x.of) / float64(x.heavy)
		if got := float64(heavy); math.Abs(got/want-1) > 0.02 {
			t.Errorf("weights %v: the first class ends after %.0f ns, want %.0f", x.weights[:2], got/1e3, want/1e3)
		}
		if all := float64(2 * wire * 20); math.Abs(float64(last)/all-1) > 0.02 {
			t.Errorf("weights %v: all end after %.0f ns, want %.0f: the wire is idle", x.weights[:2], float64(last)/1e3, all/1e3)
		}
	}
}
