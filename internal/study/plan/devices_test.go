package plan_test

import (
	"os"
	"strings"
	"testing"

	"weft/internal/sim/catalog"
	"weft/internal/study/plan"
	"weft/scenario"
	"weft/units"
)

// Ten lines add a switch and a cable: the bill has them, with their watts and prices. By hand: 12 switches of 850 W and 45,000 USD, and
// modules of 8 W for 700 USD at both ends of 512 cables of 60 m between switches, two links to a module.
func TestADeviceOfTheUsersIsPlanned(t *testing.T) {
	text, err := os.ReadFile("../../../examples/plan/devices.yaml")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := plan.ReadDevices("devices.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	undo := catalog.Extend(entries)
	defer undo()
	d := first(t, "{gpus: 512, fabrics: roce-v2, switches: acme-51t, cables: {leaf-spine: 55m}}")
	if d.Count.Switches != [3]int{8, 4, 0} {
		t.Errorf("%v switches", d.Count.Switches)
	}
	modules := 0
	for _, l := range d.Bill {
		switch {
		case l.Item == "acme-51t" && l.Power.Value != 850_000:
			t.Errorf("%+v", l)
		case l.Item == "ACME-LPO":
			modules += l.Quantity
			if l.Power.Value != 8_000 {
				t.Errorf("%+v", l)
			}
		}
	}
	if modules != 512 {
		t.Errorf("%d modules of the user's between switches, by hand 512", modules)
	}
	price := plan.Public()
	if b := string(plan.PriceFile()); !strings.Contains(b, "acme-51t") || price == nil {
		t.Error("no price file can name the switch")
	}
	undo()
	if _, err := catalog.Lookup(catalog.Switch, "acme-51t"); err == nil {
		t.Error("the switch is still in the catalog")
	}
}

// The scenario of a design with devices of the user's holds their values: other commands read it without the user's file.
func TestAScenarioHoldsTheValuesOfAUsersDevices(t *testing.T) {
	entries, err := plan.ReadDevices("devices.yaml", []byte(`
switches: [{name: acme-51t, like: sn5600, vendor: Acme, ports: 64, split: 128, cages: 64, rate: 800Gbps, latency: 700ns}]
nics: [{name: acme-nic, like: connectx-8, vendor: Acme, rate: 400Gbps}]
`))
	if err != nil {
		t.Fatal(err)
	}
	undo := catalog.Extend(entries)
	defer undo()
	for _, shape := range []string{"fat-tree", "rail-optimised"} {
		d := first(t, "{gpus: 512, fabrics: roce-v2, vendors: Acme, switches: acme-51t, nics: acme-nic, shapes: "+shape+"}")
		undo()
		file, err := scenario.Decode(d.Name, d.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		r, err := file.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		s, n := r.Fabrics[0].Switch, r.Fabrics[0].NIC
		if s.Ports != 64 || s.MaxPorts != 128 || s.Rate != 800*units.Gbps || s.Latency != 700*units.Nanosecond || s.Model != "sn5600" {
			t.Errorf("%s: the switch is %+v", d.Name, s)
		}
		if n.Rate != 400*units.Gbps || n.Model != "connectx-8" {
			t.Errorf("%s: the NIC is %+v", d.Name, n)
		}
		if len(file.Idle(r)) > 0 {
			t.Errorf("%s: fields without effect: %v", d.Name, file.Idle(r))
		}
		catalog.Extend(entries)
	}
}

// What a device does not state is as of the entry that it is like, for each of its ports; and it is not trusted as what was read of it. The
// end of a module at the NIC keeps its own power, unless the file names it.
func TestADeviceIsLikeItsEntryButNotAsTrusted(t *testing.T) {
	entries, err := plan.ReadDevices("devices.yaml", []byte(`
switches: [{name: acme, like: sn5600, vendor: Acme, ports: 32}]
nics: [{name: own, like: connectx-8, vendor: Acme, rate: 400Gbps}]
cables: [{name: lpo, like: osfp-400g-dr4, part: LPO, watts: 8W}, {name: dac, like: osfp-400g-dac-nic, part: DAC}]
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []map[string]string{
		{"max-ports": "128", "about.cages": "32", "rate": "800Gbps"},
		{"about.ethernet.ports": "", "about.ethernet.rate": "", "about.two-ports": "", "about.connector": "OSFP"},
		{"switch-power": "8W", "nic-power": "9W", "nic-module": "MMS4X00-NS400"},
		{"about.qsfp112.switch-module": "", "switch-module": "DAC"},
	} {
		for field, value := range want {
			if f, _ := entries[i].Get(field); f.Value != value {
				t.Errorf("%s: %s is %q, want %q", entries[i].Name, field, f.Value, value)
			}
		}
		for _, f := range entries[i].Facts {
			if f.From != entries[i].Name && catalog.Softer(f.Tag, catalog.Derived) != f.Tag {
				t.Errorf("%s: %s of %s is trusted as %s", entries[i].Name, f.Field, f.From, f.Tag)
			}
		}
	}
}

// The power of another device is not the device's.
func TestADeviceDoesNotInheritPower(t *testing.T) {
	entries, err := plan.ReadDevices("devices.yaml", []byte("switches: [{name: acme, like: sn5600, vendor: Acme, ports: 64, split: 128, cages: 64, rate: 800Gbps}]"))
	if err != nil {
		t.Fatal(err)
	}
	defer catalog.Extend(entries)()
	d := first(t, "{gpus: 512, fabrics: roce-v2, switches: acme, vendors: [Acme, NVIDIA]}")
	if d.Power.Complete() || !strings.Contains(d.Power.MissingText(), "switch acme") || !strings.Contains(d.Cost.Total().MissingText(), "acme") {
		t.Errorf("power %+v, cost %+v", d.Power, d.Cost.Total())
	}
}

func TestADeviceThatContradictsItselfIsAnError(t *testing.T) {
	const ok = "like: sn5600, vendor: A, rate: 800Gbps"
	for text, want := range map[string]string{
		"switches: [{name: a, ports: 64, split: 32, " + ok + "}]":                        "switches[0].split: 32 ports at lower rates are fewer than the 64",
		"switches: [{name: a, ports: 64, split: 1000, " + ok + "}]":                      "switches[0].split: 1000 ports at lower rates are more than 8 for each of the 64",
		"cables: [{name: a, like: osfp-400g-dac-nic, part: P, reach: 900m}]":             "cables[0].reach: osfp-400g-dac-nic is a copper cable and reaches no 900 m",
		"switches: [{name: a, ports: 64, cages: 65, " + ok + "}]":                        "switches[0].cages: 65 cages are more than the 64 ports",
		"switches: [{name: a, ports: 64, cages: 48, " + ok + "}]":                        "64 ports do not divide among 48 cages",
		"switches: [{name: a, ports: 64, watts: 9W, max-watts: 8W, " + ok + "}]":         "switches[0].watts: 9 W typical is more than the 8 W at most",
		"switches: [{name: a, ports: 64, each: 0, " + ok + "}]":                          `switches[0].each: "0": want an amount of USD above 0`,
		"switches: [{name: a, ports: 64, " + ok + "}, {name: a, ports: 64, " + ok + "}]": `switches[1].name: "a" is there twice`,
		"switches: [{name: sn5600, ports: 64, " + ok + "}]":                              `the catalog has a switch "sn5600"`,
		"switches: [{name: a, ports: 64, like: sn560, vendor: A}]":                       `did you mean "sn5600"`,
		"switches: [{name: a, " + ok + "}]":                                              "switches[0].ports: want the ports",
		"nics: [{name: a, like: connectx-7, vendor: B, ports: 2}]":                       "nics[0].ports: a nic has none",
		"nics: [{name: A b, like: connectx-7, vendor: B}]":                               "nics[0].name",
		"nics: [{name: a, like: connectx-7}]":                                            "nics[0].vendor: want the maker",
		"switches: [{name: a, like: sn5600, vendor: A, ports: 32, rate: 1600Gbps}]":      "switches[0].rate: 1.6 Tb/s is more than the 800 Gb/s of a port of sn5600 (Spectrum-4)",
		"switches: [{name: a, ports: 640, cages: 640, " + ok + "}]":                      "switches[0].ports: 640 ports of 800 Gb/s are more than the chip of sn5600 (Spectrum-4) has: want 64 at most",
		"switches: [{name: a, ports: 64, cages: 16, " + ok + "}]":                        "switches[0].cages: 4 ports of 800 Gb/s in each cage are more than its 1.6 Tb/s",
		"switches: [{name: a, ports: 64, watts: 1W, " + ok + "}]":                        "switches[0].watts: 1 W is less than half of",
		"switches: [{name: a, ports: 64, reach: 3m, " + ok + "}]":                        "switches[0].reach: a switch has none",
		"switches: [{name: connectx-7, ports: 64, " + ok + "}]":                          `switches[0].name: the catalog has a nic "connectx-7"`,
		"switches: [{name: a, like: a, vendor: A, ports: 64}]":                           `switches[0].like: switch "a" is not known`,
		"nics: [{name: a, like: connectx-7, vendor: B, rate: 800Gbps}]":                  "nics[0].rate: 800 Gb/s is more than the 504.1 Gb/s of PCIe 5.0 x16",
		"nics: [{name: a, like: connectx-7, vendor: B, rate: 123Gbps}]":                  "nics[0].rate: no link has 123 Gb/s: want one of",
		"nics: [{name: a, like: connectx-7, vendor: B, watts: 1W}]":                      "nics[0].watts: 1 W is less than half of",
		"nics: [{name: a, like: efa-4, vendor: B}]":                                      "nics[0].like: efa-4 is a part of its cloud",
		"nics: [{name: a, like: connectx-7, vendor: B, part: X}]":                        "nics[0].part: a nic has none",
		"cables: [{name: a, like: osfp-400g-dr4}]":                                       "cables[0].part: want its name in bills",
		"cables: [{name: a, like: osfp-400g-dr4, part: MMS4X00-NS, each: 10}]":           `cables[0].part: the catalog has a part "MMS4X00-NS"`,
		"cables: [{name: a, like: osfp-400g-dr4, part: P, links: 16}]":                   "cables[0].links: 16 links of 400 Gb/s are more than the 1.6 Tb/s of a cage",
		"cables: [{name: a, like: osfp-400g-dr4, part: P, max-watts: 9W}]":               "cables[0].max-watts: a cable has none",
		"cables: [{name: a}]": "cables[0].like: want the entry",
	} {
		if _, err := plan.ReadDevices("devices.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Prices that cannot be are errors that say what would be valid.
func TestAPriceThatCannotBeIsAnError(t *testing.T) {
	for text, want := range map[string]string{
		"items: [{item: qm9700, each: 0}]":                             "items[0].each: 0: want an amount above 0, or unknown",
		"{currency: USD, items: [{item: qm9700, each: 30000 EUR}]}":    "all amounts of a file are in its currency, USD",
		"{currency: USD, items: [{item: qm9700, each: USD30000}]}":     "write the number alone",
		"{currency: USD, items: [{item: qm9700, each: -5}]}":           `"-5": want an amount of digits`,
		"items: [{item: qm9700, each: 1}]":                             `currency: "": want one currency for the whole file, such as USD`,
		"{pue: 0.5, items: [{item: qm9700, watts: 700W}]}":             "pue: 1/2: want 1 or more",
		"{pue: 0, items: [{item: qm9700, watts: 700W}]}":               "pue: 0: want 1 or more",
		"items: [{item: qm9700, each: 1}, {item: qm9700, watts: 9kW}]": `items[1].item: "qm9700" is there twice`,
		"items: [{item: fibre-multimode, watts: 5W}]":                  "a fibre takes no power",
		"{currency: USD/EUR, items: [{item: qm9700, each: 1}]}":        "want one currency for the whole file",
		"items: [{item: MMA4Z00-NS, watts: 1W}]":                       "items[0].watts: 1 W is less than the 15 W",
		"items: [{item: qm9700, watts: 1W}]":                           "items[0].watts: 1 W is less than half of",
		"items: [{item: connectx-8, watts: 2W}]":                       "items[0].watts: 2 W is less than half of",
		"items: [{item: qm9700, watts: 0W}]":                           "items[0]: want each, an amount above 0 or unknown, or watts above 0",
		"{electricity: 0, items: [{item: qm9700, each: 1}]}":           "electricity: 0: want an amount above 0",
		"items: [{item: qm9700, each: 1}, {item: nosuch, each: 1000}]": "no bill of materials has an item",
	} {
		if _, err := plan.ReadPrices("prices.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := plan.ReadPrices("prices.yaml", []byte("items: [{item: MMA4Z00-NS, watts: 16W}, {item: qm9700, watts: 600W}]")); err != nil {
		t.Error(err)
	}
}

func FuzzDevices(f *testing.F) {
	text, err := os.ReadFile("../../../examples/plan/devices.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	for _, text := range []string{"", "switches: []", "cables: [{name: a, like: osfp-400g-dr4, links: 3}]", "nics: [{name: n, like: thor-2, vendor: B, rate: 800Gbps}]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := plan.ReadDevices("fuzz.yaml", text)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.Name == "" || e.Title == "" || len(e.Facts) == 0 {
				t.Fatalf("taken: %+v", e)
			}
		}
	})
}
