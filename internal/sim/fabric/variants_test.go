package fabric_test

import (
	"fmt"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/adapter"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/units"
)

// variant is a way to set up the devices of a network of three classes.
type variant struct {
	name    string
	fabric  string
	routing fabric.Routing
	set     func(nic *fabric.NIC, eth *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch)
}

// variants reach the paths that the benchmarks' plain devices miss: arbitration,
// starved lanes, discards, small buffers, pauses that are renewed, drops.
var variants = []variant{
	{"lanes arbitrated", "infiniband", fabric.Static, func(_ *fabric.NIC, _ *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
		ib.VLArb = arbitration.VLArb{
			High: []arbitration.VLWeight{{VL: 1, Weight: 64}}, Low: []arbitration.VLWeight{{VL: 0, Weight: 128}, {VL: 2, Weight: 64}}, Limit: 2,
		}
	}},
	{"four packets at a time out of a buffer", "infiniband", fabric.Static, func(_ *fabric.NIC, _ *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
		ib.ReadPorts = 4
	}},
	{"plain FIFO inputs", "infiniband", fabric.Adaptive, func(_ *fabric.NIC, _ *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
		ib.FIFO, ib.ReadPorts = true, 0
	}},
	{"room for two packets", "infiniband", fabric.Flowlet, func(nic *fabric.NIC, _ *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
		ib.ReadPorts = 1
		ib.Credits = room(140, 70*units.Nanosecond)
		nic.Credits = ib.Credits
	}},
	{"head-of-queue lifetime", "infiniband", fabric.Static, func(_ *fabric.NIC, _ *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
		ib.Credits = room(70, 100*units.Nanosecond)
		ib.Lifetime, ib.StallCount = 3*units.Microsecond, 2
	}},
	{"store and forward, sprayed", "roce", fabric.Spray, func(nic *fabric.NIC, eth *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
		eth.CutThrough = false
		eth.PFC.Lossless, nic.PFC.Lossless = 5, 5
	}},
	{"pauses of few quanta", "roce", fabric.Adaptive, func(nic *fabric.NIC, eth *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
		eth.EarlyRelease, eth.Shared, eth.PFC.Quanta = true, 400<<10, 300
		eth.PFC.Lossless, nic.PFC.Lossless = 7, 7
	}},
	{"lossy", "roce", fabric.Flowlet, func(nic *fabric.NIC, eth *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
		eth.PFC.Lossless, nic.PFC.Lossless, eth.Shared = 0, 0, 1<<20
	}},
	{"marked when leaving", "roce", fabric.ECMP, func(nic *fabric.NIC, eth *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
		eth.PFC.Lossless, nic.PFC.Lossless, eth.Shared = 7, 7, 300<<10
		eth.ECN[1] = marking.ECN{KMin: 8 << 10, KMax: 100 << 10, PMax: 1 << 31, AtDequeue: true}
	}},
	{"contexts fetched", "infiniband", fabric.Static, func(nic *fabric.NIC, _ *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
		nic.Contexts = &adapter.Contexts{Entries: 2, Fetch: 300 * units.Nanosecond, AtOnce: 4}
		ib.ReadPorts = 4
	}},
	{"errors in bursts", "infiniband", fabric.Static, func(nic *fabric.NIC, _ *fabric.EthernetSwitch, ib *fabric.InfiniBandSwitch) {
		nic.Transport.RetryTimeout = units.Millisecond
		ib.ReadPorts = 4
	}},
	{"link-level retry", "roce", fabric.ECMP, func(nic *fabric.NIC, eth *fabric.EthernetSwitch, _ *fabric.InfiniBandSwitch) {
		eth.PFC.Lossless, nic.PFC.Lossless, eth.Shared = 7, 7, 300<<10
	}},
}

// bursts are the errors of the links of some variants.
var bursts = map[string]*impair.Bursts{
	"errors in bursts": {Gap: 1 << 20, Length: 2570},
	"link-level retry": {Gap: 1 << 20, Length: 1285, Retry: true},
}

func room(blocks int32, period units.Time) credit.Grant {
	c := credits()
	c.Period = period
	for i := range c.Blocks {
		c.Blocks[i] = blocks
	}
	return c
}

