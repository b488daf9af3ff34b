package network_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/units"
)

// A fabric that is listed cable by cable takes as long as the shape with these cables. If
// messages can only take its slowest cable, they take that cable's time.
func TestAListedFabricIsTheShapeThatItLists(t *testing.T) {
	var links strings.Builder
	for nic := range 4 {
		fmt.Fprintf(&links, "    - {ends: [%d, %d], length: 5m}\n", nic, 4+nic/2)
	}
	for leaf := range 2 {
		fmt.Fprintf(&links, "    - {ends: [%d, 6], length: 30m, count: 2}\n", 4+leaf)
	}
	tree := "topology: {shape: fat-tree, levels: 2, radix: 4, hosts-per-leaf: 2, spines: 1}\n"
	list := "topology:\n  shape: listed\n  radix: 4\n  links:\n" + links.String()
	slow := strings.ReplaceAll(list, "length: 30m, count: 2", "length: 30m, rate: 100Gbps")
	took := func(topology string) []units.Time {
		return times(runtest.Run(t, simtest.Resolve(t, "cluster: {nodes: 4, node: {gpus: 1, nics: 1}}\n"+topology+
			"fabrics: [{preset: infiniband-ndr, name: ib}, {preset: roce-v2-400g, name: roce}]\n"+
			"workload: {pattern: flows, flows: [{src: 0, dst: 2, bytes: 4MiB}]}\n"), 1))
	}
	want, got, slowed := took(tree), took(list), took(slow)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("fabric %d: %v, and %v by its shape", i, got[i], want[i])
		}
		wire := units.Time(int64(4*units.MiB) * 8 * 1000 / 100) // ps, without headers
		if slowed[i] < wire || slowed[i] > wire*106/100 {
			t.Errorf("fabric %d: %v over a cable of 100 Gb/s, want the %v of 4 MiB and at most 6 %% for headers and latency", i, slowed[i], wire)
		}
	}
}

func times(res *results.Results) (out []units.Time) {
	for i := range res.Fabrics {
		out = append(out, res.Fabrics[i].Points[0].Time)
	}
	return out
}
