package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/results"
)

// fourHosts is an incast of three hosts on a switch, without congestion control. Host k is at port k+1, and host 3 receives.
const fourHosts = `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabric: {preset: roce-v2-400g, cc: {algorithm: none}, ethernet: {shared: 2MiB, queues: [{priority: 1, schedule: dwrr, weight: 5}, {priority: 2, schedule: dwrr, weight: 5}, {priority: 3, schedule: dwrr, weight: 5}, {priority: 6, schedule: strict}]}%s}
workload: {%s}
`

const incastOfThree = "pattern: incast, fan-in: 3, sizes: [4MiB]"

// countsOf are the counts of a run, also of one whose messages do not all arrive.
func countsOf(t *testing.T, text string) results.Counts {
	t.Helper()
	out, err := sim.Run(t.Context(), resolveIn(t, t.TempDir(), text), sim.Options{})
	if out == nil || len(out.Fabrics) != 1 || len(out.Fabrics[0].Points) != 1 {
		t.Fatalf("no results: %v", err)
	}
	return out.Fabrics[0].Points[0].Counts
}

// ownPorts is the setting of some ports of the only switch.
func ownPorts(ports, set string) string {
	return fmt.Sprintf(", switches: [{names: [switch], ports: [%q], set: [%q]}]", ports, set)
}

// TestAPortWithSettingsOfItsOwnHasThem: marks are made where packets leave; pauses, headroom and the MTU count where they come
// in, and a port without traffic in that direction changes nothing.
func TestAPortWithSettingsOfItsOwnHasThem(t *testing.T) {
	usual := countsOf(t, fmt.Sprintf(fourHosts, "", incastOfThree))
	if usual.Drops() != 0 || usual.Pauses == 0 {
		t.Fatalf("with all ports alike: %v", usual)
	}
	for _, c := range []struct {
		ports, set string
		differs    func(c results.Counts) bool
	}{
		{"4", "ethernet.ecn.kmin=1KB", func(c results.Counts) bool { return c.Marks > usual.Marks }},
		{"[1-3]", "ethernet.ecn.kmin=1KB", func(c results.Counts) bool { return c == usual }},
		{"[1-3]", "ethernet.pfc.priorities=[]", func(c results.Counts) bool { return c.Pauses == 0 && c.DroppedBuffer > 0 }},
		{"3", "ethernet.pfc.enabled=false", func(c results.Counts) bool { return c.Pauses > 0 && c.DroppedBuffer > 0 }},
		{"3", "ethernet.pfc.headroom=0B", func(c results.Counts) bool { return c.DroppedHeadroom > 0 }},
		{"4", "ethernet.pfc.headroom=0B", func(c results.Counts) bool { return c.DroppedHeadroom == 0 }},
		{"2", "ethernet.pfc.alpha=1/64", func(c results.Counts) bool { return c.Drops() == 0 && c.Pauses > usual.Pauses }},
		{"1", "switch.mtu=1500B", func(c results.Counts) bool { return c.DroppedMTU > 0 }},
		{"4", "switch.mtu=1500B", func(c results.Counts) bool { return c == usual }},
	} {
		if got := countsOf(t, fmt.Sprintf(fourHosts, ownPorts(c.ports, c.set), incastOfThree)); !c.differs(got) {
			t.Errorf("%s at port %s: %v\nwith all ports alike: %v", c.set, c.ports, got, usual)
		}
	}
}

// TestTheBoundOfAnEgressQueueIsItsPorts: without PFC, a lower bound at the receiver's port drops more, and at a sender's nothing.
func TestTheBoundOfAnEgressQueueIsItsPorts(t *testing.T) {
	lossy := func(own string) int64 {
		text := strings.Replace(fourHosts, "shared: 2MiB,", "shared: 2MiB, egress-alpha: 4, pfc: {enabled: false, alpha: 8},", 1)
		return countsOf(t, fmt.Sprintf(text, own, incastOfThree)).DroppedBuffer
	}
	usual := lossy("")
	if low, other := lossy(ownPorts("4", "ethernet.egress-alpha=1/16")), lossy(ownPorts("[1-3]", "ethernet.egress-alpha=1/16")); low <= usual || other != usual {
		t.Errorf("%d packets are dropped with all ports alike, %d with a low bound at the receiver's port, %d at the senders'", usual, low, other)
	}
}

