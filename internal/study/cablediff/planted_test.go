package cablediff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/cabling"
	"weft/units"
)

// world is a fabric that a test changes, by the names of its ports.
type world struct {
	t *testing.T
	f *cabling.Fabric
}

func (w *world) device(name string, role cabling.Role) int {
	for i := range w.f.Devices {
		if w.f.Devices[i].Name == name {
			return i
		}
	}
	w.f.Devices = append(w.f.Devices, cabling.Device{Name: name, Role: role})
	return len(w.f.Devices) - 1
}

func (w *world) cable(a, aPort, b, bPort string) {
	role := func(name string) cabling.Role {
		if strings.HasPrefix(name, "gpu") {
			return cabling.Host
		}
		return cabling.Switch
	}
	w.f.Cables = append(w.f.Cables, cabling.Cable{
		A: cabling.End{Device: w.device(a, role(a)), Port: aPort}, B: cabling.End{Device: w.device(b, role(b)), Port: bPort},
		Rate: 400 * units.Gbps, Place: cabling.Place{File: "file", Line: len(w.f.Cables) + 1},
	})
}

// at is the end of a port, which must have a cable, and the cable.
func (w *world) at(device, port string) (*cabling.End, *cabling.Cable) {
	for i := range w.f.Cables {
		c := &w.f.Cables[i]
		for _, e := range []*cabling.End{&c.A, &c.B} {
			if w.f.Devices[e.Device].Name == device && e.Port == port {
				return e, c
			}
		}
	}
	w.t.Fatalf("no cable at %s %s", device, port)
	return nil, nil
}

func (w *world) cut(device, port string) {
	_, c := w.at(device, port)
	i := slices.IndexFunc(w.f.Cables, func(d cabling.Cable) bool { return d == *c })
	w.f.Cables = slices.Delete(w.f.Cables, i, i+1)
}

func (w *world) cross(a, aPort, b, bPort string) {
	e, _ := w.at(a, aPort)
	f, _ := w.at(b, bPort)
	*e, *f = *f, *e
}

func (w *world) move(device, port, to, toPort string) {
	e, _ := w.at(device, port)
	*e = cabling.End{Device: w.device(to, cabling.Switch), Port: toPort}
}

func (w *world) rename(device, to string) { w.f.Devices[w.device(device, 0)].Name = to }

// rails is two units of four rails: eight hosts a unit, four leaves a unit, four spines.
func rails(t *testing.T) *world {
	w := &world{t, &cabling.Fabric{Format: "test"}}
	for unit := range 2 {
		for rail := range 4 {
			leaf := fmt.Sprintf("leaf%d%d", unit, rail)
			for h := range 8 {
				w.cable(fmt.Sprintf("gpu%d", 8*unit+h), fmt.Sprintf("eth%d", rail), leaf, fmt.Sprintf("swp%d", h+1))
			}
			for s := range 4 {
				w.cable(leaf, fmt.Sprintf("swp%d", 33+s), fmt.Sprintf("spine%d", s), fmt.Sprintf("swp%d", 4*unit+rail+1))
			}
		}
	}
	return w
}

// subnet is an InfiniBand tree with a director: hosts with one adapter each, leaves, and a director whose chips have
// names as the firmware gives them.
func subnet(t *testing.T) *world {
	w := &world{t, &cabling.Fabric{Format: "test"}}
	for leaf := range 4 {
		name := fmt.Sprintf("MF0;ib-leaf%d:MQM8700/U1", leaf)
		for h := range 10 {
			w.cable(fmt.Sprintf("gpu%d%d mlx5_0", leaf, h), "1", name, fmt.Sprint(h+1))
		}
		for u := range 6 {
			w.cable(name, fmt.Sprint(21+u), fmt.Sprintf("MF0;core:MCS8500/L%02d/U1", u+1), fmt.Sprint(leaf+1))
		}
	}
	for line := range 6 {
		for spine := range 2 {
			w.cable(fmt.Sprintf("MF0;core:MCS8500/L%02d/U1", line+1), fmt.Sprint(21+spine), fmt.Sprintf("MF0;core:MCS8500/S%02d/U1", spine+1), fmt.Sprint(line+1))
		}
	}
	for i := range w.f.Devices {
		d := &w.f.Devices[i]
		d.GUID = units.GUID(0x1000 + i)
		if d.Role == cabling.Host {
			d.Group, _, _ = strings.Cut(d.Name, " ")
		}
	}
	for i := range w.f.Cables {
		w.f.Cables[i].Link = "4xHDR"
	}
	return w
}

