package fabric_test

import (
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/adapter"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/routing"
	"weft/units"
)

// TestQueuePairsBeyondTheStoreFetchTheirContexts has more and more queue pairs of a NIC send in
// turn. Up to as many as the store has entries, each fetches its context once; beyond, two share an
// entry and fetch it for each packet. If all do, packets leave as fast as contexts come.
func TestQueuePairsBeyondTheStoreFetchTheirContexts(t *testing.T) {
	const entries, atOnce, packets = 32, 16, 40
	const interval = 200 * ns // longer than a packet's 83.6 ns on the wire
	for _, flowsOf := range []int{16, 32, 40, 64} {
		f := &flows{}
		b := &fabric.Builder{Classes: 1, Seed: 1, App: f}
		nic := ethernetNIC()
		nic.Contexts = &adapter.Contexts{Entries: entries, Fetch: interval * atOnce, AtOnce: atOnce}
		b.NIC("a", 1, nic)
		b.NIC("b", 1, ethernetNIC())
		b.Cable(0, 0, 1, 0, (400 * units.Gbps).PerByte(), 100*ns)
		n, err := b.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		got := runFlows(t, f, n, flowsOf, packets)
		sharing := max(0, 2*(flowsOf-entries))
		misses, want := n.Stats().ContextMisses, int64(flowsOf-sharing+sharing*packets)
		if misses > want || misses < want-int64(sharing) {
			t.Errorf("%d queue pairs fetched %d contexts, want %d, at most one less for each that shares an entry", flowsOf, misses, want)
		}
		if sharing < flowsOf {
			continue
		}
		if least := units.Time(flowsOf*(packets-1)) * interval; got < least || got > least+least/20 {
			t.Errorf("%d queue pairs without a context took %v, want %v: a packet for each fetch", flowsOf, got, least)
		}
	}
}

// TestANICHoldsPacketsUntilTheirContextIsThere has two hosts send to a third whose store holds one
// context: each packet waits in the receiving NIC, which pauses its senders and loses nothing.
func TestANICHoldsPacketsUntilTheirContextIsThere(t *testing.T) {
	const packets = 400
	const fetch = 200 * ns
	for _, name := range []string{"roce", "infiniband"} {
		f := &flows{}
		n, err := buildReceiving(name, f, &adapter.Contexts{Entries: 1, Fetch: fetch, AtOnce: 1}, units.PerByte{})
		if err != nil {
			t.Fatal(err)
		}
		for from := range int32(2) {
			if err := f.send(n, from, 2, packets*4096); err != nil {
				t.Fatal(err)
			}
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		s, last := n.Stats(), max(f.done[0], f.done[1])
		if least := units.Time(s.ContextMisses) * fetch; last < least || s.ContextMisses < packets {
			t.Errorf("%s: done after %v with %d fetches, want %v or more and %d fetches or more", name, last, s.ContextMisses, least, packets)
		}
		if s.Dropped != ([counts.DropReasons]int64{}) || name == "roce" && s.Pauses == 0 {
			t.Errorf("%s: dropped %v, %d pauses; want none, and pauses on RoCE", name, s.Dropped, s.Pauses)
		}
	}
}

// TestALonePacketWaitsForItsContext compares the only packet of a message with and without its
// context at the receiver: the fetch takes its whole time, however many run at once.
func TestALonePacketWaitsForItsContext(t *testing.T) {
	const fetch = 800 * ns
	var done [2]units.Time
	for i, c := range []*adapter.Contexts{nil, {Entries: 4, Fetch: fetch, AtOnce: 8}} {
		f := &flows{}
		n, err := buildReceiving("roce", f, c, units.PerByte{})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.send(n, 0, 2, 64); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		done[i] = f.done[0]
	}
	if got := done[1] - done[0]; got < fetch-ns || got > fetch {
		t.Errorf("a packet without its context is acknowledged %v later, want %v", got, fetch)
	}
}

// TestAReceiverTakesPacketsAtItsHostsRate has two hosts send at 400 Gb/s to a NIC whose host takes
// 200 Gb/s: the time is that of all bytes at the host's rate, and pauses or credits hold the
// senders back.
func TestAReceiverTakesPacketsAtItsHostsRate(t *testing.T) {
	for _, name := range []string{"roce", "infiniband"} {
		f := &flows{}
		n, err := buildReceiving(name, f, nil, (200 * units.Gbps).PerByte())
		if err != nil {
			t.Fatal(err)
		}
		const size = 4 << 20
		for from := range int32(2) {
			if err := f.send(n, from, 2, size); err != nil {
				t.Fatal(err)
			}
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		overhead := 26.0
		if name == "roce" {
			overhead = 82
		}
		want := 2 * (size + 1024*overhead) * 0.04
		s, got := n.Stats(), float64(max(f.done[0], f.done[1]))/1000
		if e := got/want - 1; e < 0 || e > 0.01 {
			t.Errorf("%s: done after %.0f ns, want %.0f at the rate of the host", name, got, want)
		}
		if s.Dropped != ([counts.DropReasons]int64{}) || name == "roce" && s.Pauses == 0 {
			t.Errorf("%s: dropped %v, %d pauses; want none, and pauses on RoCE", name, s.Dropped, s.Pauses)
		}
	}
}

// buildReceiving joins three hosts by a switch; the last receives at a rate, with a store of
// contexts.
func buildReceiving(name string, app fabric.App, c *adapter.Contexts, rate units.PerByte) (*fabric.Network, error) {
	b := &fabric.Builder{Classes: 1, Seed: 1, App: app, Tables: &routing.Tables{Endpoints: 3, Switches: 1, Port: []uint16{0, 1, 2}}}
	for i, host := range []string{"a", "b", "c"} {
		nic := ethernetNIC()
		if name == "infiniband" {
			nic = infinibandNIC()
		}
		if i == 2 {
			nic.Contexts = c
		}
		b.NIC(host, 1, nic)
	}
	if name == "infiniband" {
		b.InfiniBandSwitch("switch", 3, 0, fabric.Static, &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: credits(), ReadPorts: 2})
	} else {
		b.EthernetSwitch("switch", 3, 0, fabric.Static, ethernetSwitch())
	}
	b.Receive(2, &fabric.Receiver{PerByte: rate, Buffer: 1 << 20, Xoff: 512 << 10, Xon: 256 << 10, Until: units.Forever})
	for host := range int32(3) {
		b.Cable(host, 0, 3, host, (400 * units.Gbps).PerByte(), 100*ns)
	}
	return b.Build(nil)
}

// runFlows posts a message of some packets on each of some queue pairs of host 0 to host 1, and
// returns the end of the last.
func runFlows(t *testing.T, f *flows, n *fabric.Network, count, packets int) (last units.Time) {
	t.Helper()
	for range count {
		if err := f.send(n, 0, 1, uint32(packets*4096)); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	for _, at := range f.done {
		last = max(last, at)
	}
	return last
}
