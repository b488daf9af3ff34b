package plan_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft/internal/sim/catalog"
	"weft/internal/study/plan"
	"weft/scenario"
	"weft/units"
)

// A ConnectX-8 has two ports of 400GbE in one cage, and none of 800GbE: the Ethernet designs of B300 nodes
// have two planes. The counts are NVIDIA's (DGX SuperPOD B300 Spectrum-X reference architecture, table 3: 1, 4 and 16
// scalable units; half of the last by the same rule). Its cables are cages: two links each.
func TestB300OnEthernetHasTheTwoPlanesOfTheReference(t *testing.T) {
	for gpus, want := range map[string][2]int{"512": {16, 8}, "2048": {64, 32}, "4096": {128, 64}, "8192": {256, 128}} {
		d := made(t, "{gpus: "+gpus+", node: dgx-b300, fabrics: roce-v2, switches: sn5600}", nil).Designs[0]
		if d.Shape != scenario.DualPlane || d.Rate != 400*units.Gbps || d.Levels != 2 || d.Count.Switches[0] != want[0] || d.Count.Switches[1] != want[1] {
			t.Errorf("%s GPUs: %s with %v switches, want %v", gpus, d.Name, d.Count.Switches, want)
		}
		modules := map[string]int{}
		for _, l := range d.Bill {
			if l.Where == "node-leaf" && l.Kind == "transceiver" {
				modules[l.Item] = l.Quantity
			}
		}
		if n := d.Count.Endpoints; modules["MMA4Z00-NS"] != n || modules["MMA4Z00-NS-FLT"] != n {
			t.Errorf("%s GPUs: %v modules for %d NICs with a cage each", gpus, modules, n)
		}
	}
}

// One port of each NIC can be left free (NVIDIA, ERA 2-8-9-400-SP: 1,024 GPUs, 16 leaves, 8 spines).
func TestOnePlaneOfB300IsHalfOfTwo(t *testing.T) {
	d := only(t, "{gpus: 1024, node: dgx-b300, fabrics: roce-v2, switches: sn5600, rate: 400Gbps, shapes: rail-optimised}")
	if d.Count.Switches[0] != 16 || d.Count.Switches[1] != 8 {
		t.Errorf("%v switches, want 16 leaves and 8 spines", d.Count.Switches)
	}
}

// NICs on a machine's boards are the machine's: no other takes their place, and their maker is none that the request could leave out. A
// slot bounds other NICs: 504 Gb/s of PCIe 5.0 hold a port of NDR and none of XDR.
func TestAMachineBoundsItsNICs(t *testing.T) {
	for _, d := range made(t, "{gpus: 576, node: gb300-nvl72, vendors: Arista}", nil).Designs {
		if d.NIC != "connectx-8" || d.Switch != "7060x6-64pe" {
			t.Errorf("%s: %s in a GB300", d.Name, d.NIC)
		}
	}
	for text, want := range map[string]string{
		"gpus: 576, node: gb300-nvl72, nics: thor-ultra":            "no thor-ultra: the NICs of gb300-nvl72, connectx-8, are on its boards",
		"gpus: 64, node: hgx-b300, nics: connectx-7, rate: 400Gbps": "no connectx-7: the NICs of hgx-b300, connectx-8, are on its boards",
		"gpus: 64, node: mi355x-8, nics: thor-ultra, rate: 800Gbps": "no thor-ultra: a slot of mi355x-8 has 504.1 Gb/s",
	} {
		if p := made(t, "{"+text+", shapes: single-switch}", nil); len(p.Designs) > 0 || !slices.Contains(p.Unfit, want) {
			t.Errorf("%s: %d designs, %v", text, len(p.Designs), p.Unfit)
		}
	}
	for _, d := range made(t, "{gpus: 64, node: mi300x-8, nics: connectx-8}", nil).Designs {
		if d.Resolved.Fabrics[0].Link.Rate() > 400*units.Gbps || d.Merits.Planes > 1 {
			t.Errorf("%s in a slot of PCIe 5.0", d.Name)
		}
	}
}

