package pattern_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/units"
)

// messages is a list of flows from NIC 0 to NIC 1, all at once.
func messages(n int, bytes string) string {
	return "[" + strings.Repeat("{src: 0, dst: 1, bytes: "+bytes+"}, ", n) + "]"
}

// The parts of the path between twoHosts, in picoseconds, written out once more:
// a byte at 400 Gb/s, two cables of 5 m with their forward error correction,
// the switch, the NIC's pipeline before the transport.
const byteAt400G = 20

type way struct {
	name, preset                string
	cable, tail, pipeline       units.Time
	write, send, read, response int // bytes around a payload, WRITE with immediate data first
	ack                         int // bytes of an acknowledgement
	control                     int // bytes of link control before a packet on a busy wire
}

var ways = []way{
	{
		"InfiniBand", "infiniband-ndr", 2 * (25_250 + 31_300), 150_000, 150_000,
		8 + 12 + 16 + 4 + 6, 8 + 12 + 4 + 6, 8 + 12 + 16 + 6, 8 + 12 + 4 + 6, 8 + 12 + 4 + 6, 6,
	},
	{
		"RoCE v2", "roce-v2-400g", 2 * (25_250 + 62_600), 500_000, 150_000,
		82 + 16 + 4, 82 + 4, 82 + 16, 82 + 4, 82 + 4, 0,
	},
}

// takes is the time of a packet of some bytes to the other NIC's transport.
func (w *way) takes(bytes int) units.Time {
	return units.Time(bytes)*byteAt400G + w.cable + w.tail + w.pipeline
}

// The host's way with GPUDirect RDMA and a fifth generation of PCIe: post 100 ns, doorbell,
// read and answer 150 ns each, transmit pipeline 150 ns; the write to memory
// 150 ns, poll 100 ns. A message of time 0 is posted at 1 ps.
const (
	hostSend    = 1 + 100_000 + 3*150_000 + 150_000
	hostReceive = 150_000 + 100_000
	readSend    = 1 + 100_000 + 150_000 + 150_000
	readReceive = 2*150_000 + 150_000 + hostReceive // the remote NIC's part comes after
)

// TestEachVerbTakesItsHeaders times one packet of each service and operation.
func TestEachVerbTakesItsHeaders(t *testing.T) {
	for _, w := range ways {
		for _, c := range []struct {
			verbs string
			want  units.Time
		}{
			{"transport: rc, operation: write", hostSend + w.takes(4096+w.write) + hostReceive},
			{"transport: rc, operation: send", hostSend + w.takes(4096+w.send) + hostReceive},
			{"transport: uc, operation: write", hostSend + w.takes(4096+w.write) + hostReceive},
			{"transport: uc, operation: send", hostSend + w.takes(4096+w.send) + hostReceive},
			{"transport: ud", hostSend + w.takes(4096+w.send+8) + hostReceive}, // DETH
			{"transport: rc, operation: read", readSend + w.takes(w.read) + w.takes(4096+w.response) + readReceive},
		} {
			got := runtest.Point(t, simtest.TwoHosts(w.preset, "{pattern: flows, flows: "+messages(1, "4KiB")+", "+c.verbs+"}"))
			if got.Time != c.want {
				t.Errorf("%s, %s: %v, want %v", w.name, c.verbs, got.Time.Exact(), c.want.Exact())
			}
		}
	}
}

// TestReadsInFlightBoundTheirBandwidth reads 64 packets with 1, 2, 4 and 8 READs
// outstanding. If they do not fill the wire, each READ that ends lets the next begin,
// so each takes one round trip. The first round is spread by the serialisation of the
// responses; before each response InfiniBand returns the credits of a request.
func TestReadsInFlightBoundTheirBandwidth(t *testing.T) {
	for _, w := range ways {
		for _, inFlight := range []int{1, 2, 4, 8} {
			const reads = 64
			trip := w.takes(w.read) + w.takes(4096+w.response)
			response := units.Time(4096+w.response+w.control) * byteAt400G
			want := readSend + units.Time(reads/inFlight)*trip + units.Time(inFlight-1)*response + readReceive
			fabric := fmt.Sprintf("{preset: %s, nic: {model: connectx-7, reads-in-flight: %d}}", w.preset, inFlight)
			got := runtest.Point(t, simtest.TwoHosts(fabric, "{pattern: flows, operation: read, flows: "+messages(reads, "4KiB")+"}"))
			if got.Time != want {
				t.Errorf("%s, %d in flight: %v, want %v", w.name, inFlight, got.Time.Exact(), want.Exact())
			}
		}
	}
}

