package network_test

import (
	"fmt"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/units"
)

// sharingNode has a GPU whose slot of 460.9 Gb/s four NICs of 400 Gb/s share.
const sharingNode = "node: {gpu: h100, gpus: 1, nics: 4, nic: {rate: 400Gbps}}"

// takes is the time of bytes at a rate in Mb/s.
func takes(bytes, mbps int64) units.Time { return units.Time(bytes * 8_000_000 / mbps) }

// TestTheSlotOfAGPUBoundsItsNICs sends 16 MiB from each of a GPU's four NICs: the slot carries
// lanes × lane rate × 256 / (256 + 24) of the packets' bytes on the wire. One NIC alone has the wire's rate.
func TestTheSlotOfAGPUBoundsItsNICs(t *testing.T) {
	const bytes, packet = 16 << 20, 4096
	for _, f := range []struct {
		preset string
		header int64 // of a packet on the wire
	}{{"infiniband-ndr", 30}, {"roce-v2-400g", 82}} {
		run := func(flows string) units.Time {
			return runtest.Point(t, `
cluster: {nodes: 2, `+sharingNode+`}
topology: {shape: single-switch}
fabrics: [`+f.preset+`]
workload: {pattern: flows, flows: [`+flows+`]}`).Time
		}
		flow := func(src, dst int) string { return fmt.Sprintf("{src: %d, dst: %d, bytes: %dB}, ", src, dst, bytes) }
		wire := bytes / packet * (packet + f.header)
		if got, want := run(flow(0, 4)), takes(wire, 400_000); got < want || got > want*102/100 {
			t.Errorf("%s: one NIC takes %v, the wire alone %v", f.preset, got, want)
		}
		got := run(flow(0, 4) + flow(1, 5) + flow(2, 6) + flow(3, 7))
		if want := takes(4*wire, 460_900); got < want*99/100 || got > want*103/100 {
			t.Errorf("%s: four NICs take %v, the slot needs %v", f.preset, got, want)
		}
	}
}

// TestASlotBoundsWhatItReceives sends from the NICs of four GPUs to the four NICs of one: only the receiver's slot
// binds. A run in four partitions is the same.
func TestASlotBoundsWhatItReceives(t *testing.T) {
	for _, preset := range []string{"infiniband-ndr", "roce-v2-400g"} {
		r := simtest.Resolve(t, `
cluster: {nodes: 5, `+sharingNode+`}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [`+preset+`]
workload: {pattern: flows, flows: [{src: 4, dst: 0, bytes: 4MiB}, {src: 8, dst: 1, bytes: 4MiB}, {src: 12, dst: 2, bytes: 4MiB}, {src: 16, dst: 3, bytes: 4MiB}]}`)
		one, four := runtest.Run(t, r, 1).Fabrics[0].Points[0], runtest.Run(t, r, 4).Fabrics[0].Points[0]
		slot := takes(4*1024*(4096+30), 460_900)
		if one.Time < slot || one.Time > slot*105/100 || one.Counts.Drops() > 0 {
			t.Errorf("%s: %v and %d drops, the slot needs %v", preset, one.Time, one.Counts.Drops(), slot)
		}
		if one.Time != four.Time {
			t.Errorf("%s: %v on one core, %v on four", preset, one.Time, four.Time)
		}
	}
}

// TestACollectiveOfOneGPUANodeHasItsSlot runs an all-reduce between two GPUs with four NICs each: each sends the whole
// vector through its slot.
func TestACollectiveOfOneGPUANodeHasItsSlot(t *testing.T) {
	p := runtest.Point(t, `
cluster: {nodes: 2, `+sharingNode+`}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, algorithm: tree, sizes: [256MiB]}`)
	if gbps := float64(256<<20) / p.Time.Seconds() / 1e9; gbps > 460.9/8 || gbps < .6*460.9/8 {
		t.Errorf("an all-reduce of 256 MiB between two GPUs has %.1f GB/s, their slots %.1f", gbps, 460.9/8)
	}
}
