package executor

import (
	"fmt"
	"testing"

	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/internal/test/simtest"
	"weft/units"
)

const us = units.Microsecond

// simpleTurn is a thread block with 2 us for each turn, 1 GB/s to a peer and 2 GB/s to its own memory.
var simpleTurn = nccl.Turn{Fixed: 2 * us, SendGBps: 1, CopyGBps: 2}

func kernelWith(t nccl.Turn, a collective.Algo) kernel {
	return kernelOf(&nccl.Overheads{Turn: t}, a, 4)
}

// A thread block is a server: of two messages that are ready at one time, the second waits for the
// first. The time of a turn occupies it.
func TestAThreadBlockTakesOneTurnAfterAnother(t *testing.T) {
	k := kernelWith(simpleTurn, collective.Ring)
	var free units.Time
	for i, c := range []struct {
		ready, start, end units.Time
		to                destination
	}{
		{10 * us, 10 * us, 16 * us, toPeer}, // 2 us and 4000 bytes at 1 GB/s
		{10 * us, 16 * us, 22 * us, toPeer},
		{10 * us, 22 * us, 26 * us, toSelf}, // at 2 GB/s
		{10 * us, 26 * us, 30 * us, toNIC},  // into its own memory, for the NIC
		{50 * us, 50 * us, 56 * us, toPeer}, // it was idle
	} {
		if start, end := k.follow(&free, c.ready, c.ready, 4000, c.to); start != c.start || end != c.end {
			t.Errorf("turn %d lasts from %v to %v, want %v to %v", i, start, end, c.start, c.end)
		}
	}
	if start, end := k.begin(&free, 0, 4000, toPeer); start != 56*us || end != 62*us {
		t.Errorf("a turn without a message lasts from %v to %v, want 56 us to 62 us", start, end)
	}
}

// A turn of LL with more data than one trip of all threads takes whole trips.
func TestATurnTakesWholeTrips(t *testing.T) {
	turn := simpleTurn
	turn.WholeTrips, turn.TripBytes = true, 1000
	k := kernelWith(turn, collective.Ring)
	for _, c := range []struct {
		bytes int64
		want  units.Time
	}{{500, 2500 * units.Nanosecond}, {1000, 3 * us}, {1001, 4 * us}, {2000, 4 * us}, {2500, 5 * us}} {
		if got := k.work(c.bytes, toPeer); got != c.want {
			t.Errorf("%d bytes take %v, want %v", c.bytes, got, c.want)
		}
	}
}

// A block that streams has processed a message when its last line is there, if it was idle; the
// first trip of its threads lasts in proportion to its lines.
func TestAStreamingBlockEndsWithItsMessage(t *testing.T) {
	turn := simpleTurn
	turn.Streams, turn.Trip, turn.TripBytes = true, us, 1000
	k := kernelWith(turn, collective.Ring)
	var free units.Time
	for i, c := range []struct {
		bytes             int64
		ready, start, end units.Time
	}{
		{500, 10 * us, 10 * us, 10*us + us/2},       // idle: half a trip
		{4000, 10 * us, 10*us + us/2, 16*us + us/2}, // busy: 2 us and 4 us
		{4000, 50 * us, 50 * us, 51 * us},           // idle again: one trip
	} {
		start, end := k.follow(&free, c.ready, c.ready, c.bytes, toPeer)
		if end != c.end || start != c.start {
			t.Errorf("turn %d lasts from %v to %v, want %v to %v", i, start, end, c.start, c.end)
		}
	}
}

// The two directions of a tree, and the sends and receives of pairs, have warps of their own.
func TestGroupsOfWarps(t *testing.T) {
	for algo, groups := range map[collective.Algo][4]int{
		collective.Ring: {0, 0, 0, 0}, collective.Tree: {0, 0, 1, 1}, collective.Direct: {0, 1, 2, 2}, collective.NVLS: {0, 1, 2, 2}, collective.NVLSTree: {0, 1, 1, 2},
	} {
		k := kernelWith(simpleTurn, algo)
		for step, group := range groups {
			if got, want := k.server(6, step), 2*kernelGroups+group; got != want { // lane 6 of 4 blocks is on block 2
				t.Errorf("%v: group %d begins step %d, want %d", algo, got, step, want)
			}
		}
	}
}

// TestTwoRacksAreNoFasterThanOne compares an all-reduce on an NVL72 rack with one on two: NVLS-tree
// copies as NVLS does, and crosses the NICs besides.
func TestTwoRacksAreNoFasterThanOne(t *testing.T) {
	at := func(racks int) units.Time {
		return carriedOut(t, simtest.Resolve(t, fmt.Sprintf(`
cluster: {nodes: %d, node: gb200-nvl72}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, sizes: [4MiB]}`, racks))).Time
	}
	if one, two := at(1), at(2); two < one {
		t.Errorf("one rack takes %v, two take %v", one, two)
	}
}

// TestAllToAllHasABlockForEachPairsChannel compares 8 MiB to each of seven GPUs with 8 MiB to one:
// each pair of GPUs has thread blocks of its own, so that the seven go side by side.
func TestAllToAllHasABlockForEachPairsChannel(t *testing.T) {
	at := func(operation, size string) units.Time {
		return carriedOut(t, simtest.Resolve(t, fmt.Sprintf(`
cluster: {nodes: 1, node: dgx-b200}
fabrics: [infiniband-ndr]
workload: {collective: %s, sizes: [%s]}`, operation, size))).Time
	}
	if one, seven := at("send-recv", "8MiB"), at("all-to-all", "64MiB"); float64(seven) > 1.3*float64(one) {
		t.Errorf("8 MiB to each of seven GPUs take %v, to one %v", seven, one)
	}
}

// TestOneChannelHasTheRateOfItsBlock runs a ring on one channel, whose block is not slowed by the
// total rate of a GPU's blocks: 4 MiB are 14 turns of 512 KiB, in two slices each.
func TestOneChannelHasTheRateOfItsBlock(t *testing.T) {
	got := carriedOut(t, simtest.Resolve(t, `
cluster: {nodes: 1, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, algorithm: ring, protocol: simple, channels: 1, sizes: [4MiB]}`)).Time
	const turns = 14 * (2*2.69 + 512*1.024/21) // us
	if us := got.Seconds() * 1e6; us < turns || us > 1.15*turns {
		t.Errorf("4 MiB take %.1f us, the turns %.1f us", us, turns)
	}
}