// build makes a network in which one cable of seven is slower than the others.
func (v *variant) build(g *topology.Graph, part []int32, app fabric.App) (*fabric.Network, error) {
	t, err := routing.Build(g)
	if err != nil {
		return nil, err
	}
	b := fabric.Builder{Classes: 3, Seed: 1, Tables: t, App: app, FlowletGap: 500 * units.Nanosecond, Bursts: bursts[v.name]}
	for i := range g.Endpoints {
		b.Hosts = append(b.Hosts, int32(i))
	}
	nic, eth := ethernetNIC(), ethernetSwitch()
	ib := &fabric.InfiniBandSwitch{Pipeline: 200 * units.Nanosecond, Credits: credits(), ReadPorts: 2}
	if v.fabric == "infiniband" {
		nic = infinibandNIC()
	}
	v.set(nic, eth, ib)
	for i, nd := range g.Nodes {
		switch {
		case i < g.Endpoints:
			b.NIC(nd.Name, len(nd.Cables), nic)
		case v.fabric == "infiniband":
			b.InfiniBandSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, v.routing, ib)
		default:
			b.EthernetSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, v.routing, eth)
		}
	}
	for i, c := range g.Cables {
		rate := 400 * units.Gbps
		if i%7 == 0 {
			rate = 150 * units.Gbps
		}
		b.Cable(int32(c.A.Node), c.A.Port, int32(c.B.Node), c.B.Port, rate.PerByte(), 100*units.Nanosecond)
	}
	return b.Build(part)
}

// classes sends from every host to another and from some hosts to one, in all classes.
func classes(hosts int) func(*flows, *fabric.Network) error {
	return func(f *flows, n *fabric.Network) error {
		for i := range hosts {
			if err := f.sendClass(n, int32(i), int32((i*37+11)%hosts), 64<<10); err != nil {
				return err
			}
			if i%3 == 0 && i != 5 {
				if err := f.sendClass(n, int32(i), 5, 32<<10); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (f *flows) sendClass(n *fabric.Network, from, to int32, size uint32) error {
	id := uint64(len(f.done))
	f.done = append(f.done, units.Forever)
	c := fabric.Connection{Entropy: uint32(id), Class: uint8(id % 3), Reply: uint8((id + 1) % 3)}
	qp, _, err := n.Connect(from, to, c, c)
	if err != nil {
		return err
	}
	return n.Partition(from).Post(from, qp, transport.WorkRequest{ID: id, Op: transport.OpWrite, Length: size})
}

// blind is a packet trace that records nothing. A network with a trace handles its
// events in their order, and not cell by cell.
type blind struct{}

func (blind) Sent(*fabric.Sighting)   {}
func (blind) Landed(*fabric.Sighting) {}

// byHost is an application each of whose hosts has one NIC, whose number is the source of its timers.
type byHost struct{ fabric.App }

func (byHost) NodeOf(source uint32) int32 { return int32(source) }

// TestNoVariantDependsOnPartitionsOrCells runs every variant whole, in order and cell
// by cell, and cut, with its hosts in one cell and in cells of their own, and compares the completions and
// all counts except the events.
func TestNoVariantDependsOnPartitionsOrCells(t *testing.T) {
	g, err := topology.KAry{K: 8}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range variants {
		want := ""
		for _, cut := range []struct {
			parts, workers int
			inOrder        bool
			looks, byHost  bool
		}{
			{1, 1, true, false, false},
			{1, 1, false, false, false},
			{3, 1, false, true, false},
			{7, 2, false, true, false},
			{1, 1, false, true, true},
			{3, 2, false, true, true},
		} {
			f := &flows{pattern: classes(128)}
			app := fabric.App(f)
			if cut.byHost {
				app = byHost{f}
			}
			n, err := v.build(g, topology.Partition(g, cut.parts), app)
			if err != nil {
				t.Fatal(err)
			}
			if cut.looks {
				n.LookAhead()
			}
			if cut.inOrder {
				n.Follow(blind{})
			}
			if err := f.load(n); err != nil {
				t.Fatal(err)
			}
			if err := n.Run(5*units.Millisecond, cut.workers, nil); err != nil {
				t.Fatalf("%s, %d partitions: %v", v.name, cut.parts, err)
			}
			s := n.Stats()
			s.Events = 0 // stale wake-ups count, and depend on the partitions
			got := fmt.Sprintf("%d %+v", digest(f.done), s)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: %d partitions, cell by cell (hosts apart: %t), differ from 1 in order:\n%s\n%s", v.name, cut.parts, cut.byHost, got, want)
			}
		}
	}
}
