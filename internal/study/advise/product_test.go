package advise

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/internal/sim/catalog"
	"weft/internal/study/plan"
	"weft/scenario"
	"weft/units"
)

// Products differ in what is simulated, who makes them, and what is left to tune.
func TestProductsAreComparedAsTheyAreSold(t *testing.T) {
	a := advised(t, profile)
	if len(a.Products) != 3 {
		t.Fatalf("%d products", len(a.Products))
	}
	plain, spectrum, ultra := a.Products[0], a.Products[1], a.Products[2]
	if f := plain.Candidate.Design.Resolved.Fabrics[0]; f.Routing.Mode != "ecmp" || f.CC.Algorithm != "dcqcn" {
		t.Errorf("plain RoCE v2 has %s and %s", f.Routing.Mode, f.CC.Algorithm)
	}
	f := spectrum.Candidate.Design.Resolved.Fabrics[0]
	if f.Routing.Mode != "adaptive" || f.CC.Algorithm != "rttcc" || !strings.HasPrefix(spectrum.Candidate.Design.Switch, "sn56") || len(spectrum.Candidate.Makers.Switches) != 1 {
		t.Errorf("Spectrum-X is %s with %s and %s, of %v", spectrum.Candidate.Design.Switch, f.Routing.Mode, f.CC.Algorithm, spectrum.Candidate.Makers.Switches)
	}
	if ultra.Candidate != nil || !strings.Contains(ultra.RuledOut, "the NIC connectx-7 does not speak it") {
		t.Errorf("Ultra Ethernet with a ConnectX-7: %+v", ultra)
	}
	best := math.Max(plain.Lead, spectrum.Lead)
	if got := a.Verdict.Points[1] - a.Verdict.Points[0]; math.Abs(got-best) > 1e-9 {
		t.Errorf("the lead of the compared product is %g, the best has %g", got, best)
	}
	if got := effortSum(effortOf(a.Profile, spectrum.Candidate)); effortSum(effortOf(a.Profile, plain.Candidate))-got != float64(a.Profile.Effort.Tune)/2 {
		t.Errorf("Spectrum-X leaves an effort of %g", got)
	}
}

// A NIC of AMD's speaks Ultra Ethernet, and is not sold with Spectrum-X.
func TestUltraEthernetNeedsANICThatSpeaksIt(t *testing.T) {
	a := advised(t, `
design: {gpus: 32, node: mi355x-8, job: {collective: all-reduce, sizes: [64KiB]}, shapes: [rail-optimised]}
simulate: {nodes: 4, message: 64KiB, largest-gpus: 128}
`)
	if x := a.Products[2]; x.Candidate == nil || x.Candidate.Design.Resolved.Fabrics[0].CC.Algorithm != "nscc" {
		t.Errorf("%+v", x)
	}
	if a.Candidates[0].Design != nil || a.Verdict.Choice != 1 {
		t.Errorf("InfiniBand of a node with Ethernet NICs: %+v", a.Candidates[0].Design)
	}
}

// By hand: of 10 points a value of 100 gets all beside one from 100 to 300, which gets 10 x 100 / x: ln 3 / 2 of them in the mean,
// 5.49, and a lead of 0 to 6.67 at the ends.
func TestARangeGetsTheMeanOfItsPoints(t *testing.T) {
	c := Criterion{Weight: 10, Cells: [2]Cell{{Value: 100, Known: true}, ranged("", 100, 300, "")}}
	c.score(false)
	if want := 10 * math.Log(3) / 2; !c.Scored || c.Points[0] != 10 || math.Abs(c.Points[1]-want) > 0.1 {
		t.Errorf("%v points, by hand 10 and %.2f", c.Points, want)
	}
	if math.Abs(c.Lead[0]+20./3) > 1e-9 || c.Lead[1] != 0 {
		t.Errorf("the lead is %v, by hand -6.67 to 0", c.Lead)
	}
}

// A price that is not known prefers no fabric: neither the one with the wide bound nor the other.
func TestWhatIsNotKnownPrefersNone(t *testing.T) {
	wide, narrow := ranged("", 120, 980, "").missing(true), ranged("", 260, 490, "")
	for _, cells := range [][2]Cell{{wide, narrow}, {narrow, wide}} {
		c := Criterion{Weight: 15, Cells: cells}
		c.score(false)
		if !c.Scored || c.Points[0] != c.Points[1] || !c.Open() || c.Note == "" {
			t.Errorf("%v points, lead %v, note %q: want a lead of 0 that is open", c.Points, c.Lead, c.Note)
		}
	}
	c := Criterion{Weight: 15, Cells: [2]Cell{ranged("", 500, 980, "").missing(true), narrow}}
	if c.score(false); c.Points[1] <= c.Points[0] {
		t.Errorf("%v points: what is dearer whatever is not known is behind", c.Points)
	}
}

