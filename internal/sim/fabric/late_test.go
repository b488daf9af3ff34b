package fabric_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/units"
)

// TestALateCreditWakesNobodyInThePast starves the lanes of a switch whose NICs are
// in partitions of their own. While one lane sends, credits arrive for another. The
// port looks at them only when the wire is free, and the update behind them is
// collected when the partition is past their time. Waking the port at their time
// would be an event in the past. The case needs a window that ends in the bucket of
// the partition's next event: a few of the networks have one.
func TestALateCreditWakesNobodyInThePast(t *testing.T) {
	for seed := range uint64(1000) {
		want := ""
		for _, part := range [][]int32{nil, {1, 2, 3, 0}, {0, 1, 1, 0}} {
			n, app, err := starved(seed, part)
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Run(units.Millisecond, 1, nil); err != nil {
				t.Fatalf("seed %d, partitions %v: %v", seed, part, err)
			}
			s := n.Stats()
			s.Events = 0 // stale wake-ups count, and depend on the partitions
			got := fmt.Sprintf("%d %+v", digest(app.done), s)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("seed %d, partitions %v: %s, want %s", seed, part, got, want)
			}
		}
	}
}

// starved is three NICs on a switch with four lanes, room for one packet in each,
// and updates at intervals unrelated to the packets.
func starved(seed uint64, part []int32) (*fabric.Network, *flows, error) {
	r := rand.New(rand.NewPCG(seed, 0))
	nic := infinibandNIC()
	nic.Credits = room(65+r.Int32N(20), units.Time(10_000+r.Int64N(90_000)))
	nic.Credits.Latency = units.Time(20_000 + r.Int64N(80_000))
	sw := &fabric.InfiniBandSwitch{Pipeline: units.Time(20_000 + r.Int64N(60_000)), Credits: credits()}
	app := &flows{}
	b := fabric.Builder{Classes: 4, Seed: 1, App: app, Tables: &routing.Tables{Endpoints: 3, Switches: 1, Port: []uint16{0, 1, 2}}}
	for i := range 3 {
		b.NIC(fmt.Sprint("nic ", i), 1, nic)
	}
	b.InfiniBandSwitch("switch", 3, 0, fabric.Static, sw)
	for i := range int32(3) {
		b.Cable(i, 0, 3, i, (400 * units.Gbps).PerByte(), units.Time(5_000+r.Int64N(30_000)))
	}
	n, err := b.Build(part)
	if err != nil {
		return nil, nil, err
	}
	for i := range 16 {
		id := uint64(len(app.done))
		app.done = append(app.done, units.Forever)
		c := fabric.Connection{Class: uint8(i % 4), Reply: uint8(r.IntN(4))}
		from := int32(r.IntN(2))
		qp, _, err := n.Connect(from, 2, c, c)
		if err != nil {
			return nil, nil, err
		}
		wr := transport.WorkRequest{ID: id, Op: transport.OpWrite, Length: uint32(1 + r.IntN(20_000))}
		if err := n.Partition(from).Post(from, qp, wr); err != nil {
			return nil, nil, err
		}
	}
	return n, app, nil
}
