package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/study/plan"
)

// A budget that is proposed holds: with it the same request has a design that surely keeps all constraints.
func TestARelaxedBudgetHolds(t *testing.T) {
	for _, x := range []struct{ request, field, budget string }{
		{"gpus: 1024, node: dgx-h100", "max-cost", "3000000"},
		{"gpus: 64, node: dgx-h100", "max-cost", "200000"},
		{"gpus: 256, node: mi355x-8", "max-cost", "100000"},
		{"gpus: 1024, node: dgx-b300", "max-power", "20kW"},
		{"gpus: 4608, node: gb300-nvl72", "max-power", "200kW"},
		{"gpus: 1024, node: dgx-h100, fabrics: infiniband", "max-cost", "3000000"},
	} {
		p := made(t, fmt.Sprintf("{%s, %s: %s}", x.request, x.field, x.budget), nil)
		at := slices.IndexFunc(p.Relax, func(r plan.Relaxation) bool { return len(r.Breaches) == 1 && r.Breaches[0].Field == x.field })
		if at < 0 {
			t.Errorf("%s, %s %s: no relaxation of it: %v", x.request, x.field, x.budget, p.Relax)
			continue
		}
		needs := p.Relax[at].Breaches[0].Needs
		number, _, _ := strings.Cut(strings.NewReplacer(",", "", " kW", "kW", " MW", "MW").Replace(needs), " ")
		again := made(t, fmt.Sprintf("{%s, %s: %s}", x.request, x.field, number), nil)
		if !slices.ContainsFunc(again.Designs, func(d *plan.Design) bool { return !d.MayBreak() }) {
			t.Errorf("%s: %s from %s to %s: no design is sure to keep it then", x.request, x.field, x.budget, needs)
		}
	}
}

// A budget that only a bound exceeds has a relaxation too: what is not known refuses none and hides none.
func TestABudgetBelowTheBoundsSaysWhatIsSure(t *testing.T) {
	p := made(t, "{gpus: 1024, node: dgx-h100, max-cost: 4500000}", nil)
	if len(p.Designs) == 0 || len(p.Relax) == 0 {
		t.Errorf("%d designs, relaxations %v; want designs with a ? and what surely holds", len(p.Designs), p.Relax)
	}
}

// An AMD or a Broadcom house is not told to buy from one maker of switches, if others would do.
func TestARelaxationNamesEveryMakerThatWouldDo(t *testing.T) {
	for request, want := range map[string]string{
		"{gpus: 512, node: mi355x-8, vendors: AMD}":                           "also Arista, Cisco, Dell or NVIDIA",
		"{gpus: 512, node: mi355x-8, switches: tomahawk-5, vendors: AMD}":     "",
		"{gpus: 512, node: dgx-h100, vendors: Broadcom, fabrics: roce-v2}":    "also Arista, Cisco, Dell or NVIDIA",
		"{gpus: 512, node: dgx-h100, vendors: Broadcom, fabrics: infiniband}": "also NVIDIA",
	} {
		p := made(t, request, nil)
		got := ""
		for _, r := range p.Relax {
			if len(r.Breaches) == 1 && r.Breaches[0].Field == "vendors" {
				got = r.Breaches[0].Needs
			}
		}
		if got != want {
			t.Errorf("%s: vendors to %q, want %q", request, got, want)
		}
	}
}

// Cables that the catalog lacks are named in sums, and a design with them is proposed only if no other would do.
func TestARelaxationPrefersKnownCables(t *testing.T) {
	p := made(t, "{gpus: 2304, node: gb300-nvl72, fabrics: infiniband, max-power: 200kW}", nil)
	at := slices.IndexFunc(p.Relax, func(r plan.Relaxation) bool { return len(r.Breaches) == 1 && r.Breaches[0].Field == "max-power" })
	if at < 0 || slices.ContainsFunc(p.Relax[at].Design.Bill, func(l plan.Line) bool { return l.Item == "unknown" }) {
		t.Errorf("%+v", p.Relax)
	}
	p = made(t, "{gpus: 2304, node: gb300-nvl72, fabrics: infiniband, switches: q3400, cables: {node-leaf: 900m}}", nil)
	if text := p.Designs[0].Cost.Total().MissingText(); !strings.Contains(text, "the price of node-leaf cables") || strings.Contains(text, "unknown") {
		t.Errorf("%q", text)
	}
}
