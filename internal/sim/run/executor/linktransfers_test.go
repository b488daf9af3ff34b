package executor

import (
	"testing"

	"weft/internal/test/simtest"
)

// The data of the ranks that are named for a link, and its headers, are what the link carried: for each busy link, on
// hashed paths, on static ones, on several queue pairs and with answers in the other direction.
func TestTheTransfersOverALinkAreItsLoad(t *testing.T) {
	const cluster = `
cluster: {nodes: 6, node: {preset: dgx-h100, gpus: 2, nics: 2}}
topology: {shape: fat-tree, levels: 2, radix: 8, oversubscription: 3}
`
	for _, c := range []struct{ name, fabric, workload string }{
		{"hashed", "roce-v2-400g", "collective: all-to-all, sizes: [3MiB]"},
		{"static", "{preset: infiniband-ndr, routing: {mode: deterministic}}", "collective: all-to-all, sizes: [3MiB]"},
		{"ring", "roce-v2-400g", "collective: all-reduce, algorithm: ring, sizes: [3MiB]"},
		{"several queue pairs", "{preset: roce-v2-400g, transport: {qps-per-connection: 3, split-data: true}}", "collective: all-gather, sizes: [3MiB]"},
		{"sockets", "{preset: tcp-400g, tcp: {sockets: 3}}", "collective: all-gather, sizes: [3MiB]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := carriedOut(t, simtest.Resolve(t, cluster+"fabrics: ["+c.fabric+"]\nworkload: {"+c.workload+"}"))
			if len(p.Hottest) == 0 {
				t.Fatal("no link is busy")
			}
			for i := range p.Hottest {
				h := &p.Hottest[i]
				if share := float64(h.Transferred()) / float64(h.Bytes); share < 0.9 || share > 1 || h.Sprayed {
					t.Errorf("%s carried %d bytes, and transfers of %d are named (sprayed: %v)", h.Name, h.Bytes, h.Transferred(), h.Sprayed)
				}
			}
		})
	}
}

// Adaptive routing tells of no link between switches who used it; a NIC's cable has no choice.
func TestOnlyTheCablesOfNICsAreKnownUnderAdaptiveRouting(t *testing.T) {
	p := carriedOut(t, simtest.Resolve(t, `
cluster: {nodes: 6, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: fat-tree, levels: 2, radix: 8}
fabrics: [{preset: infiniband-ndr, routing: {mode: adaptive}}]
workload: {collective: all-reduce, algorithm: ring, sizes: [1MiB]}`))
	named := 0
	for i := range p.Hottest {
		h := &p.Hottest[i]
		if h.Choice() != h.Sprayed || h.Choice() != (len(h.Transfers) == 0) {
			t.Errorf("%s (%s): sprayed %v, transfers %v", h.Name, h.Tier, h.Sprayed, h.Transfers)
		}
		for _, x := range h.Transfers {
			if named++; x.To != (x.From+1)%6 {
				t.Errorf("%s carried data from rank %d to rank %d, which are no neighbours of the ring", h.Name, x.From, x.To)
			}
		}
	}
	if named == 0 {
		t.Error("no transfer is named")
	}
}
