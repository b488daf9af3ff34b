package plan_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/run/network"
	"weft/internal/study/plan"
	"weft/scenario"
)

func TestADesignsScenarioIsTheTopologyThatItCounts(t *testing.T) {
	for _, text := range []string{"{gpus: 8}", "{gpus: 248, max-oversubscription: 3}", "{gpus: 64, node: hgx-h100-pcie}", "{gpus: 720, node: gb200-nvl72}", "{gpus: 1016, manager: true}"} {
		for _, d := range made(t, text, nil).Designs {
			file, err := scenario.Decode(d.Name, d.Scenario)
			if err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			r, err := file.Resolve()
			if err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			spec, err := network.Shape(&r.Fabrics[0].Topology, &r.Cluster)
			if err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			g, err := spec.Build()
			if err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			if got := topology.Tally(g); got != d.Count {
				t.Errorf("%s counts %+v and its scenario has %+v", d.Name, d.Count, got)
			}
			if err := topology.Validate(g); err != nil {
				t.Errorf("%s: %v", d.Name, err)
			}
		}
	}
}

// With a device of unknown power the sum is a lower bound, says so, and has the device with the least that it takes.
func TestWhatIsNotKnownIsNotZero(t *testing.T) {
	d := only(t, "{gpus: 1024, fabrics: roce-v2, switches: sn5640, shapes: rail-optimised}")
	if d.Power.Complete() || !slices.Contains(d.Power.Missing, "the power of switch sn5640") {
		t.Errorf("the power of %s is %+v", d.Name, d.Power)
	}
	if text := d.Power.Text(plan.PowerText); !strings.HasPrefix(text, "≥ ") {
		t.Errorf("it prints as %s", text)
	}
	var known int64
	for _, l := range d.Bill {
		least, _ := l.Power.Range()
		known += least * int64(l.Quantity)
	}
	if d.Power.Known != known {
		t.Errorf("%d mW are known and the sum has %d", known, d.Power.Known)
	}
	nothing := plan.Sum{Missing: []string{"all"}}
	if text := nothing.Text(plan.PowerText); text != "unknown" {
		t.Errorf("a sum without a known part prints as %s", text)
	}
}

// By hand from the catalog: 48 switches of 747 W, 1,024 NICs of 24.9 W, and the two ends of 1,024 +
// 1,024 links, with two links to a transceiver of 15 W.
func TestThePowerOfASuperPODByHand(t *testing.T) {
	d := only(t, "{gpus: 1024, fabrics: infiniband, shapes: rail-optimised, cables: {node-leaf: 20m}}")
	want := int64(48*747_000 + 1024*24_900 + (2*1024+2*1024)/2*15_000)
	if !d.Power.Complete() || d.Power.Known != want {
		t.Errorf("%+v, by hand %d mW", d.Power, want)
	}
}

func TestACableIsTheShortestThatReaches(t *testing.T) {
	for _, x := range []struct{ length, kind, item string }{
		{"3m", "cable", "MCP7Y00"}, {"4m", "cable", "MCA7J60"}, {"6m", "transceiver", "MMA4Z00-NS"}, {"50m", "transceiver", "MMA4Z00-NS"}, {"51m", "transceiver", "MMS4X00-NS"},
	} {
		d := only(t, fmt.Sprintf("{gpus: 64, node: hgx-h100-pcie, fabrics: infiniband, shapes: single-switch, cables: {node-leaf: %s}}", x.length))
		if l := d.Bill[2]; l.Kind != x.kind || l.Item != x.item {
			t.Errorf("%s: %s %s, want %s %s", x.length, l.Kind, l.Item, x.kind, x.item)
		}
	}
	d := only(t, "{gpus: 64, fabrics: infiniband, shapes: single-switch, cables: {node-leaf: 1m}}")
	if l := d.Bill[2]; l.Kind != "transceiver" {
		t.Errorf("the two links of a DGX's cage go to different switches, and the bill has one %s %s for both", l.Kind, l.Item)
	}
	d = only(t, "{gpus: 64, node: hgx-h100-pcie, fabrics: infiniband, shapes: single-switch, cables: {node-leaf: 5km}}")
	if l := d.Bill[2]; l.Item != "unknown" || d.Power.Complete() {
		t.Errorf("5 km of cable is %s, power %+v", l.Item, d.Power)
	}
}

