package advise

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/study/plan"
	"weft/scenario"
)

// product is Ethernet as it is sold.
type product struct {
	name   string
	preset string // of the catalog, before the rate of a link; empty for the fabric that plan takes
	// vendor is the only maker of its switches and NICs; empty for any.
	vendor string
	// unfit is the reason why a plain design cannot become it; empty if it can.
	unfit func(*plan.Design) string
	// tune is the share of the work of tuning that is left.
	tune float64
}

// products are the Ethernet products that are compared, the plain one first.
var products = []product{
	{name: "plain RoCE v2", tune: 1}, // a leaf-spine with ECMP and DCQCN
	{name: "Spectrum-X", preset: "spectrum-x", vendor: "NVIDIA", tune: 0.5},
	{name: "Ultra Ethernet", preset: "ultra-ethernet", unfit: noUltraEthernet, tune: 0.5},
}

// noUltraEthernet says why a NIC does not speak Ultra Ethernet.
func noUltraEthernet(d *plan.Design) string {
	var speak []string
	for _, e := range catalog.Entries(catalog.NIC) {
		if _, ok := e.Known("about.ultra-ethernet"); ok {
			if e.Name == d.NIC {
				return ""
			}
			speak = append(speak, e.Name)
		}
	}
	return fmt.Sprintf("the NIC %s does not speak it; of the catalog %s do", d.NIC, strings.Join(speak, " and "))
}

// Product is an Ethernet product beside InfiniBand.
type Product struct {
	Name      string
	Candidate *Candidate // nil if it is ruled out
	RuledOut  string
	Points    [2]float64 // of InfiniBand beside it, and its own
	Lead      float64    // its lead over InfiniBand, or over the plain product if there is none
}

// productsOf are candidates of each Ethernet product; the first is the plain one.
func productsOf(ctx context.Context, p *Profile, plain *Candidate, prices *plan.Prices) ([]*Product, error) {
	var out []*Product
	for _, x := range products {
		made := &Product{Name: x.name}
		out = append(out, made)
		if x.preset == "" {
			plain.Product, plain.tune = x.name, x.tune
			made.Candidate = plain
			continue
		}
		d, reason, err := x.design(ctx, p, plain, prices)
		if err != nil {
			return nil, err
		}
		if made.RuledOut = reason; reason == "" {
			made.Candidate = &Candidate{Kind: scenario.RoCEv2Kind, Design: d, Product: x.name, tune: x.tune, vendor: x.vendor}
		}
	}
	return out, nil
}

// design is the design of a product, or the reason why there is none.
func (x *product) design(ctx context.Context, p *Profile, plain *Candidate, prices *plan.Prices) (*plan.Design, string, error) {
	if x.unfit != nil {
		if reason := x.unfit(plain.Design); reason != "" {
			return nil, reason, nil
		}
	}
	preset := x.preset + "-" + strings.TrimPrefix(plain.Design.Preset, "roce-v2-")
	if _, err := catalog.Lookup(catalog.Fabric, preset); err != nil {
		return nil, fmt.Sprintf("weft has no settings of it for links of %s", plain.Design.Rate), nil //nolint:nilerr // it is the reason
	}
	d := plain.Design
	if x.vendor != "" {
		request := p.Design
		request.Fabrics, request.Vendors = []scenario.FabricKind{scenario.RoCEv2Kind}, []string{x.vendor}
		if len(p.Design.Vendors) > 0 && !slices.Contains(p.Design.Vendors, x.vendor) {
			return nil, "vendors leaves out " + x.vendor, nil
		}
		made, err := plan.Make(ctx, &request, prices)
		if err != nil {
			return nil, "", err
		}
		fits := slices.DeleteFunc(made.Designs, func(d *plan.Design) bool { return d.Preset != plain.Design.Preset || !spectrum4(d.Switch) })
		if len(fits) == 0 {
			return nil, "no design of " + x.vendor + "'s Spectrum-4 switches meets the constraints", nil
		}
		d = slices.MinFunc(fits, plan.Preferred)
	}
	as, err := d.As(&p.Design, preset, prices)
	if err != nil {
		return nil, err.Error(), nil //nolint:nilerr // it is the reason
	}
	return as, "", nil
}

// spectrum4 reports whether a switch has the chip that Spectrum-X is sold with.
func spectrum4(name string) bool {
	e, err := catalog.Lookup(catalog.Switch, name)
	if err != nil {
		return false
	}
	f, _ := e.Get("about.asic")
	return strings.HasPrefix(f.Value, "Spectrum-4")
}

// best judges each product beside InfiniBand, and is the one with the longest lead.
func best(in *inputs, infiniband *Candidate, all []*Product) *Candidate {
	plain := all[0].Candidate
	for _, x := range all {
		if x.Candidate == nil || x.Candidate.Design == nil {
			continue
		}
		beside := infiniband
		if beside.Design == nil {
			beside = plain
		}
		pair := *in
		pair.candidates = []*Candidate{beside, x.Candidate}
		v := judge(&pair)
		x.Points, x.Lead = v.Points, v.lead()
	}
	chosen := slices.MaxFunc(slices.DeleteFunc(slices.Clone(all), func(x *Product) bool { return x.Candidate == nil }),
		func(a, b *Product) int { return cmp.Compare(a.Lead, b.Lead) })
	return chosen.Candidate
}
