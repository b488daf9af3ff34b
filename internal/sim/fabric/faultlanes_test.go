package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/fault"
	"weft/internal/sim/routing"
	"weft/units"
)

// crowd sends from every host to the host across and to host 0, so that packets wait
// alone and in queues.
func crowd(f *flows, n *fabric.Network) error {
	for from := range int32(8) {
		if err := f.send(n, from, (from+4)%8, 1<<17); err != nil {
			return err
		}
		if from == 0 {
			continue
		}
		if err := f.send(n, from, 0, 1<<17); err != nil {
			return err
		}
	}
	return nil
}

// turningLanes moves the only service level in use to the next of three lanes, at every
// switch and pair of ports, every 100 ns.
func turningLanes(switches, ports int, until units.Time) (all []fault.LaneChange) {
	for at := us; at < until; at += 100 * ns {
		for sw := range switches {
			for in := range ports {
				for out := range ports {
					all = append(all, fault.LaneChange{
						At: at, Row: int32(sw), In: uint16(in), Out: uint16(out), Lanes: [routing.Levels]uint8{uint8((int(at/(100*ns)) + sw + in) % 3)},
					})
				}
			}
		}
	}
	return all
}

// TestLanesChangeUnderPacketsThatWait turns all SL2VL tables while packets wait at the
// outputs, and lets all cables of a leaf fail meanwhile, which empties its ports lane by
// lane: everything arrives, and the run checks that packets, bytes and every lane's
// credits add up.
func TestLanesChangeUnderPacketsThatWait(t *testing.T) {
	g := twoLeaves(t)
	failing := &fault.Plan{Lanes: turningLanes(6, 8, 20*us)}
	for port := range int32(8) {
		failing.Outages = append(failing.Outages, fault.Outage{Node: 8, Port: port, From: 10 * us, Until: 15 * us})
	}
	results := map[string]string{}
	for name, faults := range map[string]*fault.Plan{
		"still":   {},
		"turning": {Lanes: turningLanes(6, 8, 20*us)},
		"turned":  {Lanes: turningLanes(6, 8, us+1)},
		"failing": failing,
	} {
		app := &flows{pattern: crowd}
		shared := routing.LanesByLevel(3, make([]*routing.LevelMap, 6))
		n, err := buildInfiniBand(g, app, func(b *fabric.Builder) { b.Classes, b.Lanes, b.Faults = 3, shared, faults })
		if err != nil {
			t.Fatal(err)
		}
		if err := app.load(n); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lost := n.Stats().Dropped[counts.DropFault]
		if app.unfinished() > 0 || (lost > 0) != (name == "failing") {
			t.Errorf("%s: %d messages do not arrive, %d packets are lost", name, app.unfinished(), lost)
		}
		results[name] = fmt.Sprint(app.done)
		for sw := range 6 {
			if shared.Map(sw) != nil {
				t.Fatalf("%s: the tables of switch %d, which other runs share, have changed", name, sw)
			}
		}
	}
	if results["still"] == results["turning"] || results["turning"] == results["turned"] {
		t.Error("packets on other lanes, with buffers of their own, arrive at the same times")
	}
}

// TestChangesOfLanesThatCannotBeAreRefused finds the reason in each error.
func TestChangesOfLanesThatCannotBeAreRefused(t *testing.T) {
	g := twoLeaves(t)
	change := fault.LaneChange{At: us, Row: 1, In: 8}
	for want, lanes := range map[string]*routing.Lanes{
		"lanes do not follow service levels": nil,
		"has 8 ports":                        routing.LanesByLevel(3, make([]*routing.LevelMap, 6)),
	} {
		_, err := buildInfiniBand(g, &flows{}, func(b *fabric.Builder) {
			b.Classes, b.Lanes, b.Faults = 3, lanes, &fault.Plan{Lanes: []fault.LaneChange{change}}
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