// SN5640: 64 cages of two ports of 400 Gb/s, and no 800GbE (NVIDIA's patch of Linux). BlueField-3: 400GbE or NDR.
func TestARateBelongsToThePort(t *testing.T) {
	for _, d := range made(t, "{gpus: 64, node: mi300x-8, fabrics: roce-v2, nics: connectx-7, switches: [sn5640, sn5400]}", nil).Designs {
		if d.Resolved.Fabrics[0].Link.Rate() > 400*units.Gbps {
			t.Errorf("%s has ports of 800 Gb/s", d.Name)
		}
	}
	if n := len(made(t, "{gpus: 64, node: mi300x-8, fabrics: infiniband, nics: bluefield-3}", nil).Designs); n == 0 {
		t.Error("BlueField-3 has no InfiniBand")
	}
	// Its price has the bound of switches with such cages, of which an SN5600 has a public price.
	d := made(t, "{gpus: 64, node: mi300x-8, nics: connectx-7, switches: sn5640, shapes: single-switch}", nil).Designs[0]
	for _, l := range d.Bill {
		if l.Item == "sn5640" && (l.Power.Most != 4_000_000 || d.Cost.Total().Most() > 350_000*plan.PerUnit) {
			t.Errorf("the bounds of an SN5640 are %d mW, and %d of the design", l.Power.Most, d.Cost.Total().Most())
		}
	}
	e, err := catalog.Lookup(catalog.Switch, "sn5640")
	if f, _ := e.Get("rate"); err != nil || f.Value != "400Gbps" {
		t.Errorf("the rate of an SN5640 is %s", f.Value)
	}
}

// A plane that fits one switch is one switch (NVIDIA, ERA 2-8-9-800: no spine up to 16 nodes; up to 128 NICs a plane of
// 128 ports).
func TestSmallPlanesAreASwitchEach(t *testing.T) {
	p := made(t, "{gpus: 128, node: dgx-b300, fabrics: roce-v2, switches: sn5600}", nil)
	d := p.Designs[0]
	if d.Shape != scenario.DualPlane || d.Count.TotalSwitches() != 2 || d.Levels != 1 {
		t.Errorf("%s has %v switches in %d levels, want a switch for each plane", d.Name, d.Count.Switches, d.Levels)
	}
}

// The cable fits the NIC: a BlueField-3 has QSFP112, a ConnectX-7 OSFP (NVIDIA's list of cables and its page on the
// MMA4Z00-NS400-T).
func TestACableFitsTheConnectorOfTheNIC(t *testing.T) {
	for _, c := range []struct{ node, nic, sw, length, item string }{
		{"hgx-h100-pcie", "connectx-7", "sn5600", "3m", "MCP7Y00"},
		{"hgx-h100-pcie", "bluefield-3", "sn5600", "3m", "MCP7Y10"},
		{"hgx-h100-pcie", "connectx-7", "sn5600", "5m", "MCA7J60"},
		{"hgx-h100-pcie", "bluefield-3", "sn5600", "5m", "MCA7J65"},
		{"hgx-h100-pcie", "connectx-7", "sn5600", "20m", "MMA4Z00-NS400"},
		{"hgx-h100-pcie", "bluefield-3", "sn5600", "20m", "MMA1Z00-NS400"},
		{"hgx-h100-pcie", "connectx-7", "sn5600", "80m", "MMS4X00-NS400"},
		{"hgx-h100-pcie", "bluefield-3", "sn5600", "80m", "MMS1X00-NS400"},
		// A cage of QSFP-DD has eight lanes of 50 Gb/s and no copper to four of 100.
		{"hgx-h100-pcie", "connectx-7", "sn5400", "2m", "MMS4X00-NS400"},
		{"hgx-h100-pcie", "bluefield-3", "sn5400", "2m", "MMS1X00-NS400"},
		// A card in the place of the NICs of a DGX has a cage of its own.
		{"dgx-h100", "bluefield-3", "sn5600", "20m", "MMA1Z00-NS400"},
		{"rtx-pro-6000-8", "bluefield-3", "sn5600", "3m", "MCP7Y40"},
	} {
		d := made(t, "{gpus: 64, node: "+c.node+", fabrics: roce-v2, nics: "+c.nic+", switches: "+c.sw+", shapes: single-switch, cables: {node-leaf: "+c.length+"}}", nil).Designs[0]
		if !slices.ContainsFunc(d.Bill, func(l plan.Line) bool { return l.Item == c.item }) {
			t.Errorf("%s of %s at %s over %s: no %s in %+v", c.nic, c.node, c.sw, c.length, c.item, d.Bill)
		}
	}
}

