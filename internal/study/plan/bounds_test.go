package plan

import (
	"context"
	"strings"
	"testing"
)

// The rules bound what they are for: each device whose power is known takes no more than the bound that its kind
// would have without it.
func TestTheRulesBoundEachDeviceOfKnownPower(t *testing.T) {
	n := 0
	for _, s := range switches() {
		p := powerOf(s.entry, "about.power", "")
		if !p.Known {
			continue
		}
		n++
		if most := s.mostPower(); most < p.Value {
			t.Errorf("switch %s takes %d mW and its bound is %d", s.entry.Name, p.Value, most)
		}
	}
	for _, c := range nics() {
		if p := powerOf(c.entry, "about.power", ""); p.Known && p.Value > slotPower {
			t.Errorf("NIC %s takes %d mW, more than a slot gives", c.entry.Name, p.Value)
		}
	}
	if n < 5 {
		t.Errorf("the power of %d switches is known", n)
	}
	for _, s := range switches() {
		if least, most := s.power().Range(); least == 0 || most < least {
			t.Errorf("the power of switch %s is between %d and %d mW", s.entry.Name, least, most)
		}
	}
}

// Switches without a figure take no 0 W: 12 of them with 512 NICs of 35 W (17.92 kW) do not fit into a cap just above the NICs.
func TestASwitchOfUnknownPowerCountsWithItsLeast(t *testing.T) {
	ask := func(watts string) *Plan {
		r, err := Read("plan.yaml", []byte("{gpus: 512, node: dgx-b300, switches: q3450-ld, shapes: rail-optimised, max-power: "+watts+"}"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Make(context.Background(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := ask("18kW"); len(p.Designs) > 0 {
		t.Errorf("%s fits into 18 kW with %s", p.Designs[0].Name, p.Designs[0].Power.Text(PowerText))
	}
	p := ask("50kW")
	if len(p.Designs) != 1 || !p.Designs[0].MayBreak() || !strings.Contains(p.Designs[0].Power.MissingText(), "switch q3450-ld") {
		t.Fatalf("50 kW: %d designs", len(p.Designs))
	}
	if text := p.Designs[0].Bill[0].Power.Text(8, PowerText); text != "≥ 4.86 kW, ≤ 61.92 kW" { // 144 × 800 Gb/s at half of the 540 W that 51.2 Tb/s take
		t.Errorf("eight switches take %s", text)
	}
}

// Designs that surely keep a budget come first of their protocol, and none of which that is unknown drives them off the front.
func TestADesignThatSurelyKeepsTheCapComesFirst(t *testing.T) {
	r, err := Read("plan.yaml", []byte("{gpus: 512, node: dgx-b300, fabrics: roce-v2, max-power: 70kW}"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Make(context.Background(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	front := false
	for i, d := range p.Designs {
		front = front || d.Front && !d.MayBreak()
		if i > 0 && p.Designs[i-1].MayBreak() && !d.MayBreak() {
			t.Errorf("%s, which surely keeps 70 kW, comes after %s", d.Name, p.Designs[i-1].Name)
		}
	}
	if !front || !p.Designs[len(p.Designs)-1].MayBreak() {
		t.Errorf("want sure designs on the front and open ones after them: %d designs", len(p.Designs))
	}
}

// A budget of power: kept if the bound keeps it, open between what is known and the bound, broken below. The liquid-cooled XDR switch has
// no figure of power.
func TestWhatABoundAllowsIsNotRefused(t *testing.T) {
	const request = "{gpus: 64, node: dgx-b300, fabrics: infiniband, switches: q3400-ld, shapes: single-switch, max-power: "
	ask := func(watts string) *Plan {
		r, err := Read("plan.yaml", []byte(request+watts+"}"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Make(context.Background(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := ask("10MW")
	if len(p.Designs) != 1 || p.Designs[0].MayBreak() {
		t.Fatalf("10 MW: %+v", p.Designs)
	}
	d := p.Designs[0]
	if d.Power.Complete() || !d.Power.Bounded() || d.Power.Most() <= d.Power.Known {
		t.Fatalf("the power is %+v", d.Power)
	}
	p = ask("5kW")
	if len(p.Designs) != 1 || !p.Designs[0].MayBreak() {
		t.Errorf("5 kW, between %d and %d mW: %d designs", d.Power.Known, d.Power.Most(), len(p.Designs))
	}
	if p = ask("2kW"); len(p.Designs) != 0 {
		t.Errorf("2 kW, and the NICs alone take %d mW: %s", d.Power.Known, p.Designs[0].Name)
	}
}

// A price that the user's file leaves open refuses no design.
func TestAnUnknownPriceRefusesNothing(t *testing.T) {
	prices, err := ReadPrices("prices.yaml", []byte("currency: USD\nitems: [{item: connectx-8, each: 2000}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[string]bool{"1000000000": true, "100000": false} { // 64 NICs alone are 128,000
		r, err := Read("plan.yaml", []byte("{gpus: 64, node: dgx-b300, max-cost: "+most+"}"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Make(context.Background(), r, prices)
		if err != nil {
			t.Fatal(err)
		}
		if (len(p.Designs) > 0) != want {
			t.Errorf("at most %s: %d designs", most, len(p.Designs))
		}
		for _, d := range p.Designs {
			if !d.MayBreak() || !strings.Contains(d.Cost.Total().MissingText(), "the price of") {
				t.Errorf("%s costs %+v for sure", d.Name, d.Cost.Total())
			}
		}
	}
}

// The user's figure of power takes the place of the catalog's, and of a bound.
func TestAFigureOfTheUsersReplacesABound(t *testing.T) {
	prices, err := ReadPrices("prices.yaml", []byte("currency: USD\nitems: [{item: q3400, watts: 3kW}, {item: connectx-8, each: 2000, watts: 40W}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read("plan.yaml", []byte("{gpus: 64, node: dgx-b300, fabrics: infiniband, switches: q3400, shapes: single-switch}"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Make(context.Background(), r, prices)
	if err != nil {
		t.Fatal(err)
	}
	d := p.Designs[0]
	if want := int64(3_000_000 + 64*40_000 + 32*25_000); d.Power.Known != want || strings.Contains(d.Power.MissingText(), "q3400") {
		t.Errorf("%+v, by hand %d mW without the transceivers of the NICs", d.Power, want)
	}
	if _, err := ReadPrices("prices.yaml", []byte("items: [{item: q3400}]\n")); err == nil {
		t.Error("an item with neither a price nor watts is read")
	}
}
