package fabric_test

import (
	"fmt"
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/fabric/fault"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/units"
)

const ns = units.Nanosecond

// TestOnePacketTakesWhatItsPartsTake compares the time at which the only packet of a
// message is acknowledged with the sum of its parts, to the picosecond.
func TestOnePacketTakesWhatItsPartsTake(t *testing.T) {
	const payload, switches = 4096, 5 // host, leaf, aggregation, core, aggregation, leaf, host
	links := units.Time(switches + 1)
	for _, c := range []struct {
		fabric    string
		data, ack units.Time // bytes on the wire
		pipeline  units.Time
	}{
		{"infiniband", payload + 8 + 12 + 16 + 4 + 2, 8 + 12 + 4 + 4 + 2, 200 * ns},
		{"roce", payload + 14 + 20 + 8 + 12 + 16 + 4 + 4 + 20, 14 + 20 + 8 + 12 + 4 + 4 + 4 + 20, 500 * ns},
	} {
		f := &flows{}
		n := mustBuild(t, topology.KAry{K: 8}, c.fabric, f)
		if err := f.send(n, 0, 127, payload); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		const perByte, propagation, nic = 20, 100 * ns, 300 * ns
		oneWay := func(bytes units.Time) units.Time {
			return bytes*perByte + links*propagation + switches*c.pipeline + nic
		}
		if want := oneWay(c.data) + oneWay(c.ack); f.done[0] != want {
			t.Errorf("%s: message acknowledged at %d ps, its parts sum to %d ps", c.fabric, f.done[0], want)
		}
	}
}

// TestAPacketLeavesNoFasterThanItComes sends from a host at 100 Gb/s to one at 400: a
// cut-through switch begins so late that the packet's tail has arrived when it must leave.
// The acknowledgement passes at once, and takes its time on the slow cable.
func TestAPacketLeavesNoFasterThanItComes(t *testing.T) {
	for _, name := range []string{"infiniband", "roce"} {
		f := &flows{}
		b := &fabric.Builder{Classes: 1, Seed: 1, App: f, Tables: &routing.Tables{Endpoints: 2, Switches: 1, Port: []uint16{0, 1}}}
		data, ack, pipeline := units.Time(4096+8+12+16+4+2), units.Time(8+12+4+4+2), 200*ns
		if name == "infiniband" {
			for _, host := range []string{"a", "b"} {
				b.NIC(host, 1, infinibandNIC())
			}
			b.InfiniBandSwitch("switch", 2, 0, fabric.Static, &fabric.InfiniBandSwitch{Pipeline: pipeline, Credits: credits(), ReadPorts: 2})
		} else {
			data, ack, pipeline = 4096+14+20+8+12+16+4+4+20, 14+20+8+12+4+4+4+20, 500*ns
			for _, host := range []string{"a", "b"} {
				b.NIC(host, 1, ethernetNIC())
			}
			b.EthernetSwitch("switch", 2, 0, fabric.Static, ethernetSwitch())
		}
		b.Cable(0, 0, 2, 0, (100 * units.Gbps).PerByte(), 100*ns)
		b.Cable(1, 0, 2, 1, (400 * units.Gbps).PerByte(), 100*ns)
		n, err := b.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.send(n, 0, 1, 4096); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		if want := (data+ack)*80 + 4*100*ns + 2*pipeline + 2*300*ns; f.done[0] != want {
			t.Errorf("%s: message acknowledged at %v, its parts sum to %v", name, f.done[0], want)
		}
	}
}

// TestIncastTakesTheBottlenecksTime compares the time of k senders to one receiver with
// the time of k messages' bytes on the last link.
func TestIncastTakesTheBottlenecksTime(t *testing.T) {
	for _, name := range []string{"infiniband", "roce"} {
		for _, k := range []int{2, 8, 64} {
			f := &flows{}
			n := mustBuild(t, topology.SingleSwitch{Endpoints: 65, Radix: 72}, name, f)
			const size = 1 << 20
			if err := incast(k, size)(f, n); err != nil {
				t.Fatal(err)
			}
			if err := n.Run(units.Second, 1, nil); err != nil {
				t.Fatal(err)
			}
			last := units.Time(0)
			for _, d := range f.done {
				last = max(last, d)
			}
			overhead, pipeline := 26.0+16.0/256, 200.0
			if name == "roce" {
				overhead, pipeline = 82+16.0/256, 500
			}
			bytes := float64(k) * (size + 256*overhead)
			want := bytes*0.02 + 4*100 + 2*pipeline + 2*300 + 0.02*(30+4096)
			got := float64(last) / 1000
			t.Logf("%s %d:1: last message done after %.1f ns, closed form %.1f ns, stats %+v", name, k, got, want, n.Stats())
			if e := got/want - 1; e > 0.005 || e < -0.005 {
				t.Errorf("%s %d:1: last message done after %.0f ns, closed form %.0f ns", name, k, got, want)
			}
		}
	}
}

