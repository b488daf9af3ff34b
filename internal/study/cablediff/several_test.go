package cablediff

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Faults of several cables: each is one finding that names its ports, and nothing else is found.
func TestSeveralPlantedFaultsAreNamedApart(t *testing.T) {
	type want struct {
		kind Kind
		text string
	}
	for _, c := range []struct {
		name  string
		of    func(*testing.T) *world
		plant func(w *world)
		want  []want
	}{
		{"two swaps on one leaf", rails, func(w *world) {
			w.cross("leaf12", "swp33", "leaf12", "swp34")
			w.cross("leaf12", "swp35", "leaf12", "swp36")
		}, []want{{Swapped, "leaf12 swp33 – spine1 swp7 and leaf12 swp34 – spine0 swp7"}, {Swapped, "leaf12 swp35 – spine3 swp7 and leaf12 swp36 – spine2 swp7"}}},
		{"a swap of hosts and a swap of uplinks on one leaf", pods, func(w *world) {
			w.cross("pod0-leaf1", "Ethernet0", "pod0-leaf1", "Ethernet4")
			w.cross("pod0-leaf1", "Ethernet64", "pod0-leaf1", "Ethernet72")
		}, []want{{Swapped, "gpu1-"}, {Swapped, "pod0-spine"}}},
		{"uplinks of two leaves of different units are crossed", rails, func(w *world) { w.cross("leaf02", "swp33", "leaf13", "swp34") }, []want{{Swapped, "leaf02 swp33"}}},
		{"uplinks of two leaves of different pods are crossed", pods, func(w *world) { w.cross("pod0-leaf0", "Ethernet64", "pod1-leaf5", "Ethernet72") }, []want{{Swapped, "pod0-leaf0 Ethernet64"}}},
		{"a moved plug whose old port is taken by another moved plug", rails, func(w *world) {
			w.move("leaf00", "swp33", "leaf00", "swp50")
			w.move("leaf00", "swp34", "leaf00", "swp33")
		}, []want{{Moved, "2 plugs at leaf00"}}},
		{"two hosts on leaves of each other's rails", rails, func(w *world) {
			w.cross("leaf02", "swp6", "leaf03", "swp7")
		}, []want{{Swapped, "rail"}}},
		{"a whole leaf is missing", rails, func(w *world) {
			for h := range 8 {
				w.cut("leaf03", fmt.Sprintf("swp%d", h+1))
			}
			for s := range 4 {
				w.cut("leaf03", fmt.Sprintf("swp%d", 33+s))
			}
			w.rename("leaf03", "")
		}, []want{{NoDevice, "leaf03 is not there, so 12"}}},
		{"a whole leaf is missing, and another's uplink is gone", pods, func(w *world) {
			for h := range 4 {
				w.cut("pod1-leaf4", fmt.Sprintf("Ethernet%d", 4*h))
			}
			for s := range 4 {
				w.cut("pod1-leaf4", fmt.Sprintf("Ethernet%d", 64+4*s))
			}
			w.rename("pod1-leaf4", "")
			w.cut("pod1-leaf5", "Ethernet76")
		}, []want{{NoDevice, "pod1-leaf4 is not there, so 8"}, {Missing, "pod1-leaf5 Ethernet76"}}},
		{"half width, a slower cable and a dead port on one director", subnet, func(w *world) {
			_, c := w.at("MF0;core:MCS8500/L02/U1", "1")
			c.Link = "2xHDR"
			_, c = w.at("MF0;core:MCS8500/L04/U1", "3")
			c.Link = "4xEDR"
			w.cut("MF0;core:MCS8500/L06/U1", "4")
		}, []want{{Missing, "core L06/U1/4"}, {Slower, "4xEDR, planned 4xHDR"}, {Narrower, "2xHDR, planned 4xHDR"}}},
		{"a swap, a missing cable, a wrong rail and a wrong unit at once", rails, func(w *world) {
			w.cross("leaf10", "swp33", "leaf10", "swp35")
			w.cut("leaf11", "swp36")
			w.move("leaf01", "swp2", "leaf02", "swp20")
			w.move("leaf00", "swp5", "leaf10", "swp20")
		}, []want{{Missing, "leaf11 swp36"}, {Swapped, "leaf10 swp33"}, {WrongUnit, "gpu4 eth0"}, {WrongRail, "gpu1 eth1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, w := c.of(t), c.of(t)
			c.plant(w)
			r := Compare(plan.f, w.f, "plan", "real")
			left := slices.Clone(r.Findings)
			for _, x := range c.want {
				i := slices.IndexFunc(left, func(f Finding) bool { return f.Kind == x.kind && strings.Contains(f.Text, x.text) && f.Action != "" })
				if i < 0 {
					t.Errorf("no %s with %q", x.kind, x.text)
					continue
				}
				left = slices.Delete(left, i, i+1)
			}
			if len(left) > 0 || t.Failed() {
				for _, f := range r.Findings {
					t.Logf("%s: %s: %s", f.Kind, f.Text, f.Action)
				}
				t.Errorf("%d findings beyond the planted faults", len(left))
			}
		})
	}
}
