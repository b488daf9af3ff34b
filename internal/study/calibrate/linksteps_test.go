package calibrate

import (
	"slices"
	"testing"

	"weft/units"
)

// Links fall to rates that exist: fewer lanes or an older generation of InfiniBand, the next lower
// rates of Ethernet.
func TestLinksComeInSteps(t *testing.T) {
	for fabric, want := range map[string][]units.Rate{
		"infiniband-ndr": {200 * units.Gbps, 100 * units.Gbps, 55 * units.Gbps, 50 * units.Gbps},
		"infiniband-edr": {55 * units.Gbps, 50 * units.Gbps, 40 * units.Gbps, 32 * units.Gbps},
		"roce-v2-400g":   {200 * units.Gbps, 100 * units.Gbps, 50 * units.Gbps, 40 * units.Gbps},
	} {
		nic := map[string]string{"infiniband-edr": "dgx-1-v100"}[fabric]
		if nic == "" {
			nic = "dgx-h100"
		}
		r, err := describe(t, "cluster: {nodes: 2, node: "+nic+"}\nfabric: "+fabric).resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []units.Rate
		for _, s := range stepsBelow(&r.Fabrics[0]) {
			got = append(got, nominal(s.rate))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s falls to %v, want %v", fabric, got, want)
		}
	}
}