// pods is two pods of single-homed hosts, and spines with storage on them.
func pods(t *testing.T) *world {
	w := &world{t, &cabling.Fabric{Format: "test"}}
	for leaf := range 6 {
		name := fmt.Sprintf("pod%d-leaf%d", leaf/3, leaf)
		for h := range 4 {
			w.cable(fmt.Sprintf("gpu%d-%d", leaf, h), "eth0", name, fmt.Sprintf("Ethernet%d", 4*h))
		}
		for s := range 2 {
			for k := range 2 {
				w.cable(name, fmt.Sprintf("Ethernet%d", 64+8*s+4*k), fmt.Sprintf("pod%d-spine%d", leaf/3, s), fmt.Sprintf("Ethernet%d", 8*leaf+4*k))
			}
		}
	}
	for s := range 4 {
		w.cable(fmt.Sprintf("gpu-store%d", s), "eth0", fmt.Sprintf("pod%d-spine%d", s/2, s%2), "Ethernet240")
	}
	return w
}

// Each planted fault is one finding, which names the ports and has the one action that mends it.
func TestPlantedFaultsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name   string
		of     func(*testing.T) *world
		plant  func(w *world)
		kind   Kind
		text   string
		action string
	}{
		{"a cable between switches is gone", rails, func(w *world) { w.cut("leaf01", "swp34") }, Missing, "leaf01 swp34", "connect leaf01 swp34 with spine1 swp2"},
		{"a dead spine port", subnet, func(w *world) { w.cut("MF0;core:MCS8500/L03/U1", "2") }, Missing, "core L03/U1/2", "connect ib-leaf1 port 23 with core L03/U1/2"},
		{"a cable of a host is gone", pods, func(w *world) { w.cut("gpu3-2", "eth0") }, Missing, "gpu3-2 eth0", "connect gpu3-2 eth0 with pod1-leaf3 Ethernet8"},
		{"two uplinks of a leaf are crossed", rails, func(w *world) { w.cross("leaf12", "swp33", "leaf12", "swp36") }, Swapped, "leaf12", "exchange the plugs at leaf12 of swp33 and swp36"},
		{"two uplinks of two leaves are crossed", subnet, func(w *world) { w.cross("MF0;ib-leaf0:MQM8700/U1", "21", "MF0;ib-leaf3:MQM8700/U1", "24") }, Swapped, "ib-leaf3 port 24", "exchange the plugs at core of L01/U1/1 and L04/U1/4"},
		{"two hosts of a leaf are crossed", pods, func(w *world) { w.cross("pod0-leaf1", "Ethernet4", "pod0-leaf1", "Ethernet12") }, Swapped, "pod0-leaf1", "exchange the plugs at pod0-leaf1 of Ethernet12 and Ethernet4"},
		{"two rails of a host are crossed", rails, func(w *world) { w.cross("gpu5", "eth1", "gpu5", "eth2") }, Swapped, "rail", "exchange the plugs at gpu5 of eth1 and eth2"},
		{"hosts of two units are crossed", rails, func(w *world) { w.cross("gpu2", "eth3", "gpu11", "eth3") }, Swapped, "unit", "exchange the plugs of"},
		{"three plugs in a ring", rails, func(w *world) {
			w.cross("leaf00", "swp1", "leaf00", "swp2")
			w.cross("leaf00", "swp2", "leaf00", "swp3")
		}, Swapped, "3 cables", "leaf00 swp2"},
		{"two hosts are in each other's place", rails, func(w *world) {
			for rail := range 4 {
				w.cross("gpu1", fmt.Sprintf("eth%d", rail), "gpu9", fmt.Sprintf("eth%d", rail))
			}
		}, Swapped, "gpu1 and gpu9 are in each other's place", "exchange all cables of gpu1 and gpu9"},
		{"a plug in another port of the switch", pods, func(w *world) { w.move("pod0-leaf0", "Ethernet64", "pod0-leaf0", "Ethernet100") }, Moved, "Ethernet100", "move the plug at pod0-leaf0 from Ethernet100 to Ethernet64"},
		{"a plug in another port of the director", subnet, func(w *world) { w.move("MF0;core:MCS8500/L02/U1", "3", "MF0;core:MCS8500/L05/U1", "9") }, Moved, "core L05/U1/9", "move the plug at core from L05/U1/9 to L02/U1/3"},
		{"a row of plugs is off by one", pods, func(w *world) {
			for h := 3; h >= 0; h-- {
				w.move("pod1-leaf5", fmt.Sprintf("Ethernet%d", 4*h), "pod1-leaf5", fmt.Sprintf("Ethernet%d", 4*h+4))
			}
		}, Moved, "4 plugs at pod1-leaf5", "in this order: Ethernet4 to Ethernet0"},
		{"both plugs of a cable in other ports", rails, func(w *world) {
			w.move("leaf03", "swp35", "leaf03", "swp40")
			w.move("spine2", "swp4", "spine2", "swp50")
		}, Moved, "swp40", "move both plugs"},
		{"a host's cable on another rail", rails, func(w *world) { w.move("leaf02", "swp6", "leaf03", "swp20") }, WrongRail, "gpu5 eth2", "move the plug from leaf03 swp20 to leaf02 swp6"},
		{"a host's cable in another unit", rails, func(w *world) { w.move("leaf02", "swp6", "leaf12", "swp20") }, WrongUnit, "gpu5 eth2", "move the plug from leaf12 swp20 to leaf02 swp6"},
		{"a host in another unit", rails, func(w *world) {
			for rail := range 4 {
				w.move(fmt.Sprintf("leaf0%d", rail), "swp3", fmt.Sprintf("leaf1%d", rail), "swp20")
			}
		}, WrongUnit, "4 cables of gpu2", "move the plugs of gpu2: leaf10 swp20 to leaf00 swp3"},
		{"a host in another pod", pods, func(w *world) { w.move("pod0-leaf2", "Ethernet8", "pod1-leaf4", "Ethernet200") }, WrongUnit, "pod1, not pod0", "move the plug from pod1-leaf4 Ethernet200 to pod0-leaf2 Ethernet8"},
		{"a host on another leaf", subnet, func(w *world) { w.move("MF0;ib-leaf2:MQM8700/U1", "4", "MF0;ib-leaf1:MQM8700/U1", "14") }, Moved, "ib-leaf1 port 14", "move the plug from ib-leaf1 port 14 to ib-leaf2 port 4"},
		{"a lost lane", subnet, func(w *world) {
			_, c := w.at("MF0;ib-leaf1:MQM8700/U1", "25")
			c.Link, c.Rate = "2xHDR", 100*units.Gbps
		}, Narrower, "2xHDR, planned 4xHDR", "reseat the plugs of ib-leaf1 port 25"},
		{"a slower link", pods, func(w *world) { _, c := w.at("pod1-spine1", "Ethernet240"); c.Rate = 100 * units.Gbps }, Slower, "100 Gb/s, planned 400 Gb/s", "reseat"},
		{"an extra cable", rails, func(w *world) { w.cable("leaf00", "swp60", "spine3", "swp60") }, Extra, "leaf00 swp60", "unplug the cable between leaf00 swp60 and spine3 swp60"},
		{"a switch is not there", pods, func(w *world) {
			for leaf := range 3 {
				for k := range 2 {
					w.cut("pod0-spine1", fmt.Sprintf("Ethernet%d", 8*leaf+4*k))
				}
			}
			w.cut("pod0-spine1", "Ethernet240")
			w.rename("pod0-spine1", "")
		}, NoDevice, "pod0-spine1 is not there, so 7", "switch pod0-spine1 on"},
		{"a chip of a director is not there", subnet, func(w *world) {
			for line := range 6 {
				w.cut("MF0;core:MCS8500/S02/U1", fmt.Sprint(line+1))
			}
			w.rename("MF0;core:MCS8500/S02/U1", "")
		}, NoDevice, "chip S02/U1 of core is not there, so 6", "look at the board of chip S02/U1 in core"},
		{"another host at a host's place", rails, func(w *world) { w.rename("gpu7", "gpu77") }, OtherName, "at the place of gpu7 is gpu77", "give the device the name gpu7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, w := c.of(t), c.of(t)
			c.plant(w)
			r := Compare(plan.f, w.f, "plan", "real")
			if len(r.Findings) != 1 {
				for _, f := range r.Findings {
					t.Logf("%s: %s: %s", f.Kind, f.Text, f.Action)
				}
				t.Fatalf("%d findings, want 1", len(r.Findings))
			}
			f := r.Findings[0]
			if f.Kind != c.kind || !strings.Contains(f.Text, c.text) || !strings.Contains(f.Action, c.action) || len(f.Evidence) == 0 || len(f.Ends) == 0 {
				t.Errorf("%s: %s: %s %q, want %s: %s: %s", f.Kind, f.Text, f.Action, f.Evidence, c.kind, c.text, c.action)
			}
		})
	}
}

func TestACleanFabricHasNoFinding(t *testing.T) {
	for name, of := range map[string]func(*testing.T) *world{"rails": rails, "subnet": subnet, "pods": pods} {
		plan, w := of(t), of(t)
		for i := range w.f.Cables { // the order and the direction of cables mean nothing
			w.f.Cables[i].A, w.f.Cables[i].B = w.f.Cables[i].B, w.f.Cables[i].A
		}
		slices.Reverse(w.f.Cables)
		for i := range w.f.Devices {
			w.f.Devices[i].Name = strings.ToUpper(w.f.Devices[i].Name[:1]) + w.f.Devices[i].Name[1:]
		}
		r := Compare(plan.f, w.f, "plan", "real")
		if len(r.Findings) > 0 || r.Judged != len(plan.f.Cables) || r.AsPlanned != r.Judged || len(r.Covers)+len(r.NotJudged) > 0 {
			t.Errorf("%s: %+v, %d judged, %d as planned, %q %q", name, r.Findings, r.Judged, r.AsPlanned, r.Covers, r.NotJudged)
		}
	}
}