// 0.8 of 100 points are no lead.
func TestASmallLeadIsATie(t *testing.T) {
	p := Default()
	p.Weights = Weights{Operation: 100}
	in := &inputs{profile: &p, costFactor: 1, candidates: []*Candidate{
		{Kind: sides[0], Design: planned(t, "{gpus: 64, fabrics: infiniband, shapes: single-switch}")},
		{Kind: sides[1], Design: planned(t, "{gpus: 64, fabrics: roce-v2, switches: sn5600, shapes: single-switch}")},
	}}
	for tune, want := range map[int]bool{0: true, 6: false} {
		p.Effort.Tune = tune
		if v := judge(in); v.Tie != want {
			t.Errorf("with %d points of tuning a lead of %g is a tie: %v", tune, v.lead(), v.Tie)
		}
	}
}

// Cost, power and recovery are never left out while they have bounds.
func TestWhatIsKnownAsARangeIsScored(t *testing.T) {
	a := advised(t, strings.NewReplacer("node: dgx-h100", "node: dgx-b300", "[rail-optimised]", "[rail-optimised, dual-plane]").Replace(profile))
	for _, c := range a.Verdict.Criteria {
		if !c.Scored {
			t.Errorf("%s is not scored: %s and %s", c.Name, c.Cells[0].Text, c.Cells[1].Text)
		}
	}
}

// Why a fabric is ruled out is a constraint that it breaks, and not that the other fabric is another.
func TestAReasonToRuleOutIsNotTheOtherFabric(t *testing.T) {
	for text, want := range map[string]string{
		"{gpus: 16384, node: dgx-h100, max-power: 2MW}": "max-power is 2 MW",
		"{gpus: 512, node: mi355x-8}":                   "do not speak it",
	} {
		p := Default()
		r, err := plan.Read("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p.Design = *r
		all, err := designsOf(context.Background(), &p, nil)
		if err != nil || all[0].Design != nil || !strings.Contains(all[0].RuledOut, want) || strings.Contains(all[0].RuledOut, "fabrics") {
			t.Errorf("%s: %v: InfiniBand %q, want %q", text, err, all[0].RuledOut, want)
		}
	}
}

// Spectrum-X is there for links of 200, 400 and 800 Gb/s, on the design's own links.
func TestSpectrumXHasTheRatesOfItsSwitches(t *testing.T) {
	for request, want := range map[string]units.Rate{
		"gpus: 64, node: hgx-h100-pcie, rate: 200Gbps, nics: bluefield-3, switches: sn3700, shapes: rail-optimised": 0,
		"gpus: 32768, node: dgx-b300, switches: sn5600, shapes: dual-plane":                                         200 * units.Gbps,
		"gpus: 64, node: dgx-h100, switches: sn5600":                                                                400 * units.Gbps,
		"gpus: 64, node: dgx-b300, switches: sn5600":                                                                400 * units.Gbps,
	} {
		p, err := Read("t.yaml", []byte("design: {"+request+", fabrics: roce-v2}"))
		if err != nil {
			t.Fatal(err)
		}
		made, err := plan.Make(context.Background(), &p.Design, nil)
		if err != nil || len(made.Designs) == 0 {
			t.Fatalf("%s: %v", request, err)
		}
		d, reason, err := products[1].design(context.Background(), p, &Candidate{Design: made.Designs[0]}, nil)
		switch {
		case err != nil:
			t.Fatal(err)
		case want == 0 && d != nil || want > 0 && d == nil:
			t.Errorf("%s: %v, reason %q", request, d, reason)
		case want > 0:
			if f := d.Resolved.Fabrics[0]; f.Link.Rate() != want || f.CC.Algorithm != "rttcc" || f.Routing.Mode != "adaptive" || d.Rate != want {
				t.Errorf("%s: links of %s with %s and %s", request, f.Link.Rate(), f.CC.Algorithm, f.Routing.Mode)
			}
		}
	}
	if e, err := catalog.Lookup(catalog.Fabric, "spectrum-x-800g"); err != nil || e.Title == "" {
		t.Error(err)
	}
}

// NICs that are divided into more ports than they are sold with are compared only where two levels without reach no further: 4,608 B300 on
// Ethernet have two planes, and adaptive routing to compare InfiniBand with.
func TestADividedNICIsNotTheFirstProduct(t *testing.T) {
	p, err := Read("p.yaml", []byte("design: {gpus: 4608, node: dgx-b300, job: {collective: all-reduce, sizes: [64KiB]}}\nsimulate: {nodes: 4}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := p.Design
	r.Fabrics = []scenario.FabricKind{"roce-v2"}
	made, err := plan.Make(context.Background(), &r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := slices.MinFunc(made.Designs, plan.Preferred); d.Merits.Planes != 2 {
		t.Errorf("the first is %s", d.Name)
	}
}
