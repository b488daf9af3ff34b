package fabric_test

import (
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/routing"
	"weft/units"
)

// Each switch of the scale-out fabric has a cell of its own, and all hosts share one; if a
// cable is too short for that, all nodes share one. Cells change the time that a run takes,
// not its results.
func TestSwitchesAreHandledApart(t *testing.T) {
	for _, c := range []struct {
		name  string
		cable units.Time
		apart bool
	}{{"infiniband", 100 * ns, true}, {"roce", 100 * ns, true}, {"infiniband", 0, false}} {
		g, err := topology.KAry{K: 4}.Build()
		if err != nil {
			t.Fatal(err)
		}
		tables, err := routing.Build(g)
		if err != nil {
			t.Fatal(err)
		}
		b := fabric.Builder{Classes: 1, Seed: 1, Tables: tables, App: &flows{}}
		nic, sw, isw := ethernetNIC(), ethernetSwitch(), &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: credits(), ReadPorts: 2}
		if c.name == "infiniband" {
			nic = infinibandNIC()
			nic.Credits.Latency = c.cable
			isw.Credits = nic.Credits
		}
		for i, nd := range g.Nodes {
			switch {
			case i < g.Endpoints:
				b.NIC(nd.Name, len(nd.Cables), nic)
			case c.name == "infiniband":
				b.InfiniBandSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, fabric.Static, isw)
			default:
				b.EthernetSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, fabric.ECMP, sw)
			}
		}
		for _, k := range g.Cables {
			b.Cable(int32(k.A.Node), k.A.Port, int32(k.B.Node), k.B.Port, (400 * units.Gbps).PerByte(), c.cable)
		}
		n, err := b.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		used := map[uint16]bool{}
		for i := range g.Nodes {
			cell := n.Cell(i)
			if wants := c.apart && i >= g.Endpoints; wants != (cell != 0) || wants && used[cell] {
				t.Errorf("%s, cables of %v: node %d is in cell %d (used before: %v)", c.name, c.cable, i, cell, used[cell])
			}
			used[cell] = true
		}
	}
}

// A switch that handles the events of its cell itself gives the same times as one whose events are handled
// as any node's, and as a network in one cell.
func TestWhoHandlesEventsHasNoEffect(t *testing.T) {
	ways := []struct {
		name string
		set  func(*fabric.Network)
	}{
		{"by the switch", func(n *fabric.Network) {
			if n.Alone() != 20 {
				t.Errorf("%d of 20 switches handle their events", n.Alone())
			}
		}},
		{"as any node's", (*fabric.Network).HandleAlike},
		{"in one cell", (*fabric.Network).JoinCells},
	}
	g, err := topology.KAry{K: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"infiniband", "roce"} {
		for _, pattern := range []func(*flows, *fabric.Network) error{permutation(16, 256<<10), incast(15, 256<<10)} {
			var first []units.Time
			for _, way := range ways {
				w := &flows{pattern: pattern}
				n, err := build(g, name, nil, w)
				if err == nil {
					err = w.load(n)
				}
				if err != nil {
					t.Fatal(err)
				}
				way.set(n)
				if err := n.Run(units.Second, 1, nil); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = w.done
				}
				if w.unfinished() > 0 || !slices.Equal(w.done, first) {
					t.Errorf("%s, events handled %s:\n%v, and by the switch\n%v", name, way.name, w.done, first)
				}
			}
		}
	}
}
