package fabric_test

import (
	"fmt"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/watchdog"
	"weft/units"
)

// ringOfSwitches has every host send to the switch after the next, which fills
// the ring: every port waits for the pause of the next to end.
func ringOfSwitches(t *testing.T, w *watchdog.Config, parts int) (*fabric.Network, *flows) {
	t.Helper()
	return ringWith(t, w, parts, func(*fabric.NIC, *fabric.EthernetSwitch) {})
}

// ringWith is ringOfSwitches with changes of its NICs and switches.
func ringWith(t *testing.T, w *watchdog.Config, parts int, change func(*fabric.NIC, *fabric.EthernetSwitch)) (*fabric.Network, *flows) {
	t.Helper()
	const ring, hosts = 6, 4
	g, err := topology.Torus{Dims: []int{ring}, SwitchEndpoints: hosts}.Build()
	if err != nil {
		t.Fatal(err)
	}
	v := variant{"ring", "roce", fabric.Static, func(nic *fabric.NIC, eth *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
		eth.PFC.Lossless, nic.PFC.Lossless, eth.StaticXoff, eth.Watchdog = 7, 7, 16<<10, w
		nic.Transport.RetryTimeout = units.Millisecond
		change(nic, eth)
	}}
	f := &flows{}
	n, err := v.build(g, topology.Partition(g, parts), f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ring * hosts {
		for range 3 { // one in each class
			if err := f.sendClass(n, int32(i), int32((i+2*hosts)%(ring*hosts)), 256<<10); err != nil {
				t.Fatal(err)
			}
		}
	}
	return n, f
}

func TestTheWatchdogEndsADeadlock(t *testing.T) {
	const poll = 200 * units.Microsecond
	var want string
	for _, parts := range []int{1, 3} {
		w := &watchdog.Config{Detection: 2 * poll, Restoration: 2 * poll, Poll: poll, Action: watchdog.Drop}
		n, f := ringOfSwitches(t, w, parts)
		if err := n.Run(100*units.Millisecond, 1, nil); err != nil {
			t.Fatal(err)
		}
		s := n.Stats()
		if left := f.unfinished(); left > 0 {
			t.Errorf("%d of %d messages are not there: %s", left, len(f.done), n.Waiting())
		}
		if s.Storms == 0 || s.Dropped[counts.DropWatchdog] == 0 {
			t.Errorf("%d storms and %d packets dropped for them: want some of both", s.Storms, s.Dropped[counts.DropWatchdog])
		}
		if lost := s.Dropped[counts.DropHeadroom] + s.Dropped[counts.DropBuffer]; lost > 0 {
			t.Errorf("%d packets were dropped for other reasons, want none", lost)
		}
		s.Events = 0
		got := fmt.Sprintf("%d %+v", digest(f.done), s)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("cut into %d partitions the result differs:\n%s\n%s", parts, got, want)
		}
	}
}

// Without a watchdog, and with a watchdog that only counts, the deadlock stays.
func TestADeadlockStaysWithoutAnAction(t *testing.T) {
	const poll = 200 * units.Microsecond
	for _, w := range []*watchdog.Config{nil, {Detection: 2 * poll, Restoration: 2 * poll, Poll: poll, Action: watchdog.Alert}} {
		n, f := ringOfSwitches(t, w, 1)
		_ = n.Run(20*units.Millisecond, 1, nil) // may end in a standstill
		if f.unfinished() == 0 {
			t.Errorf("watchdog %+v: all messages are there", w)
		}
		if s := n.Stats(); (s.Storms > 0) != (w != nil) || s.Dropped[counts.DropWatchdog] != 0 {
			t.Errorf("watchdog %+v: %d storms, %d packets dropped", w, s.Storms, s.Dropped[counts.DropWatchdog])
		}
	}
}

