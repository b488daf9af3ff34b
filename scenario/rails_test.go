package scenario

import (
	"strings"
	"testing"
)

func TestRailsFollowTheNode(t *testing.T) {
	for text, want := range map[string]int{
		"cluster: {nodes: 20, node: gb200-nvl72}":                                              4,
		"cluster: {nodes: 20, node: {preset: gb200-nvl72, nics: 36}}":                          4,
		"cluster: {nodes: 2, node: {preset: gb200-nvl72, nics: 6}}":                            6, // four do not go into six
		"cluster: {nodes: 4, node: dgx-h100}":                                                  8,
		"cluster: {nodes: 4, node: {preset: dgx-h100, nics: 16}}\ntopology: {rails: 8}":        8,
		"cluster: {nodes: 4, node: {preset: dgx-h100, nics: 12, rails: 3}}":                    3,
		"cluster: {nodes: 2, node: gb200-nvl72}\ntopology: {shape: rail-optimised, rails: 18}": 18,
	} {
		f, err := Decode("x.yaml", []byte(text+"\nfabrics: [infiniband-ndr]"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		r, err := f.Resolve()
		if err != nil || r.Fabrics[0].Topology.Rails != want {
			t.Errorf("%s: %v; %d rails, want %d", text, err, r.Fabrics[0].Topology.Rails, want)
		}
	}
	for text, want := range map[string]string{
		"cluster: {nodes: 2, node: gb200-nvl72}\ntopology: {rails: 72}":                    "72 rails: a switch of 64 ports cannot join more than 64",
		"cluster: {nodes: 2, node: gb200-nvl72}\ntopology: {rails: 5}":                     "5 rails: a node has 72 NICs, as many on each rail as on any other",
		"cluster: {nodes: 2, node: {preset: dgx-h100, rails: 3}}":                          "cluster.node.rails: 3 rails: a node has 8 NICs",
		"cluster: {nodes: 2, node: dgx-h100}\ntopology: {shape: rail-optimised, rails: 9}": "9 rails: a node has 8 NICs, as many on each rail as on any other",
	} {
		if _, err := Decode("x.yaml", []byte(text+"\nfabrics: [infiniband-ndr, roce-v2-400g]")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
