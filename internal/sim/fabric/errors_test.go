package fabric_test

import (
	"math"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/impair"
	"weft/units"
)

// TestABurstCostsEveryPacketThatItTouches compares the lost packets with the closed form: a burst
// of L bytes overlaps a packet of S bytes if it begins up to L before the packet or in it.
func TestABurstCostsEveryPacketThatItTouches(t *testing.T) {
	const gap, length = 1 << 20, 2570
	g, err := topology.KAry{K: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"roce", "infiniband"} {
		app := &flows{}
		n, err := buildHarmed(g, name, nil, app, func(b *fabric.Builder) { b.Bursts = &impair.Bursts{Gap: gap, Length: length} })
		if err != nil {
			t.Fatal(err)
		}
		if err := permutation(16, 16<<20)(app, n); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(10*units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		s := n.Stats()
		bytes := int64(0)
		for link := range int32(n.Links()) {
			bytes += n.LinkBytes(link)
		}
		got, want := float64(s.Dropped[counts.DropCorrupt]), float64(bytes+s.Hops*length)/gap
		// A burst touches two packets at most here, so the variance is below twice the mean.
		if sigma := math.Sqrt(2 * want); math.Abs(got-want) > 5*sigma || s.LinkRetries != 0 {
			t.Errorf("%s: %.0f packets were corrupted and %d sent again by links, want %.0f ± %.0f and none", name, got, s.LinkRetries, want, sigma)
		}
	}
}

// TestARetryingLinkDelaysAndLosesNothing sends a message over one cable. Each repetition costs a
// round trip of the cable and the time of the burst; acknowledgements may wait for some of them
// without effect on the end. On InfiniBand the pauses of the wire also take in some flow-control
// packets.
func TestARetryingLinkDelaysAndLosesNothing(t *testing.T) {
	const length, perByte, propagation = 1285, 20, 100 * ns
	const round = 2*propagation + length*perByte
	run := func(name string, errors *impair.Bursts) (units.Time, counts.Stats) {
		f := &flows{}
		b := &fabric.Builder{Classes: 1, Seed: 1, App: f, Bursts: errors}
		nic := ethernetNIC()
		if name == "infiniband" {
			nic = infinibandNIC()
		}
		b.NIC("a", 1, nic)
		b.NIC("b", 1, nic)
		b.Cable(0, 0, 1, 0, (400 * units.Gbps).PerByte(), propagation)
		n, err := b.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.send(n, 0, 1, 64<<20); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		return f.done[0], n.Stats()
	}
	for _, name := range []string{"roce", "infiniband"} {
		clean, _ := run(name, nil)
		got, s := run(name, &impair.Bursts{Gap: 1 << 20, Length: length, Retry: true})
		rounds := int64((got - clean) / round)
		if (got-clean)%round != 0 && name == "roce" || rounds > s.LinkRetries || rounds < s.LinkRetries/3 || s.LinkRetries < 40 {
			t.Errorf("%s: the message took %v longer, %d rounds of %v, with %d repetitions", name, got-clean, rounds, round, s.LinkRetries)
		}
		if s.Dropped != ([counts.DropReasons]int64{}) {
			t.Errorf("%s: packets were dropped: %v", name, s.Dropped)
		}
	}
}

// TestEveryLinkCorruptsItsShare compares the packets lost to corruption with the links
// that they cross, links between switches included: the sum is binomial.
func TestEveryLinkCorruptsItsShare(t *testing.T) {
	const rate = 1.0 / 256
	g, err := topology.KAry{K: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"roce", "infiniband"} {
		app := &flows{}
		n, err := buildHarmed(g, name, nil, app, func(b *fabric.Builder) { b.ErrorRate = uint64(rate*(1<<32)) << 32 })
		if err != nil {
			t.Fatal(err)
		}
		if err := permutation(16, 4<<20)(app, n); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(10*units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		s := n.Stats()
		hops := float64(s.Hops)
		got, want := float64(s.Dropped[counts.DropCorrupt]), hops*rate
		if sigma := math.Sqrt(hops * rate * (1 - rate)); math.Abs(got-want) > 5*sigma {
			t.Errorf("%s: %.0f of %.0f packets on links were corrupted, want %.0f ± %.0f", name, got, hops, want, sigma)
		}
	}
}
