package network_test

import (
	"fmt"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/units"
)

// boxed are fabrics of 400 Gb/s, with the bytes around the payload of a WRITE with
// immediate data and the time of a cable's error correction, written out once more.
var boxed = []struct {
	name, preset string
	write        int
	fec          units.Time
}{
	{"InfiniBand", "infiniband-ndr", 8 + 12 + 16 + 4 + 6, 31_300},
	{"RoCE v2", "roce-v2-400g", 82 + 16 + 4, 62_600},
}

// A message of one packet passes a box at each end: each stores it whole, holds
// it, and has a cable with error correction of its own.
func TestABoxAddsItsLatencyAndStoresThePacket(t *testing.T) {
	const payload = 1024
	for _, w := range boxed {
		workload := "{pattern: flows, flows: [{src: 0, dst: 1, bytes: 1024B}]}"
		plain := runtest.Point(t, simtest.TwoHosts(w.preset, workload))
		with := runtest.Point(t, simtest.TwoHosts("{preset: "+w.preset+", inspection: {latency: 5us, rate: 100Gbps}}", workload))
		size := payload + w.write
		want := 2 * (5*units.Microsecond + units.Time(size*20) + w.fec) // at 20 ps a byte
		if got := with.Time - plain.Time; got != want {
			t.Errorf("%s: two boxes add %v, want %v", w.name, got, want)
		}
	}
}

// A stream passes at the rate of the box, and without loss: credits and PFC hold the
// sender back.
func TestAStreamPassesABoxAtItsRate(t *testing.T) {
	for _, w := range boxed {
		full := (4096 + w.write - 16 - 4) // a middle packet: no RETH, no immediate data
		for _, c := range []struct {
			rate  string
			perPs int64
		}{{"400Gbps", 20}, {"200Gbps", 40}, {"100Gbps", 80}} {
			const packets = 1024
			p := runtest.Point(t, simtest.TwoHosts(fmt.Sprintf("{preset: %s, cc: none, inspection: {latency: 2us, rate: %s}}", w.preset, c.rate),
				fmt.Sprintf("{pattern: flows, flows: [{src: 0, dst: 1, bytes: %dB}]}", packets*4096)))
			floor := units.Time(int64(packets*full) * c.perPs)
			if p.Time < floor || p.Time > floor+floor/50+10*units.Microsecond || p.Counts.Drops() > 0 {
				t.Errorf("%s inspected at %s: %v and %d drops; want %v and at most 2 %% and 10 us more, and none", w.name, c.rate, p.Time, p.Counts.Drops(), floor)
			}
		}
	}
}

// Boxes stay with their NICs: the result does not depend on the cores.
func TestBoxesDoNotDependOnCores(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 8, node: dgx-h100}
fabrics:
  - {preset: infiniband-ndr, inspection: {latency: 3us, rate: 200Gbps}}
  - {preset: roce-v2-400g, inspection: {latency: 3us, rate: 200Gbps}}
workload: {pattern: permutation, sizes: [256KiB]}
`)
	if _, err := runtest.SameOnCores(t, r, 1, 2, 7); err != nil {
		t.Error(err)
	}
}

func TestACollectiveFinishesThroughBoxes(t *testing.T) {
	for _, preset := range []string{"infiniband-ndr", "roce-v2-400g", "tcp-400g"} {
		text := func(box string) string {
			return "cluster: {nodes: 2, node: dgx-h100}\nfabrics: [{preset: " + preset + box + "}]\nworkload: {collective: all-reduce, sizes: [1MiB]}"
		}
		plain, boxed := runtest.Point(t, text("")), runtest.Point(t, text(", inspection: {latency: 5us, rate: 400Gbps}"))
		if boxed.Failure != "" || boxed.Time <= plain.Time {
			t.Errorf("%s: %v with boxes and %v without (%s)", preset, boxed.Time, plain.Time, boxed.Failure)
		}
	}
}
