package network_test

import (
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/units"
)

// A WRITE of 4096 bytes is a packet of 4096 + 12 (BTH) + 16 (RETH) + 4 (immediate data) +
// 4 (ICRC) + 8 (UDP) + 20 (IPv4) bytes of IP.
func TestASwitchDropsPacketsLongerThanItsMTU(t *testing.T) {
	p := runtest.Points(t, `cluster: {nodes: 2}
topology: {shape: single-switch}
fabrics:
  - {preset: roce-v2-400g, name: fits, switch: {mtu: 4160B}}
  - {preset: roce-v2-400g, name: too long, switch: {mtu: 4159B}}
workload: {pattern: flows, flows: [{src: 0, dst: 8, bytes: 4096B}]}
`)
	if p[0].Failure != "" || p[0].Counts.Drops() != 0 {
		t.Errorf("an MTU that fits: %s, %d drops", p[0].Failure, p[0].Counts.Drops())
	}
	if p[1].Failure == "" || p[1].Counts.DroppedMTU == 0 || p[1].Counts.Drops() != p[1].Counts.DroppedMTU {
		t.Errorf("an MTU of a byte less: failure %q, %d dropped for it, of %d", p[1].Failure, p[1].Counts.DroppedMTU, p[1].Counts.Drops())
	}
}

// Two messages of the same length share a port by the weights of their priorities:
// with 3 to 1, the heavier is done when the lighter has a third of its bytes.
func TestMessagesOfPrioritiesShareAPortByWeight(t *testing.T) {
	p := runtest.Points(t, `cluster: {nodes: 2}
topology: {shape: single-switch}
fabrics:
  - preset: roce-v2-400g
    cc: none
    ethernet:
      queues: [{priority: 3, schedule: dwrr, weight: 3}, {priority: 4, schedule: dwrr, weight: 1}, {priority: 6, schedule: strict}]
      pfc: {priorities: [3, 4]}
workload: {pattern: flows, flows: [{src: 0, dst: 8, bytes: 12MiB}, {src: 1, dst: 8, bytes: 12MiB, priority: 4}]}
`)[0]
	if p.Failure != "" || len(p.Levels) != 2 || p.Levels[0].SL != 3 || p.Levels[1].SL != 4 {
		t.Fatalf("failure %q, levels %+v", p.Failure, p.Levels)
	}
	heavy, light := p.Levels[0].Flows.Max, p.Levels[1].Flows.Max
	if ratio := heavy.Seconds() / light.Seconds(); ratio < 0.65 || ratio > 0.69 {
		t.Errorf("the heavier message took %v and the lighter %v: want 4/3 to 2", heavy, light)
	}
}

// A notification is a packet of the least size: alone it takes the time of the cables and
// of the switch, without a queue.
func TestNotificationsTakeTheirTime(t *testing.T) {
	p := runtest.Points(t, `cluster: {nodes: 2}
topology: {shape: single-switch, cables: {node-leaf: 100m}}
fabrics: [{preset: roce-v2-400g, cc: dcqcn-paper, ethernet: {ecn: {kmin: 10KB, kmax: 20KB, pmax: 1}}}]
workload: {pattern: incast, fan-in: 4, sizes: [1MiB]}
`)[0]
	c := p.Counts
	if c.CNPs == 0 || c.CNPsTaken != c.CNPs {
		t.Fatalf("%d notifications sent, %d arrived", c.CNPs, c.CNPsTaken)
	}
	least := 2 * 505 * units.Nanosecond // two cables
	if mean := units.Time(c.CNPDelay / c.CNPsTaken); mean < least || mean > 3*least {
		t.Errorf("a notification takes %v, want between %v and three times that", mean, least)
	}
}

// Packets that arrive after a NIC's pause fit its room, or are dropped at the NIC.
func TestANICKeepsRoomForPacketsAfterItsPause(t *testing.T) {
	p := runtest.Points(t, `cluster: {nodes: 2}
topology: {shape: single-switch, cables: {node-leaf: 300m}}
fabrics:
  - {preset: roce-v2-400g, name: enough, cc: none, ethernet: {pfc: {receivers: [{nic: 8, drain: 40Gbps, buffer: 400KiB, headroom: 300KiB}]}}}
  - {preset: roce-v2-400g, name: too little, cc: none, ethernet: {pfc: {receivers: [{nic: 8, drain: 40Gbps, buffer: 130KiB, headroom: 30KiB}]}}}
workload: {pattern: flows, flows: [{src: 0, dst: 8, bytes: 4MiB}]}
`)
	if p[0].Counts.Drops() != 0 || p[0].Counts.Pauses == 0 {
		t.Errorf("enough room: %d drops, %d pauses", p[0].Counts.Drops(), p[0].Counts.Pauses)
	}
	if p[1].Counts.DroppedReceiver == 0 {
		t.Errorf("too little room: nothing is dropped at the NIC: %+v", p[1].Counts)
	}
}

