package traffic

import (
	"fmt"
	"testing"

	"weft/internal/ib/sma"
	"weft/internal/sim/run/network"
	"weft/internal/test/simtest"
)

// A WRITE with immediate data of 4,096 bytes is a packet of LRH 8, BTH 12, RETH 16, ImmDt 4,
// payload and ICRC 4. Its acknowledgement has LRH 8, BTH 12, AETH 4, ICRC 4. Counters do not count
// the VCRC.
func TestPortsCountTheBytesOfSimulatedPackets(t *testing.T) {
	const text = `cluster: {nodes: 4, node: {gpus: 1, nics: 1, nic: connectx-7}}
topology: {shape: single-switch}
fabrics: [%s]
workload: {pattern: permutation, operation: write, sizes: [4KiB]}
`
	for _, fabric := range []string{"infiniband-ndr", "{preset: infiniband-fdr, link: qdr}"} {
		r := simtest.Resolve(t, fmt.Sprintf(text, fabric))
		spec, err := network.Shape(&r.Fabrics[0].Topology, &r.Cluster)
		if err != nil {
			t.Fatal(err)
		}
		graph, err := spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		s, err := network.Subnet(&r.Fabrics[0], graph)
		if err != nil {
			t.Fatal(err)
		}
		counted, err := OfPorts(t.Context(), r, s)
		if err != nil {
			t.Fatal(err)
		}
		want := sma.Traffic{XmitPkts: 2, XmitWords: (8+12+16+4+4096+4)/4 + (8+12+4+4)/4}
		want.RcvPkts, want.RcvWords = want.XmitPkts, want.XmitWords
		if len(counted) != 8 {
			t.Errorf("%s: %d ports count, want 4 adapters' and 4 of the switch", fabric, len(counted))
		}
		for at, got := range counted {
			if *got != want {
				t.Errorf("%s: %s counts %+v, want %+v", fabric, s.EndName(at), *got, want)
			}
		}
	}
}