// The cages of a DGX H100 have heat sinks of their own and take modules with a flat top. The cages
// of an air-cooled switch take modules with fins, with any cable between the two (docs.nvidia.com,
// MMA4Z00-NS400-T and mca7j60).
func TestADGXCageTakesAModuleWithAFlatTop(t *testing.T) {
	for _, x := range []struct{ more, sw, finned, flat string }{
		{"cables: {node-leaf: 20m}", "qm9700", "MMA4Z00-NS", "MMA4Z00-NS-FLT"},
		{"cables: {node-leaf: 60m, leaf-spine: 10m}", "qm9700", "MMS4X00-NS", "MMS4X00-NS-FLT"},
		{"cables: {node-leaf: 60m, leaf-spine: 10m}", "sn5400", "MMS1V00-WM", "MMS4X00-NS-FLT"},
	} {
		d := only(t, fmt.Sprintf("{gpus: 256, switches: %s, shapes: rail-optimised, %s}", x.sw, x.more))
		modules := map[string]int{}
		for _, l := range d.Bill {
			if l.Kind == "transceiver" && l.Where == "node-leaf" {
				modules[l.Item] += l.Quantity
			}
		}
		per := 2
		if x.sw == "sn5400" {
			per = 1
		}
		if want := map[string]int{x.finned: 256 / per, x.flat: 256 / 2}; !reflect.DeepEqual(modules, want) {
			t.Errorf("%s, %s: the modules from nodes to leaves are %v, want %v", x.sw, x.more, modules, want)
		}
	}
}

// The front is compared with its definition.
func TestNothingDominatesADesignOnTheFront(t *testing.T) {
	designs := made(t, "{gpus: 512, max-oversubscription: 8}", nil).Designs
	values := func(d *plan.Design) (out []int64) {
		power := d.Power.Known
		if !d.Power.Complete() {
			power = -1
		}
		m := d.Merits
		return []int64{
			d.Oversubscription.Num * 100 / d.Oversubscription.Den, int64(d.Hops), int64(d.Count.TotalSwitches()), int64(d.Count.TotalCables()), power,
			int64(math.Round(m.RailHops * 10)), -int64(m.Planes), -int64(m.Survives), -int64(m.Places),
		}
	}
	better := func(a, b *plan.Design) bool { // at least as good in every number, better in one; of the same devices also at both ends of what they cost and take
		x, y := values(a), values(b)
		if c, d := a.Cost.Total(), b.Cost.Total(); a.Switch == b.Switch && a.NIC == b.NIC &&
			(c.Known > d.Known || d.Bounded() && (!c.Bounded() || c.Most() > d.Most()) || a.Power.Most() > b.Power.Most() || a.Power.Known > b.Power.Known) {
			return false
		}
		if a.Kind != b.Kind || (x[4] < 0) != (y[4] < 0) {
			return false
		}
		for i := range x {
			if x[i] > y[i] {
				return false
			}
		}
		return !reflect.DeepEqual(x, y)
	}
	for _, d := range designs {
		if dominated := slices.ContainsFunc(designs, func(o *plan.Design) bool { return better(o, d) }); dominated && d.Front {
			t.Errorf("%s is on the front and dominated", d.Name)
		} else if !dominated && !d.Front && !slices.ContainsFunc(designs, func(o *plan.Design) bool {
			return o.Front && o.Kind == d.Kind && reflect.DeepEqual(values(o), values(d))
		}) {
			t.Errorf("%s is not on the front, though no design on it dominates or equals it", d.Name)
		}
	}
}

