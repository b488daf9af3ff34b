package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/units"
)

// twoSwitches has hosts of both switches send to a host of the first in class 2, which
// pauses the second switch. The last message is in class 1, between other hosts, over the
// same cable.
func twoSwitches(t *testing.T, parts int, change func(*fabric.NIC, *fabric.EthernetSwitch)) (s counts.Stats, beside units.Time, result string) {
	t.Helper()
	g, err := topology.Torus{Dims: []int{2}, SwitchEndpoints: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	v := variant{"two switches", "roce", fabric.Static, func(nic *fabric.NIC, eth *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
		eth.PFC.Lossless, nic.PFC.Lossless, eth.StaticXoff = 3<<1, 3<<1, 64<<10
		nic.Transport.RetryTimeout = units.Millisecond
		change(nic, eth)
	}}
	f := &flows{}
	n, err := v.build(g, topology.Partition(g, parts), f)
	if err != nil {
		t.Fatal(err)
	}
	post := func(class int, from, to int32, bytes uint32) {
		for len(f.done)%3 != class { // messages take the classes in turn
			if err := f.sendClass(n, 6, 7, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.sendClass(n, from, to, bytes); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []int32{1, 2, 4} {
		post(2, from, 0, 1<<20)
	}
	post(1, 5, 3, 256<<10)
	if err := n.Run(100*units.Millisecond, 1, nil); err != nil {
		t.Fatal(err)
	}
	if f.unfinished() > 0 {
		t.Fatalf("%d messages are not there: %s", f.unfinished(), n.Waiting())
	}
	s = n.Stats()
	s.Events = 0
	return s, f.done[len(f.done)-1], fmt.Sprintf("%d %+v", digest(f.done), s)
}

func TestAPauseOfAnotherQueueOverrunsTheHeadroom(t *testing.T) {
	right, onTime, _ := twoSwitches(t, 1, func(*fabric.NIC, *fabric.EthernetSwitch) {})
	if right.Dropped[counts.DropHeadroom] != 0 || right.Pauses == 0 {
		t.Fatalf("with the queue of the data %d packets overrun the headroom, after %d pauses", right.Dropped[counts.DropHeadroom], right.Pauses)
	}
	want := ""
	for _, parts := range []int{1, 2, 3} {
		wrong, late, result := twoSwitches(t, parts, func(_ *fabric.NIC, eth *fabric.EthernetSwitch) {
			eth.PFC.Stops = &[fabric.MaxClasses]uint16{1, 1 << 1, 1 << 1}
		})
		if wrong.Dropped[counts.DropHeadroom] == 0 {
			t.Errorf("the pauses stop queue 1, and nothing of queue 2 overruns the headroom: %+v", wrong)
		}
		if late < onTime*3/2 {
			t.Errorf("the message in queue 1 takes %v if pauses stop its queue, and %v if they do not", late, onTime)
		}
		if want == "" {
			want = result
		}
		if result != want {
			t.Errorf("cut into %d partitions the result differs:\n%s\n%s", parts, result, want)
		}
	}
}

func TestAPauseOfTheWholeLinkStopsClassesThatDidNothing(t *testing.T) {
	_, onTime, _ := twoSwitches(t, 1, func(*fabric.NIC, *fabric.EthernetSwitch) {})
	want := ""
	for _, parts := range []int{1, 2, 3} {
		s, late, result := twoSwitches(t, parts, func(nic *fabric.NIC, eth *fabric.EthernetSwitch) {
			nic.PFC.WholeLink, eth.PFC.WholeLink = true, true
			nic.PFC.Quanta, eth.PFC.Quanta = 400, 400 // renewed many times
		})
		if s.Dropped != (counts.Stats{}).Dropped || late < onTime*3/2 {
			t.Errorf("%v packets dropped, and the message in class 1 takes %v, with pauses of class 2 alone %v", s.Dropped, late, onTime)
		}
		if want == "" {
			want = result
		}
		if result != want {
			t.Errorf("cut into %d partitions the result differs:\n%s\n%s", parts, result, want)
		}
	}
}

// The ring of three classes locks by pauses of each class, and by pauses of whole links.
func TestADeadlockOfWholeLinksIsReported(t *testing.T) {
	n, f := ringWith(t, nil, 1, func(nic *fabric.NIC, eth *fabric.EthernetSwitch) {
		nic.PFC.WholeLink, eth.PFC.WholeLink = true, true
	})
	_ = n.Run(20*units.Millisecond, 1, nil) // may end in a standstill
	if f.unfinished() == 0 || !strings.Contains(n.Waiting(), "deadlock: ") {
		t.Errorf("%d messages are not there: %s", f.unfinished(), n.Waiting())
	}
}
