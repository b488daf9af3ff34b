package network_test

import (
	"context"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

func TestMessagesWithinAPartitionArriveAndOthersAreBarred(t *testing.T) {
	const flows = "flows: [{src: 0, dst: 1, bytes: 64KiB}, {src: 1, dst: 2, bytes: 64KiB}, {src: 3, dst: 2, bytes: 64KiB}, {src: 1, dst: 3, bytes: 1KiB}]"
	for _, c := range []struct {
		service, more string
		trap          int
		port          string
	}{
		{"rc", "", 259, "switch port 3"},
		{"rc", ", partition-enforcement: off", 257, "node2/nic0 port 1"},
		{"uc", ", partition-enforcement: out", 259, "switch port 3"},
		{"rc", ", partition-enforcement: in", 257, "node2/nic0 port 1"},
		{"rc", "}\n    inspection: {latency: 1us", 259, "switch port 3"}, // a box is no end: the switch looks behind it
	} {
		p := runtest.Point(t, simtest.Tenants("{pattern: flows, transport: "+c.service+", "+flows+"}", c.more))
		if p.Flows.N != 2 || p.Counts.MessagesBarred != 2 || p.Counts.DroppedPKey == 0 || p.Counts.MessagesLost != 0 {
			t.Errorf("%s%s: %d messages arrive and %d are barred, %d packets discarded; want 2, 2 and some", c.service, c.more, p.Flows.N, p.Counts.MessagesBarred, p.Counts.DroppedPKey)
		}
		sum := int64(0)
		for _, v := range p.Violations {
			sum += v.Packets
		}
		if len(p.Violations) != 2 || sum != p.Counts.DroppedPKey {
			t.Fatalf("%s%s: violations %+v of %d packets in all", c.service, c.more, p.Violations, p.Counts.DroppedPKey)
		}
		if v := p.Violations[0]; v.Trap != c.trap || v.Port != c.port || v.PKey != 0x7fff || v.From != "node1/nic0" {
			t.Errorf("%s%s: %+v; want trap %d at %s", c.service, c.more, v, c.trap, c.port)
		}
	}
}

// The port of the Subnet Manager is a full member of the default partition, and all other
// ports are limited members: both tenants talk to it.
func TestTheManagersPortIsInEveryonesReach(t *testing.T) {
	p := runtest.Point(t, simtest.Tenants("{pattern: flows, flows: [{src: 0, dst: 3, bytes: 64KiB}]}", ""))
	if p.Flows.N != 1 || len(p.Violations) != 0 {
		t.Errorf("from the manager's port %d of 1 messages arrive, violations %+v", p.Flows.N, p.Violations)
	}
}

func TestACollectiveAcrossPartitionsIsRefusedWithTheReason(t *testing.T) {
	_, err := sim.Run(context.Background(), simtest.Resolve(t, simtest.Tenants("{collective: all-reduce, sizes: [1MiB]}", "")), sim.Options{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "share no partition") {
		t.Errorf("an all-reduce across partitions: %v", err)
	}
}

// A partition of all hosts changes no time.
func TestOnePartitionForAllCostsNothing(t *testing.T) {
	const flows = "{pattern: permutation, sizes: [256KiB]}"
	with := strings.Replace(simtest.Tenants(flows, ""), "[{name: a, key: 1, full: \"node[0-1]\"}, {name: b, key: 2, full: \"node[2-3]\"}]", "[{name: a, key: 1, full: all}]", 1)
	without := simtest.TwoHosts("infiniband-ndr", flows)
	without = strings.Replace(without, "nodes: 2", "nodes: 4", 1)
	if a, b := runtest.Point(t, with), runtest.Point(t, without); a.Time != b.Time || a.Counts.Packets != b.Counts.Packets {
		t.Errorf("with a partition for all %v and %d packets, without %v and %d", a.Time, a.Counts.Packets, b.Time, b.Counts.Packets)
	}
}
