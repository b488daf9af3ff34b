package streams_test

import (
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/fabric"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// besideAllReduce runs an all-reduce of two nodes with streams between some of
// their NICs, as fabric says.
func besideAllReduce(t *testing.T, fabric string) results.Point {
	t.Helper()
	return beside(t, fabric, "sizes: [16MiB]")
}

// beside runs an all-reduce as workload says.
func beside(t *testing.T, fabric, workload string) results.Point {
	t.Helper()
	text := "cluster: {nodes: 2, node: dgx-h100}\ntopology: {shape: single-switch}\nfabrics: [" + fabric + "]\nworkload: {collective: all-reduce, " + workload + "}\n"
	file, err := scenario.Decode("beside", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	out, err := sim.Run(t.Context(), r, sim.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return out.Fabrics[0].Points[0]
}

func TestAStreamTakesItsShareUntilTheCollectiveEnds(t *testing.T) {
	for _, preset := range []string{"roce-v2-400g", "infiniband-ndr"} {
		alone := besideAllReduce(t, "{preset: "+preset+"}")
		if alone.Beside != nil {
			t.Errorf("%s: %d streams beside a collective that is alone", preset, len(alone.Beside))
		}
		for _, op := range []string{"write", "read", "nvme-read", "nvme-write"} {
			got := besideAllReduce(t, "{preset: "+preset+", beside: ["+
				"{src: 0, dst: 8, bytes: 256KiB, depth: 4, operation: "+op+", class: 3}, {src: 8, dst: 0, bytes: 256KiB, depth: 4, operation: "+op+", class: 3}]}")
			s := got.Beside[0]
			if got.Time <= alone.Time {
				t.Errorf("%s, %s: %v with the streams and %v without: want more", preset, op, got.Time, alone.Time)
			}
			if s.GBps <= 1 || s.GBps > 50 {
				t.Errorf("%s, %s: %.1f GB/s: want more than 1 and no more than the link's 50", preset, op, s.GBps)
			}
			// Four are under way all the time: Little's law.
			if inside := s.GBps * 1e9 * float64(s.MeanPs) / 1e12 / (256 << 10); inside < 3 || inside > 4 {
				t.Errorf("%s, %s: %.2f messages under way on the average, want close to 4", preset, op, inside)
			}
		}
	}
}

// A stream in a lossy priority of its own loses packets, and the training loses none. Lost
// packets are sent again, and all messages end.
func TestAStreamHasItsOwnClass(t *testing.T) {
	got := besideAllReduce(t, `{preset: roce-v2-400g, cc: none, ethernet: {ecn: {enabled: false}, egress-alpha: 1/4096, pfc: {xoff: 64KiB}}, transport: {timeout: 200us}, beside: [{src: 0, dst: 8, bytes: 1MiB, depth: 4, class: 0}, {src: 1, dst: 8, bytes: 1MiB, depth: 4, class: 0}]}`)
	c := got.Counts
	if c.DroppedBuffer == 0 || c.DroppedHeadroom != 0 || c.Retransmissions == 0 {
		t.Errorf("%d packets dropped in the lossy class, %d in the lossless one, %d sent again: want some, none, some", c.DroppedBuffer, c.DroppedHeadroom, c.Retransmissions)
	}
}

// An NVMe-oF command takes two more messages one after the other than its data alone:
// the command before them, the response behind them. The collective uses another NIC.
func TestANVMeCommandIsItsDataAndTwoCapsules(t *testing.T) {
	const pair = "{preset: roce-v2-400g, name: x, beside: [{src: 3, dst: 11, bytes: 64KiB, operation: %s, class: 3}]}"
	mean := map[string]int64{}
	for _, op := range []string{"write", "read", "nvme-read", "nvme-write"} {
		got := beside(t, strings.Replace(pair, "%s", op, 1), "algorithm: ring, channels: 1, sizes: [1MiB]")
		if s := got.Beside[0]; s.Operation != op || s.Messages < 10 {
			t.Fatalf("%s: %d messages of %s", op, s.Messages, s.Operation)
		}
		mean[op] = got.Beside[0].MeanPs
	}
	if mean["nvme-read"] <= mean["write"] || mean["nvme-write"] <= mean["read"] || mean["nvme-write"] <= mean["nvme-read"] {
		t.Errorf("mean times in ps: %v; want a command to take longer than its data, and a write, whose data are fetched first, longer than a read", mean)
	}
}

// A link's load is attributed to its sources. Storage reads between NICs of rail 0 alone: the
// collective's own links carry none of it, and the other links carry the stream's throughput.
func TestALinksLoadIsAttributedToItsSources(t *testing.T) {
	for _, fabric := range []string{"preset: infiniband-ndr, routing: {mode: adaptive}", "preset: roce-v2-400g"} {
		got := besideAllReduce(t, "{"+fabric+", beside: [{name: storage, src: 0, dst: 8, bytes: 1MiB, depth: 4, operation: read}, {name: log, src: 3, dst: 11, bytes: 64KiB}]}")
		carried := 0
		for _, h := range got.Hottest {
			sum, of := int64(0), map[string]int64{}
			for _, s := range h.Sources {
				sum += s.Bytes
				of[s.Name] = s.Bytes
			}
			if sum != h.Bytes || h.Sources[0].Name != "all-reduce" {
				t.Errorf("%s: %v of %d bytes on %s: want all of them, all-reduce first", fabric, h.Sources, h.Bytes, h.Name)
			}
			// Data of the reads leave node 1's NIC 0 and arrive at node 0's.
			if strings.Contains(h.Name, "node1/nic0 port 1 to") || strings.HasSuffix(h.Name, "to node0/nic0") {
				carried++
				payload := got.Beside[0].Messages << 20
				if x := of["storage"]; x < payload || x > payload*11/10+8<<20 {
					t.Errorf("%s: %d bytes of storage on %s, want at least its %d bytes of payload, and little more", fabric, x, h.Name, payload)
				}
				if of["log"] != 0 {
					t.Errorf("%s: %d bytes of the log on %s, which it does not use", fabric, of["log"], h.Name)
				}
			}
		}
		if carried == 0 {
			t.Errorf("%s: no link of the storage is among the busiest", fabric)
		}
	}
}

// TestAStreamOffersItsLoad on a link that has room, by the NIC names that results print.
func TestAStreamOffersItsLoad(t *testing.T) {
	got := besideAllReduce(t, "{preset: infiniband-ndr, beside: [{name: storage, from: \"node0/nic[0-1]\", to: \"node1/nic[0-1]\", bytes: 64KiB, load: 10%, class: 3}]}")
	if len(got.Beside) != 2 {
		t.Fatalf("%d streams, want one from each of two NICs", len(got.Beside))
	}
	for _, s := range got.Beside {
		if want := 0.1 * 50; s.GBps < 0.9*want || s.GBps > 1.05*want { // the first interval is cut by the end
			t.Errorf("%s: %.2f GB/s, want the load of %.1f", s.Name, s.GBps, want)
		}
	}
	// A load beyond the link's rate is posted as fast as messages end: no faster than with that
	// depth.
	most := besideAllReduce(t, "{preset: infiniband-ndr, beside: [{from: node0/nic0, to: node1/nic0, bytes: 256KiB, load: 1, depth: 4, class: 3}]}").Beside[0]
	closed := besideAllReduce(t, "{preset: infiniband-ndr, beside: [{from: node0/nic0, to: node1/nic0, bytes: 256KiB, depth: 4, class: 3}]}").Beside[0]
	if most.GBps > 1.02*closed.GBps || most.GBps < 0.8*closed.GBps {
		t.Errorf("%.1f GB/s of a load of 1, %.1f with as many always under way", most.GBps, closed.GBps)
	}
}

// TestNodesForStorageTakeNoPartInTheCollective: an all-reduce of two of three nodes takes as
// long as on a cluster of two, and reads and writes of the third use the named links.
func TestNodesForStorageTakeNoPartInTheCollective(t *testing.T) {
	run := func(text string) *results.Results {
		file, err := scenario.Decode("storage", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := file.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		out, err := sim.Run(t.Context(), r, sim.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const rest = "topology: {shape: single-switch}\n"
	alone := run("cluster: {nodes: 2, node: dgx-h100}\n" + rest + "fabric: infiniband-ndr\nworkload: {collective: all-reduce, sizes: [4MiB]}\n")
	part := run("cluster: {nodes: 3, node: dgx-h100}\n" + rest + "fabric: infiniband-ndr\nworkload: {collective: all-reduce, nodes: 2, sizes: [4MiB]}\n")
	a, b := alone.Fabrics[0].Points[0], part.Fabrics[0].Points[0]
	if part.Ranks != 16 || part.Nodes != 2 || a.Time != b.Time || a.BusBW != b.BusBW || a.Channels != b.Channels {
		t.Errorf("%d ranks on %d nodes, %v; alone %v", part.Ranks, part.Nodes, b.Time, a.Time)
	}
	with := run("cluster: {nodes: 3, node: dgx-h100}\n" + rest + "fabric: {preset: infiniband-ndr, beside: [{name: storage, from: \"node[0-1]/nic0\", to: node2/nic0, operation: read, bytes: 1MiB, depth: 4}]}\n" +
		"workload: {collective: all-reduce, nodes: 2, sizes: [4MiB]}\n").Fabrics[0].Points[0]
	if with.Time <= b.Time || len(with.Beside) != 2 {
		t.Errorf("%v with reads from storage, %v without; %d streams", with.Time, b.Time, len(with.Beside))
	}
	for _, s := range with.Beside {
		if s.GBps <= 1 || s.GBps > 30 { // both share the link of the storage node
			t.Errorf("%s: %.1f GB/s", s.Name, s.GBps)
		}
	}
}

// Streams end when a connection of the collective fails. Without that, the run lasts until its limit
// of simulated time: 50 ms here, after less than one of the collective.
func TestStreamsEndWithARunThatFails(t *testing.T) {
	for name, load := range map[string]string{"one after another": "", "at a load": ", load: 10%"} {
		r := simtest.Resolve(t, `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabric: {preset: roce-v2-400g, transport: {timeout: 100us, retry: 3}, beside: [{src: 0, dst: 1, bytes: 64KiB`+load+`}]}
workload: {collective: all-gather, sizes: [4MiB]}
faults: [{at: 5us, link: node3/nic0 port 1}]
run: {limit: {simulated-time: 50ms}}`)
		var net *fabric.Network
		_, err := sim.Observe(t.Context(), r, func(n *fabric.Network) { net = n })
		if err == nil || !strings.Contains(err.Error(), "RETRY_EXC_ERR") {
			t.Errorf("%s: %v, want a connection that gives up", name, err)
		}
		if last := net.Partition(0).Now(); last > 10*units.Millisecond {
			t.Errorf("%s: the run ended at %v, want soon after the failure", name, last)
		}
	}
}
