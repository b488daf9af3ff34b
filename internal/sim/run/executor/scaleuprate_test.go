package executor_test

import (
	"fmt"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/scenario"
)

// mesh is a node of eight GPUs, each with a link to every other.
const mesh = `
cluster:
  nodes: 1
  node: {preset: dgx-h100, scale-up: {generation: nvlink-4, kind: mesh, links: 7, link-rate: 64GB/s, switches: 0, multicast: false}}
fabrics: [roce-v2-400g]
workload: {collective: %s, sizes: [64MiB], algorithm: %s}
`

// busBW is the bus bandwidth of a collective on a part of a node's GPUs, in GB/s.
func busBW(t *testing.T, text string, gpus int) float64 {
	t.Helper()
	r := simtest.Resolve(t, text)
	file, err := scenario.Decode("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	part, err := file.Resolve(r.Cluster.Node.Part(gpus, "test")...)
	if err != nil {
		t.Fatal(err)
	}
	return runtest.Run(t, part, 1).Fabrics[0].Points[0].BusBW
}

// A link of a mesh leads to one GPU: two GPUs of eight have one of seven links between them,
// and a GPU that sends to one other uses one link too.
func TestALinkOfAMeshLeadsToOneGPU(t *testing.T) {
	const link = 64.
	for _, c := range []struct {
		collective, algorithm string
		gpus                  int
		links                 float64
	}{{"all-reduce", "ring", 2, 1}, {"all-reduce", "ring", 4, 3}, {"all-reduce", "ring", 5, 4}, {"send-recv", "direct", 8, 1}} {
		got := busBW(t, fmt.Sprintf(mesh, c.collective, c.algorithm), c.gpus)
		if most := link * c.links; got > most || got < most*.75 {
			t.Errorf("%s of %d GPUs has a bus bandwidth of %.1f GB/s over %g links of %g GB/s", c.collective, c.gpus, got, c.links, link)
		}
	}
}

// Within a node there are no packets of the fabric: neither the bursts of GPUs nor the
// copies that an NVSwitch makes of them count.
func TestCopiesOfNVSwitchesAreNoPackets(t *testing.T) {
	p := runtest.Points(t, `cluster: {nodes: 1, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, algorithm: nvls, sizes: [1MiB]}
`)[0]
	if p.Failure != "" || p.Counts.Packets != 0 || p.Counts.PacketHops != 0 {
		t.Errorf("failure %q, %d packets, %d packet-hops: want none", p.Failure, p.Counts.Packets, p.Counts.PacketHops)
	}
}