// The advised relaxation gives a design.
func TestRelaxingAsAdvisedGivesADesign(t *testing.T) {
	for _, x := range []struct{ text, field string }{
		{"{gpus: 1024, max-levels: 1}", "max-levels"},
		{"{gpus: 1024, max-switches: 20, switches: [qm9700, sn5600]}", "max-switches"},
		{"{gpus: 1024, max-power: 70kW, switches: [qm9700, sn5600]}", "max-oversubscription"},
		{"{gpus: 1024, max-power: 70kW, switches: [qm9700, sn5600]}", "max-power"},
		{"{gpus: 1024, fabrics: infiniband, vendors: Arista}", "vendors"},
		{"{gpus: 1024, fabrics: infiniband, switches: sn5600}", "fabrics"},
		{"{gpus: 1024, gpus-later: 16384, max-levels: 2, fabrics: infiniband}", "max-levels"},
		{"{gpus: 1024, gpus-later: 1000000, fabrics: infiniband, shapes: rail-optimised}", "gpus-later"},
		{"{gpus: 1024, fabrics: infiniband, manager: true}", "manager"},
	} {
		p := made(t, x.text, nil)
		if len(p.Designs) > 0 {
			t.Errorf("%s has designs", x.text)
			continue
		}
		i := slices.IndexFunc(p.Relax, func(r plan.Relaxation) bool { return r.Breaches[0].Field == x.field })
		if i < 0 || len(p.Relax[i].Breaches) != 1 {
			t.Errorf("%s: no way to relax %s alone: %+v", x.text, x.field, p.Relax)
			continue
		}
		b := p.Relax[i].Breaches[0]
		value := strings.ReplaceAll(strings.Fields(strings.TrimPrefix(b.Needs, "also "))[0], ",", "")
		if x.field == "max-power" {
			value = strings.ReplaceAll(b.Needs, " ", "")
		}
		if list, ok := strings.CutPrefix(b.Needs, "also "); ok {
			value = "[" + b.Allowed + ", " + list + "]"
		}
		r, err := plan.Read("plan.yaml", []byte(x.text), scenario.Override{Path: b.Field, Value: value, Origin: "relaxed"})
		if err != nil {
			t.Errorf("%s with %s %s: %v", x.text, b.Field, value, err)
			continue
		}
		again, err := plan.Make(context.Background(), r, nil)
		if err != nil || len(again.Designs) == 0 {
			t.Errorf("%s with %s %s has no design: %v %+v", x.text, b.Field, value, err, again.Relax)
		}
	}
}

// A dragonfly is for sizes at which trees need a third level. One group alone is no dragonfly.
func TestWhenADragonflyIsOnTheFront(t *testing.T) {
	for gpus, want := range map[int]bool{1024: false, 16384: true} {
		p := made(t, fmt.Sprintf("{gpus: %d, fabrics: infiniband, max-oversubscription: 2, switches: qm9700}", gpus), nil)
		found := slices.ContainsFunc(p.Designs, func(d *plan.Design) bool { return d.Front && d.Shape == scenario.Dragonfly })
		if found != want {
			t.Errorf("%d GPUs: a dragonfly on the front: %v, want %v", gpus, found, want)
		}
	}
	p := made(t, "{gpus: 512, fabrics: infiniband, max-oversubscription: 2, switches: qm9700, shapes: dragonfly}", nil)
	if len(p.Designs) > 0 {
		t.Errorf("%s has one group", p.Designs[0].Name)
	}
}

// If the node cannot have a shape, the error gives the reason.
func TestADualPlaneNeedsACageForEachPort(t *testing.T) {
	if p := made(t, "{gpus: 1024, node: hgx-h100-pcie, shapes: dual-plane}", nil); len(p.Designs) == 0 {
		t.Errorf("no dual-plane of a node with a cage for each port: %+v", p.Relax)
	}
	p := made(t, "{gpus: 1024, shapes: dual-plane}", nil)
	if len(p.Designs) > 0 || len(p.Unfit) != 1 || !strings.Contains(p.Unfit[0], "a cage of dgx-h100 joins the ports of 2 NICs") {
		t.Errorf("%d designs, %v", len(p.Designs), p.Unfit)
	}
}

