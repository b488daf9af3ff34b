package scenario

import (
	"strings"
	"testing"
)

func TestLinksOfAMeshArePairedByTheWholeNode(t *testing.T) {
	for _, c := range []struct {
		node       string
		pair       int
		gpus, want int // links of a GPU among this number
	}{
		{"{preset: dgx-1-v100}", 2, 2, 2},
		{"{preset: dgx-1-v100}", 2, 8, 6},
		{"{preset: dgx-h100, scale-up: {kind: mesh, links: 7, switches: 0, multicast: false}}", 1, 2, 1},
		{"{preset: dgx-h100, gpus: 4, scale-up: {kind: mesh, links: 12, switches: 0, multicast: false}}", 4, 2, 4},
		{"{preset: dgx-h100, scale-up: {kind: mesh, links: 7, pair-links: 3, switches: 0, multicast: false}}", 3, 3, 6},
		{"{preset: dgx-h100}", 0, 2, 18},
	} {
		file, err := Decode("x.yaml", []byte("cluster: {node: "+c.node+"}"))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := file.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		part, err := file.Resolve(whole.Cluster.Node.Part(c.gpus, "test")...)
		if err != nil {
			t.Fatal(err)
		}
		s := &part.Cluster.Node.ScaleUp
		if got := s.LinksTo(c.gpus - 1); s.PairLinks != c.pair || got != c.want {
			t.Errorf("%s: %d links to a pair and %d among %d GPUs, want %d and %d", c.node, s.PairLinks, got, c.gpus, c.pair, c.want)
		}
	}
	if _, err := Decode("x.yaml", []byte("cluster: {node: {preset: dgx-h100, scale-up: {generation: nvlink-4, pair-links: 2}}}")); err == nil || !strings.Contains(err.Error(), "cluster.node.scale-up.pair-links: a scale-up network of kind switch has no links between two GPUs") {
		t.Errorf("links between two GPUs behind switches: %v", err)
	}
}
