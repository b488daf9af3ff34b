package plan

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// By hand from data/prices.csv: 8 switches + 4, 512 NICs, 2 x 256 modules at leaves and nodes, 512 between switches, 1,024 fibres.
func TestABillByPublicPricesByHand(t *testing.T) {
	d := asked(t, "{gpus: 512, fabrics: roce-v2, switches: sn5600, shapes: rail-optimised, cables: {node-leaf: 20m}}").Designs[0]
	low := int64(12*67213 + 512*2129 + 256*879 + 256*1249 + 512*879 + 1024*85)
	high := int64(12*87125 + 512*2188 + 256*879 + 256*1249 + 512*879 + 1024*122)
	total := d.Cost.Total()
	if total.Known != low*PerUnit || total.Most() != high*PerUnit || len(total.Missing) > 0 {
		t.Errorf("%s, by hand %d to %d", total.Text(d.Cost.Text), low, high)
	}
	if first, last := d.PublicYears(); first != 2026 || last != 2026 {
		t.Errorf("years %d to %d", first, last)
	}
}

// Ports of InfiniBand and of Ethernet have prices of their own: a switch without a public price is bounded by its kind.
func TestAnUnknownPriceHasABound(t *testing.T) {
	p := Public()
	for item, want := range map[string]int64{
		"q3400-ld":    149939, // 144 ports of 800G as the Q3400
		"7060x6-64pe": 87125,  // 64 ports of 800GbE as the SN5600
		"pollara-400": 2198,   // by the Thor 2 of 400G
	} {
		got := p.each[item]
		if got.Known || got.Most != want*PerUnit {
			t.Errorf("%s: %+v, by hand at most %d", item, got, want)
		}
	}
	for _, item := range Items() {
		if x := p.each[item]; !x.Known && x.Most == 0 {
			t.Errorf("%s has neither a price nor a bound", item)
		}
	}
	for _, x := range PublicPrices() {
		if !slices.Contains(Items(), x.Item) || x.Source == "" || x.Year < 2020 {
			t.Errorf("%+v: no item of a bill, or without source or year", x)
		}
	}
}

// Without a price file a budget is judged by public prices: kept beyond the upper end, broken below the lower, open between.
func TestABudgetNeedsNoPriceFile(t *testing.T) {
	const request = "{gpus: 64, node: dgx-b300, fabrics: infiniband, switches: q3400-ld, shapes: single-switch, max-cost: "
	for most, want := range map[string]string{"1000000000": "kept", "300000": "open", "100000": "broken"} {
		p := asked(t, request+most+"}")
		got := "broken"
		if len(p.Designs) > 0 {
			got = map[bool]string{true: "open", false: "kept"}[p.Designs[0].MayBreak()]
		}
		if got != want {
			t.Errorf("at most %s: %s, want %s", most, got, want)
		}
		if got == "broken" && (len(p.Relax) == 0 || !strings.Contains(p.Relax[0].Breaches[0].Needs, "USD")) {
			t.Errorf("at most %s: to relax %+v", most, p.Relax)
		}
	}
}

// asked is the plan of a request without prices.
func asked(t *testing.T, text string) *Plan {
	t.Helper()
	r, err := Read("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Make(context.Background(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