// A wrong training job is a problem of the request, whatever is wrong with it.
func TestATrainingJobThatMakesNoSenseIsRefused(t *testing.T) {
	for job, want := range map[string]string{
		"{model: llama3-70b, parallel: {tensor: 8, pipeline: 3}, batch: {global: 2048}}": "job.training.parallel: 1024 GPUs are not a whole number of replicas",
		"{model: llama3-405b, batch: {global: 2048}, zero: 0}":                           "job.training",
	} {
		_, err := plan.Read("plan.yaml", []byte("{gpus: 1024, job: {training: "+job+"}}"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", job, err, want)
		}
	}
}

func TestCostIsQuantityTimesPrice(t *testing.T) {
	prices, err := plan.ReadPrices("prices.yaml", []byte(`
currency: EUR
electricity: 0.085
pue: 1.3
years: 2
items: [{item: qm9700, each: 1000.25}, {item: connectx-7, each: 10}, {item: MMA4Z00-NS, each: 2}, {item: MMA4Z00-NS-FLT, each: 3}, {item: fibre-multimode, each: 1}]
`))
	if err != nil {
		t.Fatal(err)
	}
	d := made(t, "{gpus: 1024, fabrics: infiniband, shapes: rail-optimised, cables: {node-leaf: 20m}}", prices).Designs[0]
	if want := int64(48*1000.25*10_000 + (1024*10+1536*2+512*3+2048)*10_000); d.Cost.Equipment.Known != want || !d.Cost.Equipment.Complete() {
		t.Errorf("equipment %+v, by hand %d", d.Cost.Equipment, want)
	}
	kWh := int64(float64(d.Power.Known)*1.3) * 2 * 365 * 24 / 1_000_000
	if want := kWh * 850; d.Cost.Energy.Known != want {
		t.Errorf("energy %+v, by hand %d", d.Cost.Energy, want)
	}
}

func TestTheExampleOfAPriceFileIsReadAndKnowsNoPrice(t *testing.T) {
	prices, err := plan.ReadPrices("prices.yaml", plan.PriceFile())
	if err != nil {
		t.Fatal(err)
	}
	d := made(t, "{gpus: 64, fabrics: infiniband, shapes: single-switch}", prices).Designs[0]
	if total := d.Cost.Total(); total.Known != 0 || total.Text(d.Cost.Text) != "unknown" {
		t.Errorf("without a price a design costs %s", total.Text(d.Cost.Text))
	}
	for _, l := range d.Bill {
		if !slices.Contains(d.Cost.Equipment.Missing, "the price of "+l.Item) {
			t.Errorf("the price of %s is not among what is missing: %v", l.Item, d.Cost.Equipment.Missing)
		}
	}
}

// Every possible item of a bill of materials can have a price.
func TestEveryItemOfABillHasAPlaceInPriceFiles(t *testing.T) {
	items := plan.Items()
	for _, text := range []string{"{gpus: 512, max-oversubscription: 2}", "{gpus: 64, node: hgx-h100-pcie}", "{gpus: 64, node: dgx-a100}", "{gpus: 64, node: dgx-b300}"} {
		for _, d := range made(t, text, nil).Designs {
			for _, l := range d.Bill {
				if l.Item != "unknown" && !slices.Contains(items, l.Item) {
					t.Errorf("%s has %s %s, which no price file can have", d.Name, l.Kind, l.Item)
				}
			}
		}
	}
}

func TestARequestBelowANodeIsToldOneSize(t *testing.T) {
	if _, err := plan.Read("plan.yaml", []byte("gpus: 1")); err == nil || !strings.HasSuffix(err.Error(), "nodes of 8: take 8") {
		t.Error(err)
	}
}

func TestABadRequestIsAnErrorWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"gpus: 12":                            "plan.yaml:1:7: gpus: 12 GPUs are not a whole number of nodes of 8: take 8 or 16",
		"vendors: [Aristo]":                   `plan.yaml:1:11: vendors[0]: "Aristo" makes no switch and no NIC of the catalog: did you mean "Arista"?`,
		"vendors: [Acme]":                     "of the catalog: want AMD, Arista",
		"fabrics: roce":                       `fabrics[0]: "roce" is not known: did you mean "roce-v2"?`,
		"fabrics: tcp":                        "fabrics[0]: tcp is not planned: want infiniband or roce-v2",
		"shapes: torus":                       "shapes[0]: torus is not planned",
		"max-power: 12":                       `max-power: "12" has no unit`,
		"max-oversubscription: 0":             "max-oversubscription: 0: want downlinks to uplinks above 0",
		"{gpus: 16, gpus-later: 8}":           "gpus-later: 8 is less than the 16 of now",
		"rails: 9":                            "rails: 9: a node has 8 NICs",
		"rate: 800Gbps":                       "rate: 800 Gb/s: the NIC connectx-7 of the node has 400 Gb/s",
		"{node: dgx-h10, switches: qm970}":    `switches[0]: switch "qm970" is not known: did you mean "qm9700"?`,
		"job: {sizes: []}":                    "job: want a collective and sizes",
		"[1, 2]":                              "plan.yaml:1:1: a list is given: want fields with values",
		"gpus: {a: 1}":                        "gpus: a mapping is given",
		"cables: {node-leaf: 0m}":             "cables.node-leaf: 0m is out of range",
		"{gpus: 16, gpus-later: 99999999999}": "gpus-later",
		"max-cost: 0":                         "max-cost: 0 is out of range: want 1 to",
		"max-power: 0W":                       "max-power: 0W is out of range: want 1W to",
		"max-switches: 0":                     "max-switches: 0 is out of range: want 1 to",
	} {
		if _, err := plan.Read("plan.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"items: [{item: qm970, each: 1}]":                           `did you mean "qm9700"?`,
		"items: [{item: qm9700, each: 1e9}]":                        `items[0].each: "1e9": want an amount`,
		"items: [{item: qm9700, each: 0.12345}]":                    `"0.12345": want an amount`,
		"items: [{item: qm9700, each: 1}, {item: qm9700, each: 2}]": `items[1].item: "qm9700" is there twice`,
		"electricity: much":                                         `electricity: "much": want an amount`,
	} {
		if _, err := plan.ReadPrices("prices.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "gpus: 8", "{gpus: 1048576, node: dgx-h100, max-levels: 3}", "vendors: [NVIDIA]", "cables: {node-leaf: 1mm}", "job: {sizes: {from: 1B, to: 1TiB, step: 1B}}", "others: [{name: a, nodes: 1048576, node: dgx-h100}]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := plan.Read("fuzz.yaml", text)
		if err == nil && (r.GPUs < 1 || len(r.Problems()) > 0) {
			t.Fatalf("taken: %+v with %v", r, r.Problems())
		}
	})
}

