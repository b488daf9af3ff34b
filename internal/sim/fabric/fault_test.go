package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/fault"
	"weft/units"
)

// twoLeaves are 8 hosts on two leaves with four spines. Leaf 0 is node 8; its
// ports 4 to 7 lead to the spines, nodes 10 to 13, whose port 0 it is.
func twoLeaves(t *testing.T) *topology.Graph {
	t.Helper()
	g, err := topology.TwoLevel{Endpoints: 8, Radix: 8, LeafEndpoints: 4, Spines: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// across sends from every host to the host in the same place on the other leaf.
func across(size uint32) func(*flows, *fabric.Network) error { return shift(8, 4, size) }

// runFaulty runs a pattern with faults on a network cut into some parts.
func runFaulty(t *testing.T, name string, parts int, faults *fault.Plan) (*flows, counts.Stats) {
	t.Helper()
	g := twoLeaves(t)
	app := &flows{pattern: across(1 << 20)}
	n, err := buildFaulty(g, name, topology.Partition(g, parts), app, faults)
	if err != nil {
		t.Fatal(err)
	}
	if err := app.load(n); err != nil {
		t.Fatal(err)
	}
	if err := n.Run(units.Second, parts, nil); err != nil {
		t.Fatalf("%s in %d parts: %v", name, parts, err)
	}
	return app, n.Stats()
}

const us = units.Microsecond

// TestPacketsThatACableLosesAreCountedAndSentAgain lets all uplinks of a leaf fail for a
// while. The run itself checks that packets, bytes and credits add up.
func TestPacketsThatACableLosesAreCountedAndSentAgain(t *testing.T) {
	for _, name := range []string{"infiniband", "roce"} {
		faults := &fault.Plan{}
		for port := range int32(4) {
			faults.Outages = append(faults.Outages, fault.Outage{Node: 8, Port: 4 + port, From: 5 * us, Until: 50 * us})
		}
		var want string
		for _, parts := range []int{1, 2, 3} {
			app, s := runFaulty(t, name, parts, faults)
			if app.unfinished() > 0 {
				t.Errorf("%s: %d messages never arrive, though the cables work again", name, app.unfinished())
			}
			lost := s.Dropped[counts.DropFault]
			if lost == 0 || s.LastFault < 5*us || s.LastFault >= 50*us {
				t.Errorf("%s: %d packets lost, the last at %v; want some, from 5 to 50 us", name, lost, s.LastFault)
			}
			got := fmt.Sprint(app.done, lost, s.LastFault)
			if want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s: %d parts give another result:\n%s\n%s", name, parts, got, want)
			}
		}
	}
}

// TestNewTablesEndTheLoss lets one uplink fail for ever, and gives the switches
// that sent to it tables without it 20 us later. Packets that wait for it by then are
// lost too: where two flows share a cable, no more than arrived in these 20 us.
func TestNewTablesEndTheLoss(t *testing.T) {
	const at, mended = 5 * us, 25 * us
	faults := &fault.Plan{Outages: []fault.Outage{{Node: 8, Port: 4, From: at, Until: units.Forever}}}
	for dst := range int32(8) {
		leaf := 1 - dst/4 // the leaf that sends up
		faults.Changes = append(faults.Changes, fault.TableChange{At: mended, Row: leaf, Dst: dst, Ports: []uint16{5, 6, 7}, Port: 5})
	}
	for _, name := range []string{"infiniband", "roce"} {
		app, s := runFaulty(t, name, 1, faults)
		if app.unfinished() > 0 {
			t.Errorf("%s: %d messages never arrive, though the tables lead around the fault", name, app.unfinished())
		}
		if s.Dropped[counts.DropFault] == 0 || s.LastFault < at || s.LastFault > mended+(mended-at)+2*us {
			t.Errorf("%s: %d packets lost, the last at %v; want some, until the tables change at %v", name, s.Dropped[counts.DropFault], s.LastFault, mended)
		}
	}
}

// TestASwitchWithoutAWayDropsAndSaysWhy takes the way to host 0 out of the tables
// of the other leaf.
func TestASwitchWithoutAWayDropsAndSaysWhy(t *testing.T) {
	for _, name := range []string{"infiniband", "roce"} {
		_, s := runFaulty(t, name, 1, &fault.Plan{Changes: []fault.TableChange{
			{At: 5 * us, Row: 1, Dst: 0},
			{At: 50 * us, Row: 1, Dst: 0, Ports: []uint16{4}, Port: 4},
		}})
		if s.Dropped[counts.DropNoRoute] == 0 || s.Dropped[counts.DropFault] > 0 {
			t.Errorf("%s: %d packets dropped for want of a way, %d at a fault; want some and none", name, s.Dropped[counts.DropNoRoute], s.Dropped[counts.DropFault])
		}
	}
}

// TestNothingChangesWithoutFaults runs with no faults at all and with an empty
// list of them.
func TestNothingChangesWithoutFaults(t *testing.T) {
	for _, name := range []string{"infiniband", "roce"} {
		without, _ := runFaulty(t, name, 1, nil)
		with, _ := runFaulty(t, name, 1, &fault.Plan{})
		if a, b := fmt.Sprint(without.done), fmt.Sprint(with.done); a != b {
			t.Errorf("%s: an empty list of faults changes results:\n%s\n%s", name, a, b)
		}
	}
}

// TestOutagesThatCannotBeAreRefused finds the reason in each error.
func TestOutagesThatCannotBeAreRefused(t *testing.T) {
	for want, o := range map[string][]fault.Outage{
		"no cable":        {{Node: 10, Port: 7, From: us, Until: units.Forever}},
		"after the start": {{Node: 8, Port: 4, From: 0, Until: units.Forever}},
		"take longer":     {{Node: 8, Port: 4, From: us, Until: us + 1}},
		"one after the other": {
			{Node: 8, Port: 4, From: us, Until: 9 * us}, {Node: 8, Port: 4, From: 5 * us, Until: units.Forever},
		},
	} {
		_, err := buildFaulty(twoLeaves(t), "roce", nil, &flows{}, &fault.Plan{Outages: o})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

// TestAnOutageTakesLongerThanAPacketsWay checks the bound: a cable, the device at its end,
// and the way back of a pause or credit.
func TestAnOutageTakesLongerThanAPacketsWay(t *testing.T) {
	for _, c := range []struct {
		name string
		way  units.Time
	}{{"roce", 100*ns + 500*ns + 100*ns + 100*ns}, {"infiniband", 100*ns + 300*ns + 100*ns}} { // to the switch; to the NIC
		for more, fails := range map[units.Time]bool{0: true, 1: false} {
			o := []fault.Outage{{Node: 0, Port: 0, From: us, Until: us + c.way + more}}
			if _, err := buildFaulty(twoLeaves(t), c.name, nil, &flows{}, &fault.Plan{Outages: o}); (err != nil) != fails {
				t.Errorf("%s: an outage of %v is refused: %v", c.name, c.way+more, err)
			}
			o = []fault.Outage{{Node: 0, Port: 0, From: us, Until: 5 * us}, {Node: 0, Port: 0, From: 5*us + c.way + more, Until: units.Forever}}
			if _, err := buildFaulty(twoLeaves(t), c.name, nil, &flows{}, &fault.Plan{Outages: o}); (err != nil) != fails {
				t.Errorf("%s: an outage %v after another is refused: %v", c.name, c.way+more, err)
			}
		}
	}
}

// TestPacketsThatWaitForAFailedCableAreLostToTheFault lets the cable of each of two hosts fail
// while three others send to it: the packets that the switch holds have a route, and no cable.
func TestPacketsThatWaitForAFailedCableAreLostToTheFault(t *testing.T) {
	for _, name := range []string{"infiniband", "roce"} {
		for to := range int32(2) {
			app := &flows{}
			n, err := buildFaulty(twoLeaves(t), name, nil, app, &fault.Plan{Outages: []fault.Outage{{Node: to, Port: 0, From: 5 * us, Until: 80 * us}}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range int32(3) {
				if err := app.send(n, 4+i, to, 1<<20); err != nil {
					t.Fatal(err)
				}
			}
			if err := n.Run(units.Second, 1, nil); err != nil {
				t.Fatal(err)
			}
			if s := n.Stats(); s.Dropped[counts.DropFault] < 3 || s.Dropped[counts.DropNoRoute] != 0 || app.unfinished() > 0 {
				t.Errorf("%s, host %d: %d packets lost to the fault, %d for want of a way, %d messages unfinished", name, to, s.Dropped[counts.DropFault], s.Dropped[counts.DropNoRoute], app.unfinished())
			}
		}
	}
}
