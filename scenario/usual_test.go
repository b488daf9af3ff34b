package scenario

import (
	"strings"
	"testing"
)

// TestASmallClusterHasFabricsToo: three machines with a NIC of 25 Gb/s, a rate that InfiniBand
// does not have, and a switch whose ports are split.
func TestASmallClusterHasFabricsToo(t *testing.T) {
	for text, want := range map[string]string{
		"": "roce-v2-25g tcp-25g",
		"fabric: {preset: roce-v2-25g, ethernet: {pfc: {enabled: false}}}\n": "roce-v2-25g",
	} {
		f, err := Decode("home-lab.yaml", []byte("cluster: {nodes: 3, node: {gpus: 1, nics: 1, nic: {model: connectx-5, rate: 25Gbps}}}\ntopology: {shape: single-switch}\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range r.Fabrics {
			names = append(names, r.Fabrics[i].Name)
			if rate := r.Fabrics[i].Link.Rate().String(); rate != "25 Gb/s" {
				t.Errorf("%s has a link of %s", r.Fabrics[i].Name, rate)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("fabrics %s, want %s", got, want)
		}
	}
}