func FuzzPrices(f *testing.F) {
	for _, text := range []string{"", `"": x`, "currency: EUR\npue: 1.3\nyears: 4\n", "items: [{item: qm9700, each: 12.3456}]", "items: [{\"\": 1}]", "items: [{item: qm9700, each: 1}]", "currency: EUR\nelectricity: 0.2\nitems: [{item: qm9700, each: 40000}, {item: labour, each: 1.5}]", "items:\n- &a {item: *a}"} {
		f.Add([]byte(text))
	}
	f.Add(plan.PriceFile())
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := plan.ReadPrices("fuzz.yaml", text)
		if err != nil {
			return
		}
		if p.Years < 1 {
			t.Fatalf("taken: %+v", p)
		}
		for _, x := range p.Items {
			if !slices.Contains(plan.Items(), x.Item) {
				t.Fatalf("%q is taken, which no bill of materials has", x.Item)
			}
		}
	})
}

// only is the single design of a request.
func only(t *testing.T, text string) *plan.Design {
	t.Helper()
	p := made(t, text, nil)
	if len(p.Designs) != 1 {
		t.Fatalf("%s: %d designs, want one; relax %+v", text, len(p.Designs), p.Relax)
	}
	return p.Designs[0]
}

// made is the plan of a request.
func made(t *testing.T, text string, prices *plan.Prices) *plan.Plan {
	t.Helper()
	r, err := plan.Read("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), r, prices)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