// TestANetworkWithoutDelaysRuns has cables, switches and NICs that take only the time of
// the bytes: an event is still later than its cause.
func TestANetworkWithoutDelaysRuns(t *testing.T) {
	const none = "link: {per-metre: 1ps, fec-latency: 0}, switch: {latency: 0}, nic: {tx-pipeline: 0, rx-pipeline: 0, ack-pipeline: 0, packet-gap: 0}, host: {post: 0, poll: 0}"
	results := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1, pcie: {latency: 0}}}
topology: {shape: fat-tree, levels: 2, radix: 4, cables: {node-leaf: 1mm, leaf-spine: 1mm}}
fabrics: [{preset: infiniband-ndr, `+none+`}, {preset: roce-v2-400g, `+none+`}]
workload: {pattern: incast, fan-in: 3, sizes: [4KiB]}`), 1)
	for i, bytes := range []units.Time{8 + 12 + 16 + 4 + 4096 + 4 + 2, 8 + 14 + 20 + 8 + 12 + 16 + 4 + 4096 + 4 + 4 + 12} {
		// Three packets cross the receiver's wire one after the other, on InfiniBand with
		// a credit update of 6 bytes before each of the last two at the most; a cable
		// takes a picosecond.
		if p, want := &results.Fabrics[i].Points[0], 3*bytes*20; p.Time < want || p.Time > want+2*6*20+20*units.Picosecond {
			t.Errorf("%s: %d ps, want %d and a few", results.Fabrics[i].Name, p.Time, want)
		}
	}
}

// A scale-up network without latency is as fast as with the least latency that the network can have, 2 ps.
func TestAScaleUpNetworkWithoutLatencyMovesPackets(t *testing.T) {
	var times [2]units.Time
	for i, latency := range []string{"0", "2ps"} {
		p := runtest.Points(t, `cluster: {nodes: 1, node: {preset: dgx-h100, scale-up: {generation: nvlink-4, latency: `+latency+`}}}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, sizes: [64KiB]}
`)[0]
		if p.Failure != "" {
			t.Fatalf("latency %s: %s", latency, p.Failure)
		}
		times[i] = p.Time
	}
	if times[0] != times[1] {
		t.Errorf("%v without latency, %v with 2 ps", times[0], times[1])
	}
}

// Packets of two lanes of an input may want the same lane of an output, where the Subnet Manager's
// engine changes lanes along a path. With FIFO inputs each has its turn.
func TestFIFOInputsServeEveryLane(t *testing.T) {
	p := runtest.Point(t, `
cluster: {nodes: 18, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: dragonfly, hosts-per-leaf: 2, switches-per-group: 3, global-links: 2, groups: 6}
fabric: {preset: infiniband-ndr, routing: {mode: deterministic}, ib: {queueing: fifo}}
workload: {pattern: incast, fan-in: 10, receivers: 3, sizes: [400KiB]}
run: {seed: 15}`)
	if p.Counts.Drops() > 0 {
		t.Errorf("%d packets were dropped, want none", p.Counts.Drops())
	}
}

// A NIC that takes packets in slowly has a buffer on a fabric without pauses, too: the headroom of
// such a fabric is 0.
func TestASlowNICHasABufferWithoutPauses(t *testing.T) {
	for _, preset := range []string{"ultra-ethernet-400g", "efa-200g", "tcp-400g", "iwarp-400g"} {
		for _, slow := range []string{"receive-rate: 90Gbps", "contexts: 16"} {
			if slow == "contexts: 16" && (preset == "tcp-400g" || preset == "iwarp-400g") {
				continue // sockets have no contexts
			}
			p := runtest.Point(t, `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabric: {preset: `+preset+`, nic: {`+slow+`}}
workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: 100KiB}]}`)
			if p.Counts.DroppedReceiver > 0 {
				t.Errorf("%s, %s: %d packets of a message of 100 KiB found no room, want none", preset, slow, p.Counts.DroppedReceiver)
			}
		}
	}
}