// TestThePortsOwnQueuesShareIt: with a weight of 1 to 9 at the receiver's port the messages of the first class end later than with
// 9 to 1, and the queues of another port change nothing.
func TestThePortsOwnQueuesShareIt(t *testing.T) {
	flows := "pattern: flows, flows: [{src: 1, dst: 0, bytes: 4MiB, priority: 1}, {src: 2, dst: 0, bytes: 4MiB, priority: 2}]"
	first := func(own string) int64 {
		p := run(t, resolveIn(t, t.TempDir(), fmt.Sprintf(fourHosts, own, flows))).Fabrics[0].Points[0]
		for _, l := range p.Levels {
			if l.SL == 1 {
				return int64(l.Flows.Max)
			}
		}
		t.Fatal("no messages of service level 1")
		return 0
	}
	weights := func(a, b int) string {
		return fmt.Sprintf("ethernet.queues=[{priority: 1, schedule: dwrr, weight: %d}, {priority: 2, schedule: dwrr, weight: %d}, {priority: 3, schedule: dwrr, weight: 5}, {priority: 6, schedule: strict}]", a, b)
	}
	usual, slow, quick := first(""), first(ownPorts("1", weights(1, 9))), first(ownPorts("1", weights(9, 1)))
	if slow <= quick {
		t.Errorf("the messages take %d with a weight of 1 of 10, and %d with 9", slow, quick)
	}
	if other := first(ownPorts("4", weights(9, 1))); other != usual {
		t.Errorf("the queues of a port without this traffic change the time from %d to %d", usual, other)
	}
}

// TestAPortWithoutPFCObeysNoPause: hosts of both switches send to one of the second. The second pauses the first, whose port
// sends on, and packets are lost in the second one's headroom.
func TestAPortWithoutPFCObeysNoPause(t *testing.T) {
	text := `
cluster: {nodes: 6, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: listed, radix: 8, links: [{ends: [0, 6], length: 5m}, {ends: [1, 6], length: 5m}, {ends: [2, 6], length: 5m}, {ends: [3, 7], length: 5m}, {ends: [4, 7], length: 5m}, {ends: [5, 7], length: 5m}, {ends: [6, 7], length: 5m}]}
fabric: {preset: roce-v2-400g, cc: {algorithm: none}, ethernet: {shared: 2MiB}%s}
workload: {pattern: incast, fan-in: 5, sizes: [4MiB]}
`
	usual := countsOf(t, fmt.Sprintf(text, ""))
	deaf := countsOf(t, fmt.Sprintf(text, ", switches: [{names: [switch6], ports: [4], set: ['ethernet.pfc.priorities=[]']}]"))
	if usual.Drops() != 0 || deaf.DroppedHeadroom == 0 {
		t.Errorf("with PFC at both ends: %v\nwith PFC at one: %v", usual, deaf)
	}
}

// TestAPortThatIsNotThereIsRefused: of a switch of 32 ports.
func TestAPortThatIsNotThereIsRefused(t *testing.T) {
	_, err := sim.Run(t.Context(), resolveIn(t, t.TempDir(), fmt.Sprintf(fourHosts, ownPorts("999", "ethernet.pfc.enabled=false"), incastOfThree)), sim.Options{})
	if err == nil || !strings.Contains(err.Error(), " has no port 999: it has ") {
		t.Errorf("a port that the switch lacks: %v", err)
	}
}

// TestAClassHasItsOwnPartOfTheBuffer: without headroom for the data's class packets are dropped; headroom of another class, or at another
// port, changes nothing. A reserve of its own is as good as a larger pool: fewer pauses.
func TestAClassHasItsOwnPartOfTheBuffer(t *testing.T) {
	const lossless = "ethernet.pfc.priorities=[3, 1]"
	usual := countsOf(t, fmt.Sprintf(fourHosts, ownPorts("3", lossless), incastOfThree))
	if usual.Drops() != 0 || usual.Pauses == 0 {
		t.Fatalf("with classes alike: %v", usual)
	}
	for _, c := range []struct {
		classes string
		differs func(c results.Counts) bool
	}{
		{"[{priority: 3, headroom: 0B}]", func(c results.Counts) bool { return c.DroppedHeadroom > 0 }},
		{"[{priority: 1, headroom: 0B}]", func(c results.Counts) bool { return c.DroppedHeadroom == 0 }},
		{"[{priority: 3, headroom: 200KB, alpha: 1/256}]", func(c results.Counts) bool { return c.Drops() == 0 && c.Pauses > usual.Pauses }},
		{"[{priority: 3, headroom: 200KB, reserve: 8MiB}]", func(c results.Counts) bool { return c.Pauses < usual.Pauses }},
		{"[{priority: 3, headroom: 200KB, xon: 1MiB}]", func(c results.Counts) bool { return c.Drops() == 0 && c.Pauses > usual.Pauses }},
	} {
		set := strings.Replace(ownPorts("3", lossless), `"]`+"}", `", "ethernet.pfc.classes=`+c.classes+`"]}`, 1)
		if got := countsOf(t, fmt.Sprintf(fourHosts, set, incastOfThree)); !c.differs(got) {
			t.Errorf("%s: %v\nwith classes alike: %v", c.classes, got, usual)
		}
	}
}