// TestEveryInputOfALargeSwitchHasItsTurn has all hosts of a switch with more than 64 ports
// send to one: none waits for ever, whatever its port, and they share the link.
func TestEveryInputOfALargeSwitchHasItsTurn(t *testing.T) {
	const hosts = 130
	for _, to := range []int32{0, 64, hosts - 1} {
		f := &flows{}
		n := mustBuild(t, topology.SingleSwitch{Endpoints: hosts, Radix: hosts}, "infiniband", f)
		for from := range int32(hosts) {
			if from != to {
				if err := f.send(n, from, to, 20*4096); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		if left := f.unfinished(); left > 0 {
			t.Errorf("to host %d: %d messages are not there", to, left)
		}
		if first, last := slices.Min(f.done), slices.Max(f.done); last-first > last/10 {
			t.Errorf("to host %d: one sender is done at %v, another at %v", to, first, last)
		}
	}
}

// TestCreditsBoundALinksThroughput compares the throughput of a link whose buffer is
// smaller than bandwidth times delay with buffer/loop.
func TestCreditsBoundALinksThroughput(t *testing.T) {
	for _, packets := range []int32{1, 2, 5} {
		f := &flows{}
		b, nic := creditPair(f, packets*65)
		n, err := b.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		const count = 2000
		if err := f.send(n, 0, 1, count*4096); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		_ = nic
		wire := units.Time(4096 + 26)
		// Head to the receiver, tail, its pipeline, the update's way back. Packets are further
		// apart than updates, so no update waits.
		loop := wire*20 + 1000*ns + 300*ns
		loop += 1000*ns + 50*ns
		perPacket := float64(loop) / float64(packets)
		got := float64(f.done[0]) / count
		if e := got/perPacket - 1; e > 0.001 || e < -0.001 {
			t.Errorf("buffer of %d packets: %.1f ps a packet, closed form %.1f ps", packets, got, perPacket)
		}
	}
}

func creditPair(app fabric.App, blocks int32) (*fabric.Builder, *fabric.NIC) {
	nic := infinibandNIC()
	nic.Credits = credit.Grant{Period: 10 * ns, Latency: 50 * ns, FrameBytes: 6}
	nic.Credits.Blocks[0] = blocks
	b := &fabric.Builder{Classes: 2, Seed: 1, App: app}
	nic.Credits.Blocks[1] = 2048
	b.NIC("a", 1, nic)
	b.NIC("b", 1, nic)
	b.Cable(0, 0, 1, 0, (400 * units.Gbps).PerByte(), 1000*ns)
	return b, nic
}

func mustBuild(t *testing.T, s topology.Spec, name string, app fabric.App) *fabric.Network {
	t.Helper()
	g, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	n, err := build(g, name, nil, app)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// digest is a number that differs if completion times do.
func digest(done []units.Time) (d uint64) {
	for _, t := range done {
		d = engine.Mix(d ^ uint64(t))
	}
	return d
}

// TestResultsDoNotDependOnPartitions runs the same permutation cut into 1, 2, 3
// and 7 parts, on one and two cores, and on one core that another joins, with and without
// look-ahead.
func TestResultsDoNotDependOnPartitions(t *testing.T) {
	g, err := topology.KAry{K: 8}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"infiniband", "roce"} {
		want := ""
		for _, cut := range []struct {
			parts, workers, spare int
			looks                 bool
		}{{1, 1, 0, false}, {1, 1, 0, true}, {2, 1, 0, false}, {2, 2, 0, false}, {3, 2, 0, true}, {7, 2, 0, false}, {3, 1, 1, true}} {
			f := &flows{}
			part := topology.Partition(g, cut.parts)
			n, err := build(g, name, part, f)
			if err != nil {
				t.Fatal(err)
			}
			if err := permutation(128, 256<<10)(f, n); err != nil {
				t.Fatal(err)
			}
			if err := incast(40, 64<<10)(f, n); err != nil {
				t.Fatal(err)
			}
			if cut.looks {
				n.LookAhead()
			}
			var spare engine.Spare
			spare.Give(cut.spare)
			n.UseSpare(&spare)
			if err := n.Run(units.Second, cut.workers, nil); err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%d %+v", digest(f.done), n.Stats())
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: %d partitions on %d cores differ from 1:\n%s\n%s", name, cut.parts, cut.workers, got, want)
			}
		}
	}
}

// TestCreditsMayComeBackAtAnyRate lets receivers send credit updates at every picosecond,
// and hardly ever: the least and a long period. Replies take credits as data do. A switch
// knows the time at which a packet will have left, by as many periods ahead as the packet
// takes. Packets that are corrupted on the way have taken credits as well.
func TestCreditsMayComeBackAtAnyRate(t *testing.T) {
	for _, period := range []units.Time{1, 2, 3, 100, 5 * units.Microsecond} {
		for i, mtu := range []int{256, 4096, 4096} {
			f := &flows{}
			nic := infinibandNIC()
			nic.Transport.PathMTU = mtu
			nic.Credits = credit.Grant{Period: period, Latency: 1}
			nic.Credits.Blocks[0] = 2 * 65
			b := &fabric.Builder{Classes: 1, Seed: 1, App: f, Tables: &routing.Tables{Endpoints: 2, Switches: 1, Port: []uint16{0, 1}}}
			b.ErrorRate = uint64(i>>1) << 60 // of the last, a sixteenth
			nic.Transport.RetryTimeout = 200 * units.Microsecond
			b.NIC("a", 1, nic)
			b.NIC("b", 1, nic)
			b.InfiniBandSwitch("switch", 2, 0, fabric.Static, &fabric.InfiniBandSwitch{Credits: nic.Credits})
			for i := range int32(2) {
				b.Cable(i, 0, 2, i, (400 * units.Gbps).PerByte(), 1)
			}
			n, err := b.Build(nil)
			if err != nil {
				t.Fatal(err)
			}
			for from := range int32(2) { // both ways, so that acknowledgements meet data
				if err := f.send(n, from, 1-from, 40*4096); err != nil {
					t.Fatal(err)
				}
			}
			err = n.Run(units.Second, 1, nil)
			if lost := n.Stats().Dropped[counts.DropCorrupt]; err != nil || f.unfinished() > 0 || (lost > 0) != (b.ErrorRate > 0) {
				t.Errorf("updates each %v, packets of %d: %v, %d messages unfinished, %d packets corrupted", period, mtu, err, f.unfinished(), lost)
			}
		}
	}
}

// TestACableThatFailsForEverKeepsNoCredits lets a cable fail with packets on it.
func TestACableThatFailsForEverKeepsNoCredits(t *testing.T) {
	for _, period := range []units.Time{1, 100 * ns} {
		f := &flows{}
		nic := infinibandNIC()
		nic.Transport = &transport.Config{PathMTU: 4096, AckEvery: 1, RetryTimeout: 10 * units.Microsecond, RetryCount: 2}
		nic.Credits.Period, nic.Credits.Latency = period, 1*ns
		b := &fabric.Builder{Classes: 1, Seed: 1, App: f, Tables: &routing.Tables{Endpoints: 2}}
		b.Faults = &fault.Plan{Outages: []fault.Outage{{Node: 0, Port: 0, From: units.Microsecond, Until: units.Forever}}}
		b.NIC("a", 1, nic)
		b.NIC("b", 1, nic)
		b.Cable(0, 0, 1, 0, (400 * units.Gbps).PerByte(), 50*ns)
		n, err := b.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.send(n, 0, 1, 40*4096); err != nil {
			t.Fatal(err)
		}
		err = n.Run(units.Second, 1, nil) // checks conservation at its end
		if lost := n.Stats().Dropped[counts.DropFault]; err != nil || lost == 0 || f.unfinished() != 1 {
			t.Errorf("updates each %v: %v, %d packets lost, %d messages unfinished; want some and 1", period, err, lost, f.unfinished())
		}
	}
}

// TestScaleOutLinksHaveCables: links of the scale-up network, ports without a cable and the
// port that takes lost packets are none of them.
func TestScaleOutLinksHaveCables(t *testing.T) {
	b := &fabric.Builder{Classes: 1, Seed: 1, App: &flows{}, Faults: &fault.Plan{}, Tables: &routing.Tables{Endpoints: 2, Switches: 1, Port: []uint16{0, 1}, SetBase: []int32{0, 0}, SetStart: []int32{0}}}
	b.NIC("a", 1, infinibandNIC())
	b.NIC("b", 1, infinibandNIC())
	b.InfiniBandSwitch("switch", 3, 0, fabric.Static, &fabric.InfiniBandSwitch{Credits: credits()})
	gpu := &fabric.GPU{Credits: credits(), BurstBytes: 4096, PacketBytes: 256}
	up := []int32{b.GPU("gpu 0", gpu), b.GPU("gpu 1", gpu)}
	sw := b.ScaleUpSwitch("scale-up", 2, up[0], &fabric.InfiniBandSwitch{Credits: credits()})
	for i := range int32(2) {
		b.Cable(i, 0, 2, i, (400 * units.Gbps).PerByte(), 100*ns)
		b.ScaleUpCable(up[i], 0, sw, i, (400 * units.Gbps).PerByte(), 100*ns)
	}
	n, err := b.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for link := range int32(n.Links()) {
		if n.ScaleOut(link) {
			names = append(names, n.LinkName(link))
		}
	}
	if want := []string{"a port 1 to switch", "b port 1 to switch", "switch port 1 to a", "switch port 2 to b"}; !slices.Equal(names, want) {
		t.Errorf("links of the scale-out network: %q, want %q", names, want)
	}
}
