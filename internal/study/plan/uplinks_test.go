package plan_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/study/plan"
)

// AMD's cluster guide for MI3XX gives leaves 16 % more uplinks: 260 nodes of eight NICs on rails of 51.2 Tb/s switches are about 61. By
// hand: 5 units of 54 nodes, 40 leaves of 63 uplinks, three to each of 21 spines.
func TestLeavesMayHaveMoreUplinksThanNICs(t *testing.T) {
	d := made(t, `{gpus: 2080, node: mi355x-8, switches: 7060x6-64pe, shapes: rail-optimised, max-oversubscription: "6:7"}`, nil).Designs[0]
	if d.Count.Switches != [3]int{40, 21, 0} || d.Count.Cables[topology.LeafSpine] != 40*63 {
		t.Errorf("%s: %+v", d.Name, d.Count)
	}
	p := made(t, `{gpus: 64, node: mi355x-8, switches: 7060x6-64pe, max-oversubscription: "6:7"}`, nil)
	if d = p.Designs[0]; d.Levels != 1 {
		t.Errorf("64 GPUs on %s: one switch has no uplinks that could be too few", d.Name)
	}
	if _, err := plan.Read("plan.yaml", []byte("{max-oversubscription: 0}")); err == nil {
		t.Error("an oversubscription of 0 is read")
	}
}

// A ratio of the request that is in no list is tried.
func TestAnOversubscriptionOfItsOwnIsTried(t *testing.T) {
	p := made(t, `{gpus: 1024, switches: sn5600, shapes: rail-optimised, max-oversubscription: "5:3"}`, nil)
	if !slices.ContainsFunc(p.Designs, func(d *plan.Design) bool { return d.Oversubscription.Cmp(5, 3) == 0 }) {
		t.Error("no design of 5:3")
	}
}

// Meta's RoCE cluster of 24,576 GPUs: twice as many uplinks as NICs on a leaf, and 7:1 above the spines (Meta, SIGCOMM 2024). Spines of 128
// ports have 112 down and 16 up.
func TestSpinesHaveAnOversubscriptionOfTheirOwn(t *testing.T) {
	d := only(t, `{gpus: 24576, switches: 7060x6-64pe, shapes: fat-tree, max-oversubscription: "1:2", spine-oversubscription: "7:1"}`)
	down, up := d.Count.Cables[topology.LeafSpine], d.Count.Cables[topology.SpineCore]
	if d.Levels != 3 || up*7 < down || up*7 > down*103/100 || down != d.Count.Switches[0]*84 { // 42 NICs and 84 uplinks
		t.Errorf("%d leaves, %d cables to spines, %d to cores", d.Count.Switches[0], down, up)
	}
	two := only(t, `{gpus: 1024, switches: sn5600, shapes: rail-optimised, fabrics: roce-v2, spine-oversubscription: "7:1"}`)
	if strings.Contains(string(two.Scenario), "spine-oversubscription") {
		t.Error("a design without cores states the ratio of its spines")
	}
}

// Each leaf of two levels has as many cables to each spine.
func TestSpinesDivideTheUplinksOfALeaf(t *testing.T) {
	for _, text := range []string{
		"{gpus: 2080, node: mi355x-8, max-oversubscription: 2}", "{gpus: 576, node: gb300-nvl72, fabrics: roce-v2}",
		"{gpus: 1408, node: dgx-h100}", "{gpus: 3000, node: dgx-b300, spare-ports: 40}",
	} {
		r, err := plan.Read("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Make(context.Background(), r, nil)
		if err != nil || len(p.Designs) == 0 {
			t.Fatalf("%s: %d designs, %v", text, len(p.Designs), err)
		}
		for _, d := range p.Designs {
			if n := d.Count; d.Levels == 2 && d.Shape != "dragonfly" && n.Cables[topology.LeafSpine]/n.Switches[0]%(n.Switches[1]/d.Merits.Planes) != 0 {
				t.Errorf("%s: %s: %d leaves, %d spines and %d cables between them", text, d.Name, n.Switches[0], n.Switches[1], n.Cables[topology.LeafSpine])
			}
		}
	}
}

// So have the leaves of a tree that a single switch grows into: 576 NICs are ten leaves of up to 60, with 12 cables to each of 5 spines.
func TestSpinesOfALaterTreeDivideTheUplinks(t *testing.T) {
	p := made(t, "{gpus: 64, gpus-later: 576, fabrics: roce-v2, switches: sn5600, shapes: [single-switch, fat-tree]}", nil)
	i := slices.IndexFunc(p.Designs, func(d *plan.Design) bool { return d.Levels == 1 })
	if i < 0 || p.Designs[i].Growth.Count.Switches != [3]int{10, 5, 0} {
		t.Errorf("the single switch is design %d, and grows into %+v", i, p.Designs[max(0, i)].Growth)
	}
}

// A card of two QSFP112 ports takes QSFP112 modules at 200 Gb/s too, not the OSFP ones of cards with one port (MMA1Z00-NS400, NVIDIA).
func TestACardOfTwoPortsHasModulesOfItsConnector(t *testing.T) {
	d := made(t, "{gpus: 8192, node: hgx-h800, fabrics: roce-v2, shapes: dual-plane, switches: sn5600}", nil).Designs[0]
	at := slices.IndexFunc(d.Bill, func(l plan.Line) bool { return l.Item == "MMA1Z00-NS400" })
	if at < 0 || d.Bill[at].Quantity != 16384 || slices.ContainsFunc(d.Bill, func(l plan.Line) bool { return l.Item == "MMA4Z00-NS400" }) {
		t.Errorf("%+v", d.Bill)
	}
}