// stormOf has a NIC that pauses its switch from 10 us to 3 ms while another sends
// to it, and a second message after that.
func stormOf(t *testing.T, action watchdog.Action) (*fabric.Network, *flows) {
	t.Helper()
	g, err := topology.SingleSwitch{Endpoints: 4, Radix: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := &flows{}
	w := &watchdog.Config{Detection: 400 * units.Microsecond, Restoration: 400 * units.Microsecond, Poll: 200 * units.Microsecond, Action: action}
	n, err := buildWith(g, f, func(b *fabric.Builder, nic *fabric.NIC, eth *fabric.EthernetSwitch) {
		eth.Watchdog, nic.Transport.RetryTimeout = w, 500*units.Microsecond
		nic.PFC.Quanta = 65535
		b.Receive(0, &fabric.Receiver{Failed: true, From: 10 * units.Microsecond, Until: 3 * units.Millisecond})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int32{1, 2} {
		if err := f.send(n, from, 0, 8<<20); err != nil {
			t.Fatal(err)
		}
	}
	return n, f
}

func TestAStormIsEndedByEachActionInItsWay(t *testing.T) {
	for _, c := range []struct {
		action  watchdog.Action
		early   bool // the messages arrive before the storm ends
		dropped bool
	}{
		{watchdog.Drop, false, true},
		{watchdog.Forward, true, false},
		{watchdog.Alert, false, false},
	} {
		n, f := stormOf(t, c.action)
		if err := n.Run(20*units.Millisecond, 1, nil); err != nil {
			t.Fatal(err)
		}
		s := n.Stats()
		if f.unfinished() > 0 {
			t.Fatalf("action %d: %d messages are not there: %s", c.action, f.unfinished(), n.Waiting())
		}
		last := max(f.done[0], f.done[1])
		if early := last < 3*units.Millisecond; early != c.early {
			t.Errorf("action %d: the last message is there at %v, and the storm ends at 3 ms", c.action, last)
		}
		if dropped := s.Dropped[counts.DropWatchdog] > 0; dropped != c.dropped || s.Storms == 0 {
			t.Errorf("action %d: %d storms, %d packets dropped", c.action, s.Storms, s.Dropped[counts.DropWatchdog])
		}
	}
}

// The watchdog acts when the head of a paused queue has not moved for the
// detection time, counted from the first poll that sees it: two polls for one of
// two polls, so between two and three polls after the pause.
func TestAStormIsFoundAfterItsDetectionTime(t *testing.T) {
	n, _ := stormOf(t, watchdog.Alert)
	for at := units.Time(0); at < 3*units.Millisecond; at += 10 * units.Microsecond {
		if err := n.Run(at, 1, nil); err != nil {
			t.Fatal(err)
		}
		if n.Stats().Storms > 0 {
			if at < 410*units.Microsecond || at > 630*units.Microsecond {
				t.Errorf("the storm that began at 10 us is found at %v: want 410 to 630 us", at)
			}
			return
		}
	}
	t.Error("the storm is not found")
}

// A NIC that takes in 100 Gb/s of 400 lets a message through at 100 Gb/s, loses
// nothing and pauses its switch.
func TestASlowReceiverSetsThePace(t *testing.T) {
	g, err := topology.SingleSwitch{Endpoints: 2, Radix: 2}.Build()
	if err != nil {
		t.Fatal(err)
	}
	const size = 8 << 20
	f := &flows{}
	n, err := buildWith(g, f, func(b *fabric.Builder, _ *fabric.NIC, _ *fabric.EthernetSwitch) {
		b.Receive(0, &fabric.Receiver{
			PerByte: (100 * units.Gbps).PerByte(), Buffer: 512 << 10, Xoff: 256 << 10, Xon: 128 << 10, Until: units.Forever,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.send(n, 1, 0, size); err != nil {
		t.Fatal(err)
	}
	if err := n.Run(20*units.Millisecond, 1, nil); err != nil {
		t.Fatal(err)
	}
	packets := units.Time(size / 4096)
	// RoCE v2: 82 bytes beyond the payload of a packet, 16 more in the first.
	want := (packets*(4096+82) + 16) * 80 // picoseconds a byte
	if got := f.done[0]; got < want || got > want+5*units.Microsecond {
		t.Errorf("8 MiB take %v at a receiver of 100 Gb/s: want %v and the way there", got, want)
	}
	if s := n.Stats(); s.Pauses == 0 || s.Dropped != [counts.DropReasons]int64{} {
		t.Errorf("%d pauses, dropped %v: want pauses, and nothing dropped", s.Pauses, s.Dropped)
	}
}
