package fabric_test

import (
	"fmt"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/units"
)

// incastWithPool has eight NICs send to one through a switch that pauses them early, so
// that packets that arrive after the pause are in the headroom.
func incastWithPool(t *testing.T, pool int64) (counts.Stats, *flows) {
	t.Helper()
	g, err := topology.SingleSwitch{Endpoints: 9, Radix: 9}.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := &flows{}
	n, err := buildWith(g, f, func(_ *fabric.Builder, nic *fabric.NIC, eth *fabric.EthernetSwitch) {
		eth.StaticXoff, eth.HeadroomPool = 8<<10, pool
		nic.Transport.RetryTimeout = 500 * units.Microsecond
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(8) {
		if err := f.send(n, i+1, 0, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Run(100*units.Millisecond, 1, nil); err != nil {
		t.Fatal(err)
	}
	if left := f.unfinished(); left > 0 {
		t.Errorf("pool of %d: %d messages are not there: %s", pool, left, n.Waiting())
	}
	return n.Stats(), f
}

// A pool that all ports draw on serves as headroom of their own until it is full: then
// one port lacks the bytes that another holds.
func TestASharedHeadroomPoolEndsWhereAllDrawOnIt(t *testing.T) {
	own, f := incastWithPool(t, 0)
	want := fmt.Sprintf("%d %+v", digest(f.done), own)
	if own.Dropped != ([counts.DropReasons]int64{}) || own.Pauses == 0 {
		t.Fatalf("with headroom of their own: %+v", own)
	}
	ample, f := incastWithPool(t, 8*200<<10)
	if got := fmt.Sprintf("%d %+v", digest(f.done), ample); got != want {
		t.Errorf("with a pool of all ports' headroom the result differs:\n%s\n%s", got, want)
	}
	// One port may still draw as much as before, but not all ports together.
	if small, _ := incastWithPool(t, 50<<10); small.Dropped[counts.DropHeadroom] == 0 {
		t.Error("a pool of 50 KiB drops nothing for eight senders")
	}
}

// Headroom for exactly the bytes that arrive after the pause drops nothing. One byte less
// drops: headroom fills with whole packets.
func TestHeadroomIsUsedToItsLastByte(t *testing.T) {
	dropped := func(headroom int32) int64 {
		g, err := topology.SingleSwitch{Endpoints: 3, Radix: 3}.Build()
		if err != nil {
			t.Fatal(err)
		}
		f := &flows{}
		n, err := buildWith(g, f, func(_ *fabric.Builder, nic *fabric.NIC, eth *fabric.EthernetSwitch) {
			eth.StaticXoff, eth.Headroom = 8<<10, headroom
			nic.Transport.RetryTimeout = 500 * units.Microsecond
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := incast(2, 4096*100)(f, n); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(100*units.Millisecond, 1, nil); err != nil {
			t.Fatal(err)
		}
		return n.Stats().Dropped[counts.DropHeadroom]
	}
	const packet = 4096 + 14 + 20 + 8 + 12 + 4 + 4 + 20 // a packet in the middle of a WRITE
	need := int32(1)
	for need < 100 && dropped(need*packet) > 0 {
		need++
	}
	if need < 3 || need == 100 {
		t.Fatalf("nothing is dropped with headroom for %d packets", need)
	}
	if dropped(need*packet-1) == 0 {
		t.Errorf("with a byte less than %d packets nothing is dropped", need)
	}
}
