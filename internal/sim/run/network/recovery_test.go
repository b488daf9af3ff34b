package network_test

import (
	"fmt"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/units"
)

// TestSelectiveRepeatSendsWhatWasLost corrupts packets of a permutation on both fabrics. A
// lost packet is sent again once; go-back-N also sends all packets behind it. The network
// loses no credits and nothing stands still.
func TestSelectiveRepeatSendsWhatWasLost(t *testing.T) {
	for _, fabric := range []string{"roce-v2-400g", "infiniband-ndr"} {
		for _, rate := range []string{"0.1%", "1%"} {
			common := "{preset: " + fabric + ", cc: none, routing: {mode: deterministic}, link: {error-rate: " + rate + "}, transport: {timeout: 1ms, window: 256KiB"
			results := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics:
  - `+common+`}, name: back}
  - `+common+`, recovery: selective-repeat}, name: selective}
workload: {pattern: permutation, sizes: [4MiB]}`), 1)
			back, selective := &results.Fabrics[0].Points[0], &results.Fabrics[1].Points[0]
			b, s := &back.Counts, &selective.Counts
			if s.DroppedCorrupt == 0 || s.Drops() != s.DroppedCorrupt {
				t.Errorf("%s at %s: %d packets corrupted of %d dropped, want all and some", fabric, rate, s.DroppedCorrupt, s.Drops())
			}
			if s.Retransmissions > s.DroppedCorrupt {
				t.Errorf("%s at %s: selective repeat sent %d packets again and %d were lost", fabric, rate, s.Retransmissions, s.DroppedCorrupt)
			}
			if b.Retransmissions < 4*s.Retransmissions || back.Time <= selective.Time {
				t.Errorf("%s at %s: go-back-N sent %d again and took %d, selective repeat %d and %d: want much less of both",
					fabric, rate, b.Retransmissions, back.Time, s.Retransmissions, selective.Time)
			}
		}
	}
}

// TestALossCostsTheTimeOfTheNICsSchedule corrupts packets of a message by adaptive routing,
// where only a timeout finds the loss, on NICs with a schedule and without.
func TestALossCostsTheTimeOfTheNICsSchedule(t *testing.T) {
	const text = `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics:
  - {preset: infiniband-ndr, link: {error-rate: 0.1%}}
  - {preset: infiniband-ndr, name: nominal, link: {error-rate: 0.1%}, transport: {retransmission: fixed}}
workload: {pattern: flows, flows: [{src: 0, dst: 8, bytes: 4MiB}]}`
	for seed := range 8 {
		r := simtest.Resolve(t, text+fmt.Sprintf("\nrun: {seed: %d}", seed))
		results := runtest.Run(t, r, 1)
		schedule := r.Fabrics[0].NIC.Retransmission.Times
		p, nominal := &results.Fabrics[0].Points[0], &results.Fabrics[1].Points[0]
		n := units.Time(p.Counts.Timeouts)
		if p.Counts.DroppedCorrupt > 0 && n == 0 || p.Counts.Drops() != p.Counts.DroppedCorrupt {
			t.Errorf("seed %d: %d packets corrupted of %d dropped, and %d timeouts", seed, p.Counts.DroppedCorrupt, p.Counts.Drops(), n)
		}
		if low, high := n*schedule[0], n*schedule[3]+units.Millisecond; p.Time < low || p.Time > high {
			t.Errorf("seed %d: %d timeouts took %v, want %v to %v", seed, n, p.Time, low, high)
		}
		if k := units.Time(nominal.Counts.Timeouts); nominal.Time < k*r.Fabrics[1].Transport.Timeout {
			t.Errorf("seed %d: %d timeouts of %v took %v", seed, k, r.Fabrics[1].Transport.Timeout, nominal.Time)
		}
	}
}

// TestAMessageOutOfOrderCostsARoundTripAndAHeaderAPacket compares messages of a collective
// with adaptive routing, divided as NCCL divides them and whole, and with deterministic
// routing. The expected time is a link of 5 m with its error correction, a switch of 150 ns,
// NICs of 150 ns at each end, an acknowledgement of 30 and immediate data of 46 bytes at
// 20 ps each.
func TestAMessageOutOfOrderCostsARoundTripAndAHeaderAPacket(t *testing.T) {
	const all = `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics:
  - {preset: infiniband-ndr}
  - {preset: infiniband-ndr, name: no fence, nic: {fence: none}}
  - {preset: infiniband-ndr, name: in order, routing: {mode: deterministic}}
`
	results := runtest.Run(t, simtest.Resolve(t, all+"workload: {collective: all-reduce, sizes: [256KiB]}"), 1)
	flow := func(f int) units.Time { return results.Fabrics[f].Points[0].Flows.Max }
	const way = 2*(56_550*units.Picosecond) + 150*units.Nanosecond
	want := 2*way + 2*150*units.Nanosecond + (30+46)*20*units.Picosecond
	if got := flow(0) - flow(1); max(got-want, want-got) > 2*units.Nanosecond {
		t.Errorf("waiting for the data's acknowledgement costs a message %v, want %v", got, want)
	}
	results = runtest.Run(t, simtest.Resolve(t, all+"workload: {pattern: flows, flows: [{src: 0, dst: 8, bytes: 4MiB}]}"), 1)
	const packets = 1024
	for _, f := range []int{0, 1} { // a pattern's message is not divided
		got := results.Fabrics[f].Points[0].Time - results.Fabrics[2].Points[0].Time
		if want := units.Time((packets - 1) * 16 * 20); max(got-want, want-got) > units.Nanosecond {
			t.Errorf("%d packets with a RETH each take %v longer, want %v", packets, got, want)
		}
	}
}

// TestSelectiveRepeatHasAWindowOfPackets sends over a path that holds more than 512 packets:
// 40 km of fibre at 400 Gb/s are 400 us there and back, some 4,800 packets.
func TestSelectiveRepeatHasAWindowOfPackets(t *testing.T) {
	const packets, size = 4096, 4096 * 4096
	r := simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch, cables: {node-leaf: 20km}}
fabrics:
  - {preset: roce-v2-400g, cc: none, ethernet: {pfc: {enabled: false}}, transport: {recovery: selective-repeat}}
  - {preset: roce-v2-400g, cc: none, ethernet: {pfc: {enabled: false}}, name: own, transport: {recovery: selective-repeat, packet-window: 1024}}
  - {preset: roce-v2-400g, cc: none, ethernet: {pfc: {enabled: false}}, name: none}
workload: {pattern: flows, flows: [{src: 0, dst: 8, bytes: 16MiB}]}`)
	results := runtest.Run(t, r, 1)
	const trip = 4 * 20_000 * 5050 * units.Picosecond
	for i, c := range []struct {
		name   string
		window units.Time
	}{{"by default", 512}, {"of 1024", 1024}} {
		got, least := results.Fabrics[i].Points[0].Time, (packets/c.window-1)*trip
		if got < least || got > least+2*trip {
			t.Errorf("a window %s: %d packets took %v, want %v to %v", c.name, packets, got, least, least+2*trip)
		}
	}
	if got := results.Fabrics[2].Points[0].Time; got > 2*trip {
		t.Errorf("go-back-N took %v for %d bytes, want less than two round trips of %v", got, size, trip)
	}
}
