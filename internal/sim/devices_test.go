package sim

import (
	"testing"

	"weft/internal/transport/cc"
	"weft/units"
)

// TestScenariosRunTheSetsThatAreValidated holds the DCQCN sets of the catalog
// against those of the algorithm's package, which the validation cases run: the
// same name means the same parameters.
func TestScenariosRunTheSetsThatAreValidated(t *testing.T) {
	for catalog, preset := range map[string]string{
		"dcqcn-paper": "paper", "dcqcn-firmware": "firmware", "dcqcn-ns3": "ns3", "dcqcn-ns3-paper": "ns3-paper",
	} {
		r := resolve(t, "fabrics: [{preset: roce-v2-400g, cc: "+catalog+"}]\nworkload: {collective: all-reduce, sizes: [1KiB]}\n")
		got := *dcqcn(&r.Fabrics[0])
		want, err := cc.DCQCNPreset(preset, 400*units.Gbps)
		if err != nil {
			t.Fatal(err)
		}
		if catalog == "dcqcn-ns3" || catalog == "dcqcn-ns3-paper" {
			want.CNPInterval = 0 // marks are echoed in every acknowledgement
		}
		if got.FirstCNPRate == want.LineRate {
			got.FirstCNPRate = 0 // the same for a queue pair that begins at the line rate
		}
		if got != want {
			t.Errorf("%s:\n%+v in the catalog\n%+v in the algorithm", catalog, got, want)
		}
	}
}