// TestReceiverNotReadyMakesTheSenderWait sends two messages to a queue pair with
// one receive. The second is refused, and comes again after the RNR timer.
func TestReceiverNotReadyMakesTheSenderWait(t *testing.T) {
	for _, w := range ways {
		for _, c := range []struct {
			timer string
			wait  units.Time
		}{{"10us", 10 * units.Microsecond}, {"41us", 60 * units.Microsecond}} { // the next that a NAK can say
			sent := w.takes(4096 + w.send)
			before := units.Time(4096+w.send) * byteAt400G // the first message on the wire
			want := hostSend + before + sent + w.takes(w.ack) + c.wait + sent + hostReceive
			fabric := fmt.Sprintf("{preset: %s, transport: {rnr-timer: %s}}", w.preset, c.timer)
			got := runtest.Point(t, simtest.TwoHosts(fabric, "{pattern: flows, operation: send, receive-queue: 1, repost: 5us, flows: "+messages(2, "4KiB")+"}"))
			if got.Time != want || got.Counts.RNRNAKs != 1 {
				t.Errorf("%s, timer of %s: %v and %d RNR NAKs, want %v and 1", w.name, c.timer, got.Time.Exact(), got.Counts.RNRNAKs, want.Exact())
			}
		}
	}
}

// TestReceiverNeverReadyEndsTheQueuePair allows no wait for a receive.
func TestReceiverNeverReadyEndsTheQueuePair(t *testing.T) {
	r := simtest.Resolve(t, simtest.TwoHosts("{preset: infiniband-ndr, transport: {rnr-retry: 2}}",
		"{pattern: flows, operation: send, receive-queue: 1, repost: 1s, flows: "+messages(2, "4KiB")+"}"))
	_, err := sim.Run(context.Background(), r, sim.Options{})
	if err == nil || !strings.Contains(err.Error(), "RNR_RETRY_EXC_ERR") {
		t.Errorf("got %v, want RNR_RETRY_EXC_ERR", err)
	}
}

// TestDatagramsWithoutReceiveAreLost sends ten datagrams to two receives that
// do not come back.
func TestDatagramsWithoutReceiveAreLost(t *testing.T) {
	for _, w := range ways {
		got := runtest.Point(t, simtest.TwoHosts(w.preset, "{pattern: flows, transport: ud, receive-queue: 2, repost: 1s, flows: "+messages(10, "1KiB")+"}"))
		if c := got.Counts; got.Flows.N != 2 || c.MessagesLost != 8 || c.DroppedNoReceive != 8 || c.Drops() != 0 {
			t.Errorf("%s: %d arrived, %d lost, %d without receive, %d dropped; want 2, 8, 8, 0", w.name, got.Flows.N, c.MessagesLost, c.DroppedNoReceive, c.Drops())
		}
	}
}

// TestUnreliableMessagesAreLostWhereTheFabricDrops sends to one NIC from seven at once,
// and from one of the seven later when the switch is empty again: over a switch that
// drops, and over lossless switches.
func TestUnreliableMessagesAreLostWhereTheFabricDrops(t *testing.T) {
	const lossy = "{preset: roce-v2-400g, cc: none, switch: {buffer: 1MiB}, ethernet: {ecn: {enabled: false}, pfc: {enabled: false}}}"
	for _, c := range []struct {
		fabric, verbs, bytes string
		loses                bool
	}{
		{lossy, "transport: uc, operation: write", "1MiB", true},
		{lossy, "transport: uc, operation: send", "1MiB", true},
		{"roce-v2-400g", "transport: uc, operation: write", "1MiB", false},
		{"infiniband-ndr", "transport: uc, operation: send", "1MiB", false},
		{"infiniband-ndr", "transport: ud", "4KiB", false},
	} {
		flows := "{src: 0, dst: 7, start: 1ms, bytes: " + c.bytes + "}"
		for src := range 7 {
			flows += fmt.Sprintf(", {src: %d, dst: 7, bytes: %s}", src, c.bytes)
		}
		got := runtest.Point(t, `
cluster: {nodes: 1, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [`+c.fabric+`]
workload: {pattern: flows, `+c.verbs+`, flows: [`+flows+`]}`)
		n := got.Counts
		if got.Flows.N < 1 || got.Flows.N+n.MessagesLost != 8 || n.MessagesLost > 0 != c.loses || n.Drops() > 0 != c.loses || n.Retransmissions != 0 {
			t.Errorf("%s, %s: %d of 8 arrived, %d lost, %d packets dropped", c.fabric, c.verbs, got.Flows.N, n.MessagesLost, n.Drops())
		}
		if n.DroppedOutOfTurn > 0 != c.loses {
			t.Errorf("%s, %s: %d packets of torn messages were refused", c.fabric, c.verbs, n.DroppedOutOfTurn)
		}
	}
}

// TestFlowsMayBeListedInAnyOrder posts the later message first in the list.
func TestFlowsMayBeListedInAnyOrder(t *testing.T) {
	got := runtest.Point(t, simtest.TwoHosts("infiniband-ndr", "{pattern: flows, flows: [{src: 0, dst: 1, bytes: 4KiB, start: 1ms}, {src: 0, dst: 1, bytes: 4KiB}]}"))
	if got.Flows.Max > 10*units.Microsecond {
		t.Errorf("a message of time 0 waited for a later message: it took %v", got.Flows.Max)
	}
}