// A switch with lanes of 200 Gb/s has no link to a NIC with lanes of 100: its transceivers do not slow down.
func TestLanesOf200DoNotSlowDown(t *testing.T) {
	r, err := plan.Read("plan.yaml", []byte("{gpus: 512, switches: z9964f}"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := plan.Make(context.Background(), r, nil); err != nil || len(p.Designs) > 0 {
		t.Errorf("%d designs, %v", len(p.Designs), err)
	}
}

// Counts of published designs: NVIDIA's SuperPODs of B300 (RA-11339-001, table 3) and GB300 (32 leaves and 18 spines for
// four units) and a pod of MI355X (InferenceX); of Dell's switches the count by ports at 1:1.
func TestDesignsHaveThePublishedCounts(t *testing.T) {
	for text, want := range map[string][3]int{
		"gpus: 1152, node: dgx-b300, fabrics: infiniband":                         {16, 8, 0},
		"gpus: 4608, node: dgx-b300, fabrics: infiniband":                         {64, 36, 0},
		"gpus: 2304, node: gb300-nvl72, fabrics: infiniband":                      {32, 18, 0},
		"gpus: 512, node: mi355x-8, fabrics: roce-v2, switches: 7060x6-64pe":      {8, 4, 0},
		"gpus: 1024, node: dgx-h100, fabrics: roce-v2, switches: z9864f":          {16, 8, 0},
		"gpus: 4096, node: dgx-b200, fabrics: infiniband, shapes: rail-optimised": {128, 128, 64},
	} {
		if d := made(t, "{"+text+"}", nil).Designs[0]; d.Count.Switches != want {
			t.Errorf("%s: %s has %v switches, published are %v", text, d.Name, d.Count.Switches, want)
		}
	}
}

// The NICs of a GB200 NVL72 are on its boards, with a port each: no two-port card takes their place. Those of servers are cards.
func TestTwoPlanesNeedNICsThatTakeThem(t *testing.T) {
	for request, want := range map[string]bool{
		"{gpus: 576, node: gb200-nvl72, shapes: dual-plane}":                     false,
		"{gpus: 512, node: dgx-h100, shapes: dual-plane}":                        false,
		"{gpus: 576, node: gb300-nvl72, shapes: dual-plane, fabrics: roce-v2}":   true, // both ports are the ConnectX-8's
		"{gpus: 8192, node: hgx-h800, shapes: dual-plane, fabrics: roce-v2}":     true, // as Alibaba's HPN
		"{gpus: 512, node: hgx-h100-pcie, shapes: dual-plane, fabrics: roce-v2}": true,
	} {
		p := made(t, request, nil)
		if got := len(p.Designs) > 0; got != want || !got && len(p.Unfit) == 0 {
			t.Errorf("%s: %d designs, reasons %q", request, len(p.Designs), p.Unfit)
		}
	}
}

// A chip is no switch: the reason names the switches with it.
func TestAChipNamesTheSwitchesWithIt(t *testing.T) {
	p := made(t, "{gpus: 64, node: mi355x-8, switches: tomahawk-5}", nil)
	if len(p.Unfit) != 1 || !strings.Contains(p.Unfit[0], "7060x6-64pe") || !strings.Contains(p.Unfit[0], "z9864f") || strings.Contains(p.Unfit[0], "sn5600") {
		t.Errorf("%q", p.Unfit)
	}
}

// A part at a device of another maker has the name of its form, not NVIDIA's number; at NVIDIA's own it has the number. A house of
// AMD's NICs and Arista's switches finds nothing of NVIDIA's in its bill; with ConnectX-7 only their own ends.
func TestOpticsOfOtherMakersAreNamedByTheirForm(t *testing.T) {
	for request, want := range map[string][]string{
		"gpus: 512, node: mi355x-8, switches: 7060x6-64pe":                                                 {"800G OSFP to 2x400G QSFP112 ACC", "800G OSFP 2xSR4"},
		"gpus: 512, node: mi355x-8, switches: z9864f, cables: {node-leaf: 20m, leaf-spine: 80m}":           {"800G OSFP 2xSR4", "400G QSFP112 SR4", "800G OSFP 2xDR4"},
		"gpus: 512, node: hgx-h100-pcie, switches: 7060x6-64pe, cables: {node-leaf: 20m, leaf-spine: 20m}": {"800G OSFP 2xSR4", "MMA4Z00-NS400", "800G OSFP 2xSR4"},
		"gpus: 512, node: hgx-h100-pcie, switches: sn5600, cables: {node-leaf: 20m, leaf-spine: 20m}":      {"MMA4Z00-NS", "MMA4Z00-NS400", "MMA4Z00-NS"},
	} {
		d := made(t, "{fabrics: roce-v2, shapes: rail-optimised, "+request+"}", nil).Designs[0]
		var got []string
		for _, l := range d.Bill {
			if l.Kind == "cable" || l.Kind == "transceiver" {
				got = append(got, l.Item)
				if numbered := strings.Contains(l.Title, "MMA4Z00") || strings.Contains(l.Title, "MCA7J"); numbered != strings.HasPrefix(l.Item, "M") {
					t.Errorf("%s: the title of %s is %q", request, l.Item, l.Title)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}

// A ConnectX-8 divides into four ports of 200GbE or eight of 100GbE. By hand: two levels of switches of 256 ports reach 32,768
// NICs, 256 leaves and 128 spines a plane; of 512 ports 131,072 (MRC, OCP 2026: eight planes of 512 T0 of 256 NICs, in two levels
// with three fifths of the switches of one plane in three).
func TestFourAndEightPlanesReachFurther(t *testing.T) {
	for _, x := range []struct {
		request string
		planes  int
		want    [3]int
	}{
		{"gpus: 32768, switches: sn5600, rate: 800Gbps", 4, [3]int{1024, 512, 0}},
		{"gpus: 131072, switches: sn5640", 8, [3]int{4096, 2048, 0}},
	} {
		all := made(t, "{"+x.request+", node: dgx-b300, fabrics: roce-v2, shapes: dual-plane}", nil).Designs
		d := all[max(0, slices.IndexFunc(all, func(d *plan.Design) bool { return d.Merits.Planes == x.planes }))]
		if d.Merits.Planes != x.planes || d.Count.Switches != x.want || d.Resolved.Fabrics[0].NIC.Ports != x.planes || !strings.Contains(d.Name, "-planes") {
			t.Errorf("%s: %s has %d planes and %v switches, want %d and %v", x.request, d.Name, d.Merits.Planes, d.Count.Switches, x.planes, x.want)
		}
	}
	three := made(t, "{gpus: 131072, node: dgx-b300, fabrics: roce-v2, rate: 400Gbps, switches: sn5640, shapes: rail-optimised}", nil).Designs[0]
	if three.Levels != 3 {
		t.Errorf("one plane of half the rate has %d levels", three.Levels)
	}
	// Where two levels of NICs as they are sold reach as far, a divided one is not the first.
	if d := made(t, "{gpus: 512, node: dgx-b300, fabrics: roce-v2, switches: sn5640}", nil).Designs[0]; d.Uncabled() || d.Merits.Planes != 2 {
		t.Errorf("the first design of 512 B300 is %s", d.Name)
	}
	// A switch that has no more ports at the lower rate gains nothing.
	for _, d := range made(t, "{gpus: 512, node: dgx-b300, fabrics: roce-v2, shapes: dual-plane, switches: sn5600}", nil).Designs {
		if d.Merits.Planes > 4 {
			t.Errorf("%s on a switch of 256 ports", d.Name)
		}
	}
}

// Designs of switches with the same ports share a network: each is what it is alone.
func TestADesignIsTheSameAlone(t *testing.T) {
	p := made(t, "{gpus: 512, node: dgx-b300, spare-ports: 8}", nil)
	if len(p.Designs) < 10 {
		t.Fatalf("%d designs", len(p.Designs))
	}
	for _, d := range p.Designs {
		alone, err := d.As(p.Request, d.Preset, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.Merits != alone.Merits || d.Count != alone.Count || !slices.Equal(d.Bill, alone.Bill) || string(d.Scenario) != string(alone.Scenario) {
			t.Errorf("%s: %+v of %v, alone %+v of %v", d.Name, d.Merits, d.Count, alone.Merits, alone.Count)
		}
	}
}

// Smaller units take fewer spines where leaves are not full. By hand: 260 nodes are five units of 64, 64 uplinks want 32 spines of 128
// ports; in units of 54 they want 18; of 63 they want 21, 61 switches in all (AMD's design of 2,080 GPUs has about 61). Full units stay, as
// NVIDIA's tables have them.
func TestUnitsAreEvenedWhereItSavesSpines(t *testing.T) {
	p := made(t, "{gpus: 2080, node: mi355x-8, switches: 7060x6-64pe, shapes: rail-optimised}", nil)
	want := map[string][3]int{"roce-v2-400g-7060x6-64pe-rail-optimised-1to1-u54": {40, 18, 0}, "roce-v2-400g-7060x6-64pe-rail-optimised-1to1-u63": {40, 21, 0}, "roce-v2-400g-7060x6-64pe-rail-optimised-1to1": {40, 32, 0}}
	if len(p.Designs) != len(want) {
		t.Errorf("%d designs", len(p.Designs))
	}
	for _, d := range p.Designs {
		if d.Count.Switches != want[d.Name] {
			t.Errorf("%s has %v switches, by hand %v", d.Name, d.Count.Switches, want[d.Name])
		}
	}
	for _, request := range []string{"gpus: 768, node: dgx-h100, fabrics: infiniband, shapes: rail-optimised", "gpus: 2048, node: mi355x-8, switches: 7060x6-64pe, shapes: rail-optimised"} {
		if p := made(t, "{"+request+"}", nil); len(p.Designs) != 1 {
			t.Errorf("%s: %d designs, want full units alone", request, len(p.Designs))
		}
	}
}

// Racks are divided evenly beside full units. NVIDIA's design of eight GB300 NVL72 racks on Ethernet (enterprise RA 2-4-5-800) has 16
// leaves and 6 spines on each of two planes: two racks a leaf, 36 trays of 64; 36 uplinks have no divisor between 4.5 and 6.
func TestRacksAreDividedEvenly(t *testing.T) {
	p := made(t, "{gpus: 576, node: gb300-nvl72, fabrics: roce-v2, switches: sn5610, shapes: dual-plane}", nil)
	i := slices.IndexFunc(p.Designs, func(d *plan.Design) bool { return d.Count.Switches == [3]int{32, 12, 0} })
	if i < 0 || !p.Designs[i].Front {
		t.Errorf("of %d designs none on the front has 2 x (16 + 6) switches", len(p.Designs))
	}
}

// A switch with co-packaged optics takes fibres and no modules, and the NICs theirs.
func TestCoPackagedOpticsTakeNoModulesAtTheSwitch(t *testing.T) {
	d := first(t, "{gpus: 1152, node: dgx-b300, fabrics: infiniband, switches: q3450-ld, shapes: rail-optimised}")
	modules := map[string]int{}
	for _, l := range d.Bill {
		if l.Kind == "transceiver" {
			modules[l.Item] += l.Quantity
		}
	}
	if len(modules) != 1 || modules["MMS4A20"] != 1152 || d.Uncabled() {
		t.Errorf("the modules are %v, want one at each of 1,152 NICs", modules)
	}
}

// A port of a divided NIC has a lane of 100 Gb/s for each 100 Gb/s; those of switches of 400G and slower ports have more, slower ones.
func TestADividedNICNeedsSwitchesOfItsLanes(t *testing.T) {
	for _, d := range made(t, "{gpus: 64, node: dgx-b300, fabrics: roce-v2}", nil).Designs {
		if strings.Contains(d.Name, "4-planes") || strings.Contains(d.Name, "8-planes") {
			if slices.Contains([]string{"sn2700", "sn3700", "sn4700", "sn5400", "7060cx-32s", "9332d-h2r", "z9664f"}, d.Switch) || d.Uncabled() {
				t.Errorf("%s links other lanes than a ConnectX-8 has, or lacks cables: %v", d.Name, d.Uncabled())
			}
		}
	}
}
